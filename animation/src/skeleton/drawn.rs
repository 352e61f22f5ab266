//! Meshes of a model as they are drawn: two buffers of vertices, of which one is read while the other is filled.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Role, StepParameter, Store, Workspace, read, update, val, when, work_in};
use engine::graph::{ComponentTag, Recorder};

use super::clip::Clip;
use super::mesh::Mesh;
use super::sample::Cursors;
use super::skin::{Skin, skin};
use super::transform::{IDENTITY, Matrix, inverse, moved_point};

/// A vertex as it goes to a graphics card: 32 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Its position in the model.
    pub position: [f32; 3],
    /// Its normal in the model, of length one; zero if its mesh has none.
    pub normal: [f32; 3],
    /// Its place in a texture; zero if its mesh has none.
    pub texture: [f32; 2],
}

/// What is drawn of each model of a crowd.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// Skins that meshes name.
    pub skins: Vec<Skin>,
    /// The meshes.
    pub meshes: Vec<Mesh>,
}

/// What a mesh's tasks work in.
struct Skinner {
    drawn: Arc<Drawn>,
    mesh: usize,
    clip: Option<Arc<Clip>>,
    start: f64,
    cursors: Cursors,
    weights: Vec<f32>,
    matrices: Vec<Matrix>,
    morphed: [Vec<[f32; 3]>; 2],
    moved: [Vec<[f32; 3]>; 2],
}

impl Skinner {
    /// Fills a buffer from the matrices of the model's joints, at a time \[s\].
    fn fill(&mut self, time: f64, joints: &[Matrix], into: &mut [Vertex]) {
        let mesh = &self.drawn.meshes[self.mesh];
        let [positions, normals] = &mut self.morphed;
        if !mesh.targets.is_empty() {
            self.weights.copy_from_slice(&mesh.weights);
            if let Some(clip) = &self.clip {
                let at = clip.looped(self.start + time);
                clip.sample_morph(self.mesh as u32, at, &mut self.cursors, &mut self.weights);
            }
            mesh.morph(&self.weights, positions, normals);
        }
        let [to, to_normals] = &mut self.moved;
        if let Some((of, influences)) = &mesh.skin {
            self.drawn.skins[*of as usize].matrices(joints, &mut self.matrices);
            skin(&self.matrices, (influences, 0), (positions, normals), (to, to_normals));
        } else {
            carry(&joints[mesh.joint as usize], (positions, normals), (to, to_normals));
        }
        for (vertex, position) in into.iter_mut().zip(&*to) {
            vertex.position = *position;
        }
        for (vertex, normal) in into.iter_mut().zip(&*to_normals) {
            vertex.normal = *normal;
        }
    }
}

/// Moves all vertices by one matrix; normals by its inverse transpose, to length one.
fn carry(
    by: &Matrix,
    (positions, normals): (&[[f32; 3]], &[[f32; 3]]),
    (to, to_normals): (&mut [[f32; 3]], &mut [[f32; 3]]),
) {
    for (p, to) in positions.iter().zip(to) {
        *to = moved_point(by, *p);
    }
    // What is flattened keeps its normals.
    let back = inverse(by).unwrap_or(IDENTITY);
    for (n, to) in normals.iter().zip(to_normals) {
        let v: [f32; 3] = std::array::from_fn(|c| (0..3).map(|r| back[c][r] * n[r]).sum());
        let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        *to = if length > 0.0 { v.map(|x| x / length) } else { *n };
    }
}

/// The buffers of a model's mesh.
pub(super) struct Buffers {
    sides: [Data<Vertex>; 2],
    skinner: Workspace<Skinner>,
}

impl Buffers {
    /// Of all meshes of a model; what no clip and no joint has moved yet is as at rest.
    pub(super) fn of_model(
        store: &mut Store,
        object: ObjectId,
        drawn: &Arc<Drawn>,
        (clip, start): (Option<&Arc<Clip>>, f64),
    ) -> Vec<Self> {
        let mut all = Vec::with_capacity(drawn.meshes.len());
        for (k, mesh) in drawn.meshes.iter().enumerate() {
            let vertices = (0..mesh.positions.len()).map(|v| Vertex {
                position: mesh.positions[v],
                normal: mesh.normals.get(v).copied().unwrap_or_default(),
                texture: mesh.texture.get(v).copied().unwrap_or_default(),
            });
            let vertices: Vec<Vertex> = vertices.collect();
            let skinned = mesh.skin.as_ref().map_or(0, |(s, _)| drawn.skins[*s as usize].joints().len());
            let at_rest = [mesh.positions.clone(), mesh.normals.clone()];
            let skinner = Skinner {
                drawn: drawn.clone(),
                mesh: k,
                clip: clip.cloned(),
                start,
                cursors: clip.map(|clip| Cursors::new(clip)).unwrap_or_default(),
                weights: mesh.weights.clone(),
                matrices: vec![IDENTITY; skinned],
                morphed: at_rest.clone(),
                moved: at_rest,
            };
            let mut side = |name: &str| {
                store.create(format!("vertices {k}{name}"), object, Role::Scratch, vertices.clone())
            };
            let sides = [side(""), side(" (other)")];
            all.push(Self { sides, skinner: store.workspace("skinner", object, skinner) });
        }
        all
    }

    /// Records the tasks that fill either side, where it is due.
    pub(super) fn record(
        &self,
        rec: &mut Recorder<'_>,
        object: ObjectId,
        (clock, joints): (StepParameter<f64>, Data<Matrix>),
        due: [Data<bool>; 2],
    ) {
        for (side, due) in self.sides.into_iter().zip(due) {
            let accesses = (work_in(self.skinner), val(clock), read(joints), update(side), when(due));
            let kernel =
                |(skinner, time, joints, into, ()): (&mut Skinner, f64, &[Matrix], &mut [Vertex], ())| {
                    skinner.fill(time, joints, into);
                };
            rec.own("skin", ComponentTag(1), object, accesses, kernel);
        }
    }

    /// The vertices of a side.
    pub(super) fn side<'s>(&self, store: &'s Store, side: usize) -> &'s [Vertex] {
        store.read(self.sides[side])
    }
}
