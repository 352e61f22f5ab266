//! A spring that pulls a point or a frame to a target.

use sim_core::math::Mat3;
use sim_core::prelude::*;

/// Which of the scalars of a velocity are pulled.
pub type Active = [bool; 6];

/// A point that is pulled.
#[derive(Clone, Copy, Debug)]
pub struct RestSpring<S: StateType> {
    pub(super) point: u32,
    pub(super) target: S::Coord,
    /// Stiffness of the translation [N/m] and of the rotation [N m/rad].
    pub(super) stiffness: [Real; 2],
    /// What SOFA's assembled matrix takes for them.
    pub(super) assembled: [Real; 2],
}

/// Springs of one stiffness that hold these points where they are `at`: a stiffness [N/m] and one of rotation [N m/rad].
pub(super) fn held_springs<S: StateType>(
    points: &[u32],
    at: &[S::Coord],
    stiffness: [Real; 2],
) -> Vec<RestSpring<S>> {
    let spring = |point: &u32| {
        let target = at.get(*point as usize).copied().unwrap_or_default();
        RestSpring { point: *point, target, stiffness, assembled: stiffness }
    };
    points.iter().map(spring).collect()
}

impl<S: StateType> RestSpring<S> {
    /// The force on a point at x, by its translation and by its rotation.
    pub(super) fn forces(&self, active: &Active, x: &S::Coord) -> [S::Deriv; 2] {
        let [linear, angular] = self.away(active, x);
        [-(linear * self.stiffness[0]), -(angular * self.stiffness[1])]
    }

    /// How these forces change with a displacement, times a factor.
    pub(super) fn changes(&self, active: &Active, dx: &S::Deriv, k_factor: Real) -> [S::Deriv; 2] {
        let mut linear = S::Deriv::zero();
        linear.add_translation(&dx.translation());
        let angular = if S::IS_FRAME { *dx - linear } else { S::Deriv::zero() };
        let [linear, angular] = [masked(active, linear), masked(active, angular)];
        [-(linear * (self.stiffness[0] * k_factor)), -(angular * (self.stiffness[1] * k_factor))]
    }

    /// The diagonal blocks of the matrix, each with its place among those of the state.
    pub(super) fn blocks(&self, active: &Active, k_factor: Real, mut add: impl FnMut(u32, Mat3)) {
        let blocks = S::Deriv::BLOCKS as u32;
        for k in 0..blocks {
            let turns = S::IS_FRAME && k == 1;
            let factor = -self.assembled[usize::from(turns)] * k_factor;
            let mut block = S::Deriv::identity_block(k as usize) * factor;
            for (axis, active) in active[3..].iter().enumerate().filter(|_| turns) {
                block[(axis, axis)] = if *active { factor } else { 0.0 };
            }
            add(self.point * blocks + k, block);
        }
    }

    /// Potential energy of a point at x [J].
    pub(super) fn energy(&self, active: &Active, x: &S::Coord) -> Real {
        let away = self.away(active, x);
        let of = |k: usize| 0.5 * self.stiffness[k] * away[k].inner(&away[k]);
        of(0) + of(1)
    }

    /// From the target to the point: the translation, and the rotation vector, in directions that are pulled.
    fn away(&self, active: &Active, x: &S::Coord) -> [S::Deriv; 2] {
        let target = &self.target;
        let mut linear = S::Deriv::zero();
        linear.add_translation(&(x.position() - target.position()));
        let mut angular = S::Deriv::zero();
        if let (true, Some(q), Some(q0)) = (S::IS_FRAME, x.orientation(), target.orientation()) {
            angular.set_block(1, rotation_vector(&(q * q0.conjugate())));
        }
        [masked(active, linear), masked(active, angular)]
    }
}

fn masked<D: Deriv>(active: &Active, mut d: D) -> D {
    for (k, active) in active.iter().enumerate().take(D::SIZE) {
        if !active {
            *d.scalar_mut(k) = 0.0;
        }
    }
    d
}

/// The axis of a rotation times its angle, at most half a turn; 0 for the quaternion 0.
fn rotation_vector(q: &Quat) -> Vec3 {
    let q = if *q == Quat::default() { return Vec3::zeros() } else { q.normalize() };
    let q = if q.w < 0.0 { -q } else { q };
    let (v, sine) = (q.imag(), q.imag().norm());
    // Near the identity the arc cosine loses digits.
    let angle = if q.w > 0.999 { 2.0 * sine.min(1.0).asin() } else { 2.0 * q.w.acos() };
    if sine > 0.0 { v * (angle / sine) } else { Vec3::zeros() }
}
