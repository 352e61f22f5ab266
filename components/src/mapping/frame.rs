//! Frames of mechanics in the kernels that the skeletons of characters have, too; in `f64` these have SOFA's bits.

use animation::skeleton::carry::{self, DOUBLE, One, Vector};
use sim_core::math::{Quat, Vec3};

/// Where the axes of a frame point.
#[derive(Clone, Copy)]
pub(super) struct Axes([Vector<One<f64>>; 3]);

impl Axes {
    /// Of a unit quaternion.
    #[inline(always)]
    pub(super) fn of(q: &Quat) -> Self {
        Self(carry::axes(DOUBLE, [q.i, q.j, q.k, q.w]))
    }

    /// A vector that has these coordinates along the axes.
    #[inline(always)]
    pub(super) fn turned(&self, v: &Vec3) -> Vec3 {
        carry::turned(DOUBLE, &self.0, (*v).into()).into()
    }

    /// The point of these coordinates, of a frame that stands at a place.
    #[inline(always)]
    pub(super) fn carried(&self, at: &Vec3, point: &Vec3) -> Vec3 {
        carry::carried(DOUBLE, &self.0, (*at).into(), (*point).into()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::{RigidCoord, rotate};
    use sim_core::testing::Random;

    #[test]
    fn frames_carry_points_with_the_bits_of_rotations() {
        let mut random = Random::new(11);
        let frames = random.moved(&[RigidCoord::default(); 50], 1.0);
        for RigidCoord { center, orientation } in &frames {
            let (axes, p) = (Axes::of(orientation), random.vec3());
            assert_eq!(axes.turned(&p), rotate(orientation, &p));
            assert_eq!(axes.carried(center, &p), center + rotate(orientation, &p));
        }
    }
}
