//! Projective constraints: projections of velocities, forces and positions of one state.

use super::MechanicalParams;
use crate::math::{Deriv, StateType};

/// A projective constraint.
pub trait ProjectiveConstraint: Send + Sync + 'static {
    /// The degrees of freedom it acts on.
    type State: StateType;
    /// Numbers that hold for the whole component.
    type Constants: Copy + Send + Sync + 'static;
    /// Data per constrained point, which only projections of positions change.
    type Element: Copy + Send + Sync + 'static;
    /// SOFA's class name.
    const NAME: &'static str;
    /// Whether time alone may move what it holds, so that a state at rest does not stay there.
    const MOVES_BY_TIME: bool = false;
    /// Whether the Jacobians of Lagrangian constraints lose [`Self::projected_columns`] at a time [s]; none: at all times.
    const PROJECTS_COLUMNS: Option<AtTime<Self>> = None;

    /// Projects a force, a residual or a displacement.
    fn project_response(c: &Self::Constants, at: ProjectResponse<'_, Self>);

    /// Projects velocities at the end of a step.
    fn project_velocity(c: &Self::Constants, at: ProjectVelocity<'_, Self>) {
        let _ = (c, at);
    }

    /// Projects positions at the end of a step.
    fn project_position(c: &Self::Constants, at: ProjectPosition<'_, Self>) {
        let _ = (c, at);
    }

    /// Degrees of freedom whose rows and columns an assembled matrix clears, with 1 on the diagonal.
    fn fixed_dofs(c: &Self::Constants, elements: &[Self::Element], n_dofs: usize) -> Vec<u32>;

    /// The same by scalar (three to a Vec3, six to a Rigid3), for constraints that fix single directions: what an
    /// assembled matrix asks for.
    fn fixed_scalars(c: &Self::Constants, elements: &[Self::Element], n_dofs: usize) -> Vec<u32> {
        all_scalars::<Self>(Self::fixed_dofs(c, elements, n_dofs).into_iter())
    }

    /// Scalars whose columns the Jacobians of Lagrangian constraints lose: what multipliers do not move. Where nothing else is said, those
    /// of an assembled matrix.
    fn projected_columns(c: &Self::Constants, elements: &[Self::Element], n_dofs: usize) -> Vec<u32> {
        Self::fixed_scalars(c, elements, n_dofs)
    }
}

/// Something that a constraint does at some times [s] only.
pub type AtTime<P> =
    fn(&<P as ProjectiveConstraint>::Constants, &[<P as ProjectiveConstraint>::Element], f64) -> bool;

/// All scalars of some degrees of freedom.
pub fn all_scalars<P: ProjectiveConstraint + ?Sized>(dofs: impl Iterator<Item = u32>) -> Vec<u32> {
    let size = DerivOf::<P>::SIZE as u32;
    dofs.flat_map(|dof| (0..size).map(move |k| size * dof + k)).collect()
}

/// What [`ProjectiveConstraint::project_response`] is given.
pub struct ProjectResponse<'a, P: ProjectiveConstraint + ?Sized> {
    /// Time and time step.
    pub params: MechanicalParams,
    /// Data per constrained point.
    pub elements: &'a [P::Element],
    /// Forces, residuals or displacements to project.
    pub d: &'a mut [DerivOf<P>],
}

/// What [`ProjectiveConstraint::project_velocity`] is given.
pub struct ProjectVelocity<'a, P: ProjectiveConstraint + ?Sized> {
    /// Time and time step.
    pub params: MechanicalParams,
    /// Data per constrained point.
    pub elements: &'a [P::Element],
    /// Velocities to project [m/s].
    pub v: &'a mut [DerivOf<P>],
}

/// What [`ProjectiveConstraint::project_position`] is given.
pub struct ProjectPosition<'a, P: ProjectiveConstraint + ?Sized> {
    /// Time and time step.
    pub params: MechanicalParams,
    /// Data per constrained point. What a projection leaves here, later ones find: those of later steps, and those of the same step where
    /// an integrator projects several times, each at the time at which the step begins.
    pub elements: &'a mut [P::Element],
    /// Positions to project [m].
    pub x: &'a mut [CoordOf<P>],
}

/// Positions of a constraint's state.
pub type CoordOf<P> = <<P as ProjectiveConstraint>::State as StateType>::Coord;
/// Velocities, forces and displacements of a constraint's state.
pub type DerivOf<P> = <<P as ProjectiveConstraint>::State as StateType>::Deriv;

/// A projective constraint as its constructor leaves it.
pub struct ProjectiveConstraintParts<P: ProjectiveConstraint> {
    /// Numbers for the whole component.
    pub constants: P::Constants,
    /// Data per constrained point, before the projection at init.
    pub elements: Vec<P::Element>,
    /// Whether `project_velocity` does anything.
    pub projects_velocity: bool,
    /// Whether `project_position` does anything.
    pub projects_position: bool,
    /// When it stops acting.
    pub end: EndTime,
}

/// When a projective constraint stops projecting (attribute `endTime`): never where the time is negative.
///
/// **Source:** as SOFA's: at that time it does so no more, and columns of Jacobians stay. The rows that it clears in an assembled matrix stay
/// cleared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndTime(pub f64);

impl EndTime {
    /// Never.
    pub const NEVER: Self = Self(-1.0);

    /// Whether the constraint still projects at a time.
    pub fn is_after(self, time: f64) -> bool {
        self.0 < 0.0 || self.0 > time
    }
}

impl<P: ProjectiveConstraint> ProjectiveConstraintParts<P> {
    /// A constraint that projects responses only.
    pub fn new(constants: P::Constants, elements: Vec<P::Element>) -> Self {
        Self { constants, elements, projects_velocity: false, projects_position: false, end: EndTime::NEVER }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constraint_ends_at_its_time() {
        assert!(EndTime::NEVER.is_after(1e9));
        assert_eq!([0.0, 0.5, 1.0].map(|t| EndTime(0.5).is_after(t)), [true, false, false]);
        assert!(!EndTime(0.0).is_after(0.0), "it does nothing at all");
    }
}
