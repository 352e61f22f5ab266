//! Projective constraints that join points of two states under one solver.

use super::MechanicalParams;
use crate::math::StateType;

/// A projective constraint between two states.
///
/// It acts on pairs of points, one after the other; a point may be in several. What becomes of a point follows from both of the pair as
/// they were before.
pub trait ProjectiveConstraintBetween: Send + Sync + 'static {
    /// The type of both states.
    type State: StateType;
    /// Numbers that hold for the whole component.
    type Constants: Copy + Send + Sync + 'static;
    /// Constant data per pair of points.
    type Element: Copy + Send + Sync + 'static;
    /// SOFA's class name.
    const NAME: &'static str;

    /// The points of a pair: of the first state, of the second.
    fn points(element: &Self::Element) -> [u32; 2];

    /// A force, residual or displacement of the point at `end` (0 or 1), projected.
    fn project_response(
        c: &Self::Constants,
        at: PairOf<'_, Self>,
        own: DerivOf<Self>,
        other: DerivOf<Self>,
    ) -> DerivOf<Self>;

    /// Its velocity at the end of a step [m/s].
    fn project_velocity(
        c: &Self::Constants,
        at: PairOf<'_, Self>,
        own: DerivOf<Self>,
        other: DerivOf<Self>,
    ) -> DerivOf<Self>;

    /// Its position at the end of a step [m].
    fn project_position(
        c: &Self::Constants,
        at: PairOf<'_, Self>,
        own: CoordOf<Self>,
        other: CoordOf<Self>,
    ) -> CoordOf<Self>;

    /// Finds what the data of pairs are for positions, before these are projected; `at` has those of the points of a pair with a number.
    fn update(
        _c: &Self::Constants,
        _elements: &mut [Self::Element],
        _at: impl Fn(usize, [u32; 2]) -> [CoordOf<Self>; 2],
    ) {
    }

    /// Scalars of the state at an end, which has so many points, whose rows and columns an assembled matrix clears, with 1 on the diagonal.
    ///
    /// **Source:** as in SOFA, the Jacobians of Lagrangian constraints lose none of their columns.
    fn cleared(c: &Self::Constants, elements: &[Self::Element], end: usize, n_dofs: usize) -> Vec<u32>;
}

/// A pair of points, and at which of them something is projected.
pub struct PairOf<'a, P: ProjectiveConstraintBetween + ?Sized> {
    /// Time and time step.
    pub params: MechanicalParams,
    /// Constant data of the pair.
    pub element: &'a P::Element,
    /// The end that is projected: 0 for the first state's point, 1 for the second's.
    pub end: usize,
}

/// Positions of a constraint's states.
pub type CoordOf<P> = <<P as ProjectiveConstraintBetween>::State as StateType>::Coord;
/// Velocities, forces and displacements of a constraint's states.
pub type DerivOf<P> = <<P as ProjectiveConstraintBetween>::State as StateType>::Deriv;
