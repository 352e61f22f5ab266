//! Meshes of a model as they are drawn, and how their vertices are filled.

use std::ops::Range;
use std::sync::Arc;

use super::clip::Clip;
use super::mesh::Mesh;
use super::sample::Cursors;
use super::sequence::Sequence;
use super::skin::{Skin, skin};
use super::transform::{IDENTITY, Matrix, inverse, moved_point};
use super::vertex::Vertex;

pub(super) mod parts;

/// What is drawn of each model of a crowd.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// Skins that meshes name.
    pub skins: Vec<Skin>,
    /// The meshes.
    pub meshes: Vec<Mesh>,
}

/// What the tasks of a part of a mesh work in.
struct Skinner {
    drawn: Arc<Drawn>,
    mesh: usize,
    /// The part's vertices.
    part: Range<usize>,
    /// None without targets.
    clips: Vec<(Arc<Clip>, Cursors)>,
    start: f64,
    /// By target: how much of it is seen, and what one clip says of that.
    weights: [Vec<f32>; 2],
    matrices: Vec<Matrix>,
    /// Positions and normals with targets; none without targets: those of the mesh are shared by all models.
    morphed: [Vec<[f32; 3]>; 2],
}

impl Skinner {
    /// Of a part of a mesh.
    fn new(
        drawn: &Arc<Drawn>,
        (k, part): (usize, Range<usize>),
        (sequence, start): (&Sequence, f64),
    ) -> Self {
        let mesh = &drawn.meshes[k];
        let n_joints = mesh.skin.as_ref().map_or(0, |(s, _)| drawn.skins[*s as usize].joints().len());
        let (mut clips, mut morphed) = (Vec::new(), [Vec::new(), Vec::new()]);
        if !mesh.targets.is_empty() {
            clips.extend(sequence.clips().map(|clip| (clip.clone(), Cursors::new(clip))));
            let normals = mesh.normals.get(part.clone()).unwrap_or_default();
            morphed = [mesh.positions[part.clone()].to_vec(), normals.to_vec()];
        }
        let (weights, matrices) = ([mesh.weights.clone(), mesh.weights.clone()], vec![IDENTITY; n_joints]);
        Self { drawn: drawn.clone(), mesh: k, part, clips, start, weights, matrices, morphed }
    }

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
        let normals = mesh.normals.get(self.part.clone()).unwrap_or_default();
        let mut rest = (&mesh.positions[self.part.clone()], normals);
        if !mesh.targets.is_empty() {
            let [positions, normals] = &mut self.morphed;
            mesh.morph_part(&self.weights[0], self.part.start, (positions, normals));
            rest = (&positions[..], &normals[..]);
        }
        if let Some((of, influences)) = &mesh.skin {
            self.drawn.skins[*of as usize].matrices(joints, &mut self.matrices);
            skin(&self.matrices, (influences, self.part.start), rest, into);
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
