//! How frames are held to frames.

use std::marker::PhantomData;

use sim_core::math::{Quat, Rigid2Coord, RigidCoord};
use sim_core::prelude::*;

use super::DESCRIPTION;
use super::pairs::{self, Acts, Attachment, Pair};

/// Frames held to frames.
///
/// **Source:** as SOFA's: the second frame of a pair stands where the first does, and moves as it. One way, it gets no displacement;
/// two ways, both get the sum. No factor counts. An assembled matrix clears rows where the attachment is one way: those that the second
/// frames' numbers have in the first state. Rotations that are free are left out of all of this.
pub struct AttachFrames<S>(PhantomData<S>);

/// Frames whose place and orientation can be set by themselves.
pub trait Frame: Coord {
    /// This frame with its center at that of another.
    fn centered(&self, at: &Self) -> Self;
    /// The frame at a place, in as many dimensions as it has.
    fn placed(&self, at: Vec3) -> Self;
    /// This frame turned by a rotation in its own axes; frames in a plane are not.
    fn turned(&self, by: &Quat) -> Self;
}

impl Frame for RigidCoord {
    fn centered(&self, at: &Self) -> Self {
        Self { center: at.center, ..*self }
    }
    fn placed(&self, at: Vec3) -> Self {
        Self { center: at, ..*self }
    }
    fn turned(&self, by: &Quat) -> Self {
        Self { orientation: self.orientation * by, ..*self }
    }
}

impl Frame for Rigid2Coord {
    fn centered(&self, at: &Self) -> Self {
        Self { center: at.center, ..*self }
    }
    fn placed(&self, at: Vec3) -> Self {
        Self { center: at.xy(), ..*self }
    }
    fn turned(&self, _: &Quat) -> Self {
        *self
    }
}

/// A vector with the translation of another.
fn with_translation<D: Deriv>(own: D, of: D) -> D {
    let mut both = own;
    both.add_translation(&(of.translation() - own.translation()));
    both
}

impl<S: StateType> ProjectiveConstraintBetween for AttachFrames<S>
where
    S::Coord: Frame,
{
    type State = S;
    type Constants = Attachment;
    type Element = Pair;
    const NAME: &'static str = DESCRIPTION.class;

    fn points(pair: &Pair) -> [u32; 2] {
        pair.points
    }

    fn update(c: &Attachment, pairs: &mut [Pair], at: impl Fn(usize, [u32; 2]) -> [S::Coord; 2]) {
        let apart = |second: &S::Coord, first: &S::Coord| (second.center() - first.center()).norm();
        pairs::update(c, pairs, at, apart, |first, last| first.placed(last));
    }

    fn project_response(c: &Attachment, at: PairOf<'_, Self>, own: S::Deriv, other: S::Deriv) -> S::Deriv {
        let projected = match (at.element.acts(c), c.two_way, at.end) {
            (Acts::Attached, true, _) => own + other,
            (Acts::Attached, false, 1) | (Acts::Clamped, _, 1) => S::Deriv::zero(),
            _ => return own,
        };
        if at.element.free_rotation { with_translation(own, projected) } else { projected }
    }

    fn project_velocity(c: &Attachment, at: PairOf<'_, Self>, own: S::Deriv, other: S::Deriv) -> S::Deriv {
        let projected = match (at.element.acts(c), at.end) {
            (Acts::Attached, 1) => other,
            (Acts::Clamped, 1) => S::Deriv::zero(),
            _ => return own,
        };
        if at.element.free_rotation { with_translation(own, projected) } else { projected }
    }

    fn project_position(c: &Attachment, at: PairOf<'_, Self>, own: S::Coord, other: S::Coord) -> S::Coord {
        let goal = match (at.element.acts(c), at.end, c.last) {
            (Acts::Attached, 1, _) => other,
            (Acts::Clamped, 1, Some((last, _))) => other.placed(last),
            _ => return own,
        };
        if at.element.free_rotation { own.centered(&goal) } else { goal.turned(&at.element.turned) }
    }

    fn cleared(c: &Attachment, pairs: &[Pair], end: usize, n_dofs: usize) -> Vec<u32> {
        let linear = if S::Deriv::SIZE == 6 { 3 } else { 2 };
        if end == 0 { pairs::cleared::<S::Deriv>(c, pairs, n_dofs, linear) } else { Vec::new() }
    }
}
