//! The transforms of all joints of a skeleton, a column per number.

use super::transform::Transform;

/// Number of columns: three of translations, four of rotations, three of scales.
const COLUMNS: usize = 10;

/// Transforms of joints relative to their parents.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    columns: [Vec<f32>; COLUMNS],
}

impl Pose {
    /// Of so many joints, none of which is moved.
    pub fn new(n_joints: usize) -> Self {
        let mut pose = Self { columns: std::array::from_fn(|_| vec![0.0; n_joints]) };
        (6..COLUMNS).for_each(|c| pose.columns[c].fill(1.0));
        pose
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Whether it is of no joints.
    pub fn is_empty(&self) -> bool {
        self.columns[0].is_empty()
    }

    /// The transform of a joint.
    #[inline]
    pub fn get(&self, joint: usize) -> Transform {
        let [x, y, z, a, b, c, d, u, v, w] = self.columns.each_ref().map(|column| column[joint]);
        Transform { translation: [x, y, z], rotation: [a, b, c, d], scale: [u, v, w] }
    }

    /// Sets the transform of a joint.
    pub fn set(&mut self, joint: usize, to: &Transform) {
        self.set_translation(joint, to.translation);
        self.set_rotation(joint, to.rotation);
        self.set_scale(joint, to.scale);
    }

    /// Sets the translation of a joint.
    #[inline]
    pub fn set_translation(&mut self, joint: usize, to: [f32; 3]) {
        (0..3).for_each(|c| self.columns[c][joint] = to[c]);
    }

    /// Sets the rotation of a joint: a unit quaternion, as x, y, z, w.
    #[inline]
    pub fn set_rotation(&mut self, joint: usize, to: [f32; 4]) {
        (0..4).for_each(|c| self.columns[3 + c][joint] = to[c]);
    }

    /// Sets the scale of a joint.
    #[inline]
    pub fn set_scale(&mut self, joint: usize, to: [f32; 3]) {
        (0..3).for_each(|c| self.columns[7 + c][joint] = to[c]);
    }

    /// Takes over another pose of as many joints.
    pub fn copy_from(&mut self, other: &Self) {
        for (to, from) in self.columns.iter_mut().zip(&other.columns) {
            to.copy_from_slice(from);
        }
    }

    /// The columns: translations x, y, z; rotations x, y, z, w; scales x, y, z.
    pub(super) fn columns(&self) -> &[Vec<f32>; COLUMNS] {
        &self.columns
    }

    /// The columns to change.
    pub(super) fn columns_mut(&mut self) -> &mut [Vec<f32>; COLUMNS] {
        &mut self.columns
    }
}
