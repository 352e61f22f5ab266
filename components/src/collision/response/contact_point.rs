//! A contact as the response keeps it: where it acts on the two collision states, and its spring.

use super::turning::Turning;
use sim_core::math::{Rigid3Type, RigidCoord, RigidDeriv, StateType, Vec3, Vec3Type, rotate};

/// How a contact's end hangs on the degrees of freedom of its collision model's state.
///
/// On points: up to four of them with weights. On rigid frames: one frame, and the place of the end in it [m] as the first
/// three weights.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Anchor {
    /// Weights, or a place in a frame.
    pub weights: [f64; 4],
    /// Degrees of freedom.
    pub indices: [u32; 4],
}

impl Anchor {
    /// One point as it is.
    pub fn point(i: u32) -> Self {
        Self { weights: [1.0, 0.0, 0.0, 0.0], indices: [i, 0, 0, 0] }
    }

    /// A place in a rigid frame.
    pub fn in_frame(frame: u32, place: Vec3) -> Self {
        Self { weights: [place.x, place.y, place.z, 0.0], indices: [frame, 0, 0, 0] }
    }

    /// The first, second and last point of a triangle or quadrangle, which tell how it turns.
    #[inline]
    fn corners(&self, n: u32) -> Option<[u32; 3]> {
        (n >= 3).then(|| [self.indices[0], self.indices[1], self.indices[n.min(4) as usize - 1]])
    }

    /// From the center of its frame to the end, in world axes.
    fn arm(&self, x: &[RigidCoord]) -> Vec3 {
        let place = Vec3::new(self.weights[0], self.weights[1], self.weights[2]);
        rotate(&x[self.indices[0] as usize].orientation, &place)
    }
}

/// One contact: its two ends, and a spring between them that only pushes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// End on the first model.
    pub a: Anchor,
    /// End on the second model.
    pub b: Anchor,
    /// Unit vector from the first to the second model, frozen for the step.
    pub normal: Vec3,
    /// Distance along the normal below which it pushes [m].
    pub distance: f64,
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Number of indices of the first end.
    pub n_a: u32,
    /// Number of indices of the second end.
    pub n_b: u32,
}

/// A kind of state that contacts can hang on.
pub trait Anchored: StateType {
    /// Whether an end turns with what it hangs on, so that its place is no linear function of the state.
    const TURNS: bool;
    /// The place of an end [m].
    fn place(end: &Anchor, n: u32, x: &[Self::Coord]) -> Vec3;
    /// The motion of an end: velocity or displacement.
    fn motion(end: &Anchor, n: u32, x: &[Self::Coord], dx: &[Self::Deriv]) -> Vec3;
    /// Adds a force at an end to the degrees of freedom that carry it: the adjoint of `motion`.
    fn push(end: &Anchor, n: u32, x: &[Self::Coord], force: Vec3, add: &mut impl FnMut(u32, Self::Deriv));
    /// How an end turns about two axes; none where nothing tells, as of points and lines.
    fn turning(end: &Anchor, n: u32, x: &[Self::Coord], axes: [Vec3; 2]) -> Option<Turning>;
    /// How fast it turns about each [rad/s].
    fn turned_by(end: &Anchor, n: u32, turning: &Turning, v: &[Self::Deriv]) -> [f64; 2];
    /// Adds moments about each to the degrees of freedom that carry the end: the adjoint of `turned_by`.
    fn twist(
        end: &Anchor,
        n: u32,
        turning: &Turning,
        moments: [f64; 2],
        add: &mut impl FnMut(u32, Self::Deriv),
    );
}

impl Anchored for Vec3Type {
    const TURNS: bool = false;
    #[inline]
    fn place(end: &Anchor, n: u32, x: &[Vec3]) -> Vec3 {
        let mut at = x[end.indices[0] as usize] * end.weights[0];
        for k in 1..n.min(4) as usize {
            at += x[end.indices[k] as usize] * end.weights[k];
        }
        at
    }
    #[inline]
    fn motion(end: &Anchor, n: u32, _: &[Vec3], dx: &[Vec3]) -> Vec3 {
        Self::place(end, n, dx)
    }
    #[inline]
    fn push(end: &Anchor, n: u32, _: &[Vec3], force: Vec3, add: &mut impl FnMut(u32, Vec3)) {
        for k in 0..n.min(4) as usize {
            add(end.indices[k], force * end.weights[k]);
        }
    }
    fn turning(end: &Anchor, n: u32, x: &[Vec3], axes: [Vec3; 2]) -> Option<Turning> {
        Turning::of_triangle(end.corners(n)?.map(|i| x[i as usize]), axes)
    }
    #[inline]
    fn turned_by(end: &Anchor, n: u32, turning: &Turning, v: &[Vec3]) -> [f64; 2] {
        end.corners(n).map_or([0.0; 2], |points| turning.of_points(points.map(|i| v[i as usize])))
    }
    #[inline]
    fn twist(end: &Anchor, n: u32, turning: &Turning, moments: [f64; 2], add: &mut impl FnMut(u32, Vec3)) {
        let Some(points) = end.corners(n) else { return };
        for (i, f) in points.into_iter().zip(turning.forces(moments)) {
            add(i, f);
        }
    }
}

impl Anchored for Rigid3Type {
    const TURNS: bool = true;
    #[inline]
    fn place(end: &Anchor, _: u32, x: &[RigidCoord]) -> Vec3 {
        x[end.indices[0] as usize].center + end.arm(x)
    }
    #[inline]
    fn motion(end: &Anchor, _: u32, x: &[RigidCoord], dx: &[RigidDeriv]) -> Vec3 {
        let d = &dx[end.indices[0] as usize];
        d.linear + d.angular.cross(&end.arm(x))
    }
    #[inline]
    fn push(end: &Anchor, _: u32, x: &[RigidCoord], force: Vec3, add: &mut impl FnMut(u32, RigidDeriv)) {
        add(end.indices[0], RigidDeriv { linear: force, angular: end.arm(x).cross(&force) });
    }
    fn turning(_: &Anchor, _: u32, _: &[RigidCoord], axes: [Vec3; 2]) -> Option<Turning> {
        Some(Turning::of_frame(axes))
    }
    #[inline]
    fn turned_by(end: &Anchor, _: u32, turning: &Turning, v: &[RigidDeriv]) -> [f64; 2] {
        turning.of_rotation(&v[end.indices[0] as usize].angular)
    }
    #[inline]
    fn twist(
        end: &Anchor,
        _: u32,
        turning: &Turning,
        moments: [f64; 2],
        add: &mut impl FnMut(u32, RigidDeriv),
    ) {
        add(end.indices[0], RigidDeriv { linear: Vec3::zeros(), angular: turning.moment(moments) });
    }
}
