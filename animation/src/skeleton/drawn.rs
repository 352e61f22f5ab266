//! Meshes of a model as they are drawn: two buffers of vertices, of which one is read while the other is filled.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Role, StepParameter, Store, Workspace, read, update, val, when, work_in};
use engine::graph::{ComponentTag, Recorder};

use super::clip::Clip;
use super::mesh::Mesh;
use super::sample::Cursors;
use super::sequence::Sequence;
use super::skin::{Skin, skin};
use super::transform::{IDENTITY, Matrix, inverse, moved_point};

/// A vertex as it goes to a graphics card: 32 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
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
    clips: Vec<(Arc<Clip>, Cursors)>,
    start: f64,
    /// By target: how much of it is seen, and what one clip says of that.
    weights: [Vec<f32>; 2],
    matrices: Vec<Matrix>,
    /// Positions and normals with targets; none without targets: those of the mesh are shared by all models.
    morphed: [Vec<[f32; 3]>; 2],
}

impl Skinner {
    /// Mixes what clips say of the targets; a clip without a track for them says what the mesh says.
    fn weigh(&mut self, time: f64, mix: &[f32]) {
        let mesh = &self.drawn.meshes[self.mesh];
        let [weights, of_clip] = &mut self.weights;
        let sum: f32 = mix.iter().filter(|w| **w > 0.0).sum();
        if sum <= 0.0 {
            weights.copy_from_slice(&mesh.weights);
            return;
        }
        weights.fill(0.0);
        for ((clip, cursors), share) in self.clips.iter_mut().zip(mix).filter(|(_, w)| **w > 0.0) {
            of_clip.copy_from_slice(&mesh.weights);
            clip.sample_morph(self.mesh as u32, clip.looped(self.start + time), cursors, of_clip);
            weights.iter_mut().zip(&*of_clip).for_each(|(to, w)| *to += share / sum * w);
        }
    }

    /// Fills a buffer from the matrices of the model's joints, at a time \[s\].
    fn fill(&mut self, (time, mix): (f64, &[f32]), joints: &[Matrix], into: &mut [Vertex]) {
        if !self.drawn.meshes[self.mesh].targets.is_empty() {
            self.weigh(time, mix);
        }
        let mesh = &self.drawn.meshes[self.mesh];
        let mut rest = (&mesh.positions[..], &mesh.normals[..]);
        if !mesh.targets.is_empty() {
            let [positions, normals] = &mut self.morphed;
            mesh.morph(&self.weights[0], positions, normals);
            rest = (&positions[..], &normals[..]);
        }
        if let Some((of, influences)) = &mesh.skin {
            self.drawn.skins[*of as usize].matrices(joints, &mut self.matrices);
            skin(&self.matrices, (influences, 0), rest, into);
        } else {
            carry(&joints[mesh.joint as usize], rest, into);
        }
    }
}

/// Moves all vertices by one matrix; normals by its inverse transpose, to length one.
fn carry(by: &Matrix, (positions, normals): (&[[f32; 3]], &[[f32; 3]]), to: &mut [Vertex]) {
    for (p, to) in positions.iter().zip(&mut *to) {
        to.position = moved_point(by, *p);
    }
    // What is flattened keeps its normals.
    let back = inverse(by).unwrap_or(IDENTITY);
    for (n, to) in normals.iter().zip(to) {
        let v: [f32; 3] = std::array::from_fn(|c| (0..3).map(|r| back[c][r] * n[r]).sum());
        let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        to.normal = if length > 0.0 { v.map(|x| x / length) } else { *n };
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
        (sequence, start): (&Sequence, f64),
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
            let morphed = match mesh.targets.is_empty() {
                true => Default::default(),
                false => [mesh.positions.clone(), mesh.normals.clone()],
            };
            let skinner = Skinner {
                drawn: drawn.clone(),
                mesh: k,
                clips: sequence.clips().map(|clip| (clip.clone(), Cursors::new(clip))).collect(),
                start,
                weights: [mesh.weights.clone(), mesh.weights.clone()],
                matrices: vec![IDENTITY; skinned],
                morphed,
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
        (clock, mix): (StepParameter<f64>, Data<f32>),
        joints: Data<Matrix>,
        due: [Data<bool>; 2],
    ) {
        for (side, due) in self.sides.into_iter().zip(due) {
            let accesses =
                (work_in(self.skinner), val(clock), read(mix), read(joints), update(side), when(due));
            type Given<'a> = (&'a mut Skinner, f64, &'a [f32], &'a [Matrix], &'a mut [Vertex], ());
            let kernel = |(skinner, time, mix, joints, into, ()): Given<'_>| {
                skinner.fill((time, mix), joints, into);
            };
            rec.own("skin", ComponentTag(1), object, accesses, kernel);
        }
    }

    /// The vertices of a side.
    pub(super) fn side<'s>(&self, store: &'s Store, side: usize) -> &'s [Vertex] {
        store.read(self.sides[side])
    }
}
