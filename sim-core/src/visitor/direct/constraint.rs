//! Projective constraints, evaluated directly.

use super::{coords, derivs, put_coords, put_derivs};
use crate::component::MechanicalParams;
use crate::component::projective_constraint::{
    ProjectPosition, ProjectResponse, ProjectVelocity, ProjectiveConstraint,
};

/// A projective constraint on flat vectors of its state.
pub trait DirectConstraint: Send {
    /// Projects a force, residual or displacement.
    fn project_response(&self, params: &MechanicalParams, d: &mut [f64]);
    /// The scalars whose rows and columns an assembled matrix clears, of a state with so many degrees of freedom.
    fn fixed_scalars(&self, n_dofs: usize) -> Vec<u32>;
    /// Projects velocities, where the component says that it does.
    fn project_velocity(&self, params: &MechanicalParams, v: &mut [f64]);
    /// Projects positions, where the component says that it does.
    fn project_position(&mut self, params: &MechanicalParams, x: &mut [f64]);
}

struct Direct<P: ProjectiveConstraint> {
    constants: P::Constants,
    elements: Vec<P::Element>,
    projects_velocity: bool,
    projects_position: bool,
}

impl<P: ProjectiveConstraint> DirectConstraint for Direct<P> {
    fn project_response(&self, params: &MechanicalParams, d: &mut [f64]) {
        let mut typed = derivs::<P::State>(d);
        P::project_response(
            &self.constants,
            ProjectResponse { params: *params, elements: &self.elements, d: &mut typed },
        );
        put_derivs::<P::State>(&typed, d);
    }

    fn fixed_scalars(&self, n_dofs: usize) -> Vec<u32> {
        P::fixed_scalars(&self.constants, &self.elements, n_dofs)
    }

    fn project_velocity(&self, params: &MechanicalParams, v: &mut [f64]) {
        if self.projects_velocity {
            let mut typed = derivs::<P::State>(v);
            P::project_velocity(
                &self.constants,
                ProjectVelocity { params: *params, elements: &self.elements, v: &mut typed },
            );
            put_derivs::<P::State>(&typed, v);
        }
    }

    fn project_position(&mut self, params: &MechanicalParams, x: &mut [f64]) {
        if self.projects_position {
            let mut typed = coords::<P::State>(x);
            P::project_position(
                &self.constants,
                ProjectPosition { params: *params, elements: &mut self.elements, x: &mut typed },
            );
            put_coords::<P::State>(&typed, x);
        }
    }
}

/// The evaluator of a constraint with these arrays; what it projects besides responses: velocities, positions.
pub(in crate::visitor) fn direct_constraint<P: ProjectiveConstraint>(
    constants: P::Constants,
    elements: &[P::Element],
    [projects_velocity, projects_position]: [bool; 2],
) -> Box<dyn DirectConstraint> {
    let elements = elements.to_vec();
    Box::new(Direct::<P> { constants, elements, projects_velocity, projects_position })
}
