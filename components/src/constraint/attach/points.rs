//! How points are held to points.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::DESCRIPTION;
use super::pairs::{self, Acts, Attachment, Pair};

/// Points held to points.
///
/// **Source:** as SOFA's. One way, the second point of a pair gets no displacement; two ways, both get the mean. After the solve the
/// second point moves half of the way to the first, which stays where it is, and both get the mean of their velocities: with one way,
/// too. Positions and velocities are drawn together by `positionFactor` and `velocityFactor`, displacements by `responseFactor`, each
/// times the pair's `constraintFactor`. An assembled matrix clears rows where the attachment is one way: those that the second points'
/// numbers have in the first state. Which pairs act is found where positions are projected.
pub struct AttachPoints<S>(PhantomData<S>);

/// A vector of a point, and how it is drawn to another: half of the way, times a factor.
fn drawn<D: Deriv>(own: D, other: D, factor: Real) -> D {
    // The same bits at both ends: an iterative solver never loses what a projection that rounds its ends apart leaves between them.
    if factor == 1.0 {
        return (own + other) * 0.5;
    }
    own + (other - own) * (0.5 * factor)
}

impl<S: StateType> ProjectiveConstraintBetween for AttachPoints<S>
where
    S::Coord: Apart<S::Deriv>,
{
    type State = S;
    type Constants = Attachment;
    type Element = Pair;
    const NAME: &'static str = DESCRIPTION.class;

    fn points(pair: &Pair) -> [u32; 2] {
        pair.points
    }

    fn update(c: &Attachment, pairs: &mut [Pair], at: impl Fn(usize, [u32; 2]) -> [S::Coord; 2]) {
        let size = |d: S::Deriv| (0..S::Deriv::SIZE).map(|k| d.scalar(k).powi(2)).sum::<Real>().sqrt();
        pairs::update(c, pairs, at, |second, first| size(second.apart(first)), |_, last| S::Coord::at(last));
    }

    fn project_response(c: &Attachment, at: PairOf<'_, Self>, own: S::Deriv, other: S::Deriv) -> S::Deriv {
        match (at.element.acts(c), c.two_way, at.end) {
            (Acts::Attached, true, _) => drawn(own, other, c.response * at.element.factor),
            (Acts::Attached, false, 1) | (Acts::Clamped, _, 1) => S::Deriv::zero(),
            _ => own,
        }
    }

    fn project_velocity(c: &Attachment, at: PairOf<'_, Self>, own: S::Deriv, other: S::Deriv) -> S::Deriv {
        let factor = c.velocity * at.element.factor;
        match (at.element.acts(c), at.end) {
            (Acts::Attached, _) => drawn(own, other, factor),
            (Acts::Clamped, 1) => drawn(own, S::Deriv::zero(), factor),
            _ => own,
        }
    }

    fn project_position(c: &Attachment, at: PairOf<'_, Self>, own: S::Coord, other: S::Coord) -> S::Coord {
        let goal = match (at.element.acts(c), c.last) {
            (Acts::Attached, _) => other,
            (Acts::Clamped, Some((last, _))) => S::Coord::at(last),
            _ => own,
        };
        if at.end == 0 {
            own
        } else {
            own.moved(&(goal.apart(&own) * (0.5 * c.position * at.element.factor)))
        }
    }

    fn cleared(c: &Attachment, pairs: &[Pair], end: usize, n_dofs: usize) -> Vec<u32> {
        if end == 0 { pairs::cleared::<S::Deriv>(c, pairs, n_dofs, S::Deriv::SIZE) } else { Vec::new() }
    }
}

/// Points that have a difference.
pub trait Apart<D> {
    /// From another point to this one.
    fn apart(&self, from: &Self) -> D;
}

macro_rules! apart {
    ($($Point:ty),*) => {$(
        impl Apart<$Point> for $Point {
            fn apart(&self, from: &Self) -> $Point {
                self - from
            }
        }
    )*};
}
apart!(Vec3, sim_core::math::Vec2, sim_core::math::Vec1);
