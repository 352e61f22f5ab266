//! The transforms of all joints of a skeleton, eight joints side by side.

use super::lane::{LANES, Row};
use super::transform::Transform;

/// What eight joints have: translations x, y, z; rotations x, y, z, w; scales x, y, z.
pub(super) type JointGroup = [Row; 10];

/// Where rotations begin in a group.
pub(super) const ROTATION: usize = 3;
/// Where scales begin in a group.
pub(super) const SCALE: usize = 7;

/// Transforms of joints relative to their parents. A skeleton's last group may have places without joints: what is there moves nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    groups: Vec<JointGroup>,
    n_joints: usize,
}

impl Pose {
    /// Of so many joints, none of which is moved.
    pub fn new(n_joints: usize) -> Self {
        let mut unmoved = JointGroup::default();
        unmoved[ROTATION + 3..].fill([1.0; LANES]);
        Self { groups: vec![unmoved; n_joints.div_ceil(LANES)], n_joints }
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.n_joints
    }

    /// Whether it is of no joints.
    pub fn is_empty(&self) -> bool {
        self.n_joints == 0
    }

    /// The transform of a joint.
    ///
    /// # Panics
    /// If there is no such joint.
    #[inline]
    pub fn get(&self, joint: usize) -> Transform {
        assert!(joint < self.n_joints, "a joint");
        let group = &self.groups[joint / LANES];
        let [x, y, z, a, b, c, d, u, v, w] = group.each_ref().map(|row| row[joint % LANES]);
        Transform { translation: [x, y, z], rotation: [a, b, c, d], scale: [u, v, w] }
    }

    /// Sets the transform of a joint.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn set(&mut self, joint: usize, to: &Transform) {
        self.set_translation(joint, to.translation);
        self.set_rotation(joint, to.rotation);
        self.set_scale(joint, to.scale);
    }

    /// Sets the translation of a joint.
    ///
    /// # Panics
    /// If there is no such joint.
    #[inline]
    pub fn set_translation(&mut self, joint: usize, to: [f32; 3]) {
        self.set_from(0, joint, to);
    }

    /// Sets the rotation of a joint: a unit quaternion, as x, y, z, w.
    ///
    /// # Panics
    /// If there is no such joint.
    #[inline]
    pub fn set_rotation(&mut self, joint: usize, to: [f32; 4]) {
        self.set_from(ROTATION, joint, to);
    }

    /// Sets the scale of a joint.
    ///
    /// # Panics
    /// If there is no such joint.
    #[inline]
    pub fn set_scale(&mut self, joint: usize, to: [f32; 3]) {
        self.set_from(SCALE, joint, to);
    }

    #[inline]
    fn set_from<const N: usize>(&mut self, first: usize, joint: usize, to: [f32; N]) {
        assert!(joint < self.n_joints, "a joint");
        for (row, to) in self.groups[joint / LANES][first..].iter_mut().zip(to) {
            row[joint % LANES] = to;
        }
    }

    /// Takes over another pose of as many joints.
    pub fn copy_from(&mut self, other: &Self) {
        assert_eq!(self.n_joints, other.n_joints, "poses of one skeleton");
        self.groups.copy_from_slice(&other.groups);
    }

    /// The joints, eight by eight.
    pub(super) fn groups(&self) -> &[JointGroup] {
        &self.groups
    }

    /// The joints to change.
    pub(super) fn groups_mut(&mut self) -> &mut [JointGroup] {
        &mut self.groups
    }
}
