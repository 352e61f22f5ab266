//! Vertices that follow joints.

use super::error::SkinError;
use super::joints::kernel::Products;
use super::lane::{LANES, run};
use super::transform::{IDENTITY, Matrix, inverse};
use super::vertex::Vertex;

mod kernel;

/// The joints that move a mesh's vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    joints: Vec<u32>,
    inverse_binds: Vec<Matrix>,
}

impl Skin {
    /// Of joints of a skeleton that has so many, and by joint the matrix from the mesh at rest to the joint at rest; no matrices mean
    /// that these are the same.
    ///
    /// # Errors
    /// A joint that is not there, too few or too many matrices, or one that cannot be inverted.
    pub fn new(joints: Vec<u32>, inverse_binds: Vec<Matrix>, n_joints: usize) -> Result<Self, SkinError> {
        if let Some(&joint) = joints.iter().find(|j| **j as usize >= n_joints) {
            return Err(SkinError::Joint { joint, n: n_joints });
        }
        let inverse_binds =
            if inverse_binds.is_empty() { vec![IDENTITY; joints.len()] } else { inverse_binds };
        if inverse_binds.len() != joints.len() {
            return Err(SkinError::Binds { joints: joints.len(), given: inverse_binds.len() });
        }
        let is_affine = |m: &Matrix| m.each_ref().map(|column| column[3]) == [0.0, 0.0, 0.0, 1.0];
        if let Some(joint) = inverse_binds.iter().position(|m| !is_affine(m)) {
            return Err(SkinError::LastRow { joint });
        }
        if let Some(joint) = inverse_binds.iter().position(|m| inverse(m).is_none()) {
            return Err(SkinError::Singular { joint });
        }
        Ok(Self { joints, inverse_binds })
    }

    /// Its joints in the skeleton.
    pub fn joints(&self) -> &[u32] {
        &self.joints
    }

    /// By joint: from the mesh at rest to the joint at rest.
    pub fn inverse_binds(&self) -> &[Matrix] {
        &self.inverse_binds
    }

    /// From the joints' matrices in the model to those that move vertices: one for each joint of the skin.
    ///
    /// # Panics
    /// If the model has fewer joints than the skeleton, or the result is not as many as the skin's joints.
    pub fn matrices(&self, model: &[Matrix], into: &mut [Matrix]) {
        assert_eq!(into.len(), self.joints.len(), "as many as joints of the skin");
        run(Products { left: model, of: &self.joints, right: &self.inverse_binds, into });
    }
}

/// By vertex: four joints of a skin, and their weights.
pub type InfluenceBlock = (Vec<[u16; 4]>, Vec<[f32; 4]>);

/// Which joints of a skin move each vertex, and by how much: blocks of four, all first blocks, then all second ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    n_vertices: usize,
    joints: Vec<[u16; 4]>,
    /// Those above zero first.
    weights: Vec<[f32; 4]>,
    /// By group of eight vertices: how many weights of a first block are above zero, at most.
    reach: Vec<u8>,
    n_normalized: usize,
}

/// Sums of weights that are further from one are more than rounding.
const ROUNDING: f64 = 1e-4;

impl Influences {
    /// Of blocks of four joints and weights, each for all vertices: four influences per vertex and block. Weights of a vertex are made to sum
    /// to one.
    ///
    /// # Errors
    /// A block is of another length, a joint is not in the skin (with a weight above zero), a weight is negative or not finite, or all
    /// weights of a vertex are zero.
    pub fn new(
        n_vertices: usize,
        n_skin_joints: usize,
        blocks: &[InfluenceBlock],
    ) -> Result<Self, SkinError> {
        let mut made = Self { n_vertices, ..Self::default() };
        for (joints, weights) in blocks {
            if let Some(given) = [joints.len(), weights.len()].into_iter().find(|n| *n != n_vertices) {
                return Err(SkinError::Count { vertices: n_vertices, given });
            }
            made.joints.extend_from_slice(joints);
            made.weights.extend_from_slice(weights);
        }
        for vertex in 0..n_vertices {
            let mut sum = 0.0_f64;
            for at in (vertex..made.joints.len()).step_by(n_vertices) {
                for (joint, &weight) in made.joints[at].iter_mut().zip(&made.weights[at]) {
                    if !weight.is_finite() || weight < 0.0 {
                        return Err(SkinError::Weight { vertex });
                    }
                    if usize::from(*joint) >= n_skin_joints {
                        if weight > 0.0 {
                            let joint = u32::from(*joint);
                            return Err(SkinError::Influence { vertex, joint, n: n_skin_joints });
                        }
                        *joint = 0;
                    }
                    sum += f64::from(weight);
                }
            }
            let has_weight = sum > 0.0;
            if !has_weight {
                return Err(SkinError::Weightless { vertex });
            }
            made.n_normalized += usize::from((sum - 1.0).abs() > ROUNDING);
            if sum != 1.0 {
                for at in (vertex..made.joints.len()).step_by(n_vertices) {
                    made.weights[at] = made.weights[at].map(|w| (f64::from(w) / sum) as f32);
                }
            }
        }
        made.order();
        Ok(made)
    }

    /// Puts weights above zero first, in their order, and counts them.
    fn order(&mut self) {
        for (joints, weights) in self.joints.iter_mut().zip(&mut self.weights) {
            let mut all = [0, 1, 2, 3].map(|k: usize| (joints[k], weights[k]));
            all.sort_by_key(|(_, weight)| *weight == 0.0);
            (*joints, *weights) = (all.map(|(joint, _)| joint), all.map(|(_, weight)| weight));
        }
        let above_zero = |weights: &[f32; 4]| weights.iter().filter(|w| **w > 0.0).count() as u8;
        let groups = self.weights[..self.n_vertices].chunks(LANES);
        self.reach = groups.map(|group| group.iter().map(above_zero).max().unwrap_or(0)).collect();
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.n_vertices
    }

    /// Whether it is of no vertices.
    pub fn is_empty(&self) -> bool {
        self.n_vertices == 0
    }

    /// The joints of the skin that move a vertex, and by how much; some may have no weight.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (u16, f32)> + '_ {
        assert!(vertex < self.n_vertices, "a vertex");
        let blocks = (vertex..self.joints.len()).step_by(self.n_vertices);
        blocks.flat_map(|at| self.joints[at].into_iter().zip(self.weights[at]))
    }

    /// Vertices whose weights did not sum to one, by more than rounding, and were made to.
    pub fn n_normalized(&self) -> usize {
        self.n_normalized
    }
}

/// Moves vertices from a first one on: positions by the weighted sum of their joints' matrices, normals by the inverse transpose of it
/// without length (so that they stay upright under uneven scales). There may be no normals: then those of the result stay as they are, as do
/// its places in textures. Each vertex is moved for itself, by the same operations whatever the processor has: vertices have the same bits
/// everywhere, however they are cut into parts.
///
/// # Panics
/// If the lists are of different lengths, or there are fewer matrices than the influences name.
pub fn skin(
    matrices: &[Matrix],
    (influences, first): (&Influences, usize),
    (positions, normals): (&[[f32; 3]], &[[f32; 3]]),
    to: &mut [Vertex],
) {
    let n = positions.len();
    assert!(to.len() == n && (normals.is_empty() || normals.len() == n), "as many as at rest");
    assert!(first + n <= influences.len(), "vertices that have influences");
    let of = Vertices { influences, first, positions, normals };
    run(kernel::Skinned { matrices, of, to });
}

/// Vertices at rest, and what moves them.
struct Vertices<'v> {
    influences: &'v Influences,
    first: usize,
    positions: &'v [[f32; 3]],
    /// By vertex, or none.
    normals: &'v [[f32; 3]],
}

#[cfg(test)]
mod tests;
