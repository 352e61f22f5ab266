//! Projective constraints, evaluated directly.

use super::{coords, derivs, put_coords, put_derivs};
use crate::component::MechanicalParams;
use crate::component::projective_constraint::{
    EndTime, ProjectPosition, ProjectResponse, ProjectVelocity, ProjectiveConstraint,
};
use crate::component::projective_constraint_between::{CoordOf, PairOf, ProjectiveConstraintBetween};

/// A projective constraint on flat vectors of its state.
pub trait DirectConstraint: Send {
    /// Projects a force, residual or displacement.
    fn project_response(&self, params: &MechanicalParams, d: &mut [f64]);
    /// The scalars whose rows and columns an assembled matrix clears, of a state with so many degrees of freedom.
    fn fixed_scalars(&self, n_dofs: usize) -> Vec<u32>;
    /// The scalars whose columns the Jacobians of Lagrangian constraints lose in a step.
    fn projected_columns(&self, params: &MechanicalParams, n_dofs: usize) -> Vec<u32>;
    /// Projects velocities, where the component says that it does.
    fn project_velocity(&self, params: &MechanicalParams, v: &mut [f64]);
    /// Projects positions, where the component says that it does.
    fn project_position(&mut self, params: &MechanicalParams, x: &mut [f64]);
}

struct Direct<P: ProjectiveConstraint> {
    constants: P::Constants,
    end: EndTime,
    elements: Vec<P::Element>,
    projects_velocity: bool,
    projects_position: bool,
}

impl<P: ProjectiveConstraint> DirectConstraint for Direct<P> {
    fn project_response(&self, params: &MechanicalParams, d: &mut [f64]) {
        if !self.end.is_after(params.time) {
            return;
        }
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

    fn projected_columns(&self, params: &MechanicalParams, n_dofs: usize) -> Vec<u32> {
        let (c, time) = (&self.constants, params.time);
        let projects = P::PROJECTS_COLUMNS.is_none_or(|projects| projects(c, &self.elements, time));
        if self.end.is_after(time) && projects {
            P::projected_columns(c, &self.elements, n_dofs)
        } else {
            Vec::new()
        }
    }

    fn project_velocity(&self, params: &MechanicalParams, v: &mut [f64]) {
        if self.projects_velocity && self.end.is_after(params.time) {
            let mut typed = derivs::<P::State>(v);
            P::project_velocity(
                &self.constants,
                ProjectVelocity { params: *params, elements: &self.elements, v: &mut typed },
            );
            put_derivs::<P::State>(&typed, v);
        }
    }

    fn project_position(&mut self, params: &MechanicalParams, x: &mut [f64]) {
        if self.projects_position && self.end.is_after(params.time) {
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
    (constants, end): (P::Constants, EndTime),
    elements: &[P::Element],
    [projects_velocity, projects_position]: [bool; 2],
) -> Box<dyn DirectConstraint> {
    let elements = elements.to_vec();
    Box::new(Direct::<P> { constants, end, elements, projects_velocity, projects_position })
}

/// A constraint between points of one state.
struct DirectBetween<P: ProjectiveConstraintBetween> {
    constants: P::Constants,
    end_time: EndTime,
    pairs: Vec<P::Element>,
    end: usize,
    /// Whether both ends are on one state.
    within: bool,
}

/// Does it to all pairs, for both ends at the first; what is between two states has no value here, and shows it.
fn project_flat((within, end, acts): (bool, usize, bool), flat: &mut [f64], f: impl FnOnce(&mut [f64])) {
    match (within, end) {
        _ if !acts => {}
        (true, 0) => f(flat),
        (true, _) => {}
        (false, _) => flat.fill(f64::NAN),
    }
}

impl<P: ProjectiveConstraintBetween> DirectConstraint for DirectBetween<P> {
    fn project_response(&self, params: &MechanicalParams, d: &mut [f64]) {
        project_flat((self.within, self.end, self.end_time.is_after(params.time)), d, |d| {
            let mut typed = derivs::<P::State>(d);
            both_ends::<P, _>(&self.pairs, *params, &mut typed, |at, a, b| {
                P::project_response(&self.constants, at, a, b)
            });
            put_derivs::<P::State>(&typed, d);
        });
    }

    fn fixed_scalars(&self, n_dofs: usize) -> Vec<u32> {
        P::cleared(&self.constants, &self.pairs, self.end, n_dofs)
    }

    fn projected_columns(&self, _: &MechanicalParams, _: usize) -> Vec<u32> {
        Vec::new()
    }

    fn project_velocity(&self, params: &MechanicalParams, v: &mut [f64]) {
        project_flat((self.within, self.end, self.end_time.is_after(params.time)), v, |v| {
            let mut typed = derivs::<P::State>(v);
            both_ends::<P, _>(&self.pairs, *params, &mut typed, |at, a, b| {
                P::project_velocity(&self.constants, at, a, b)
            });
            put_derivs::<P::State>(&typed, v);
        });
    }

    fn project_position(&mut self, params: &MechanicalParams, x: &mut [f64]) {
        let acts = self.end_time.is_after(params.time);
        let Self { constants, pairs, end, within, .. } = self;
        project_flat((*within, *end, acts), x, |x| {
            let mut typed = coords::<P::State>(x);
            update_pairs::<P>(constants, pairs, &typed);
            both_ends::<P, _>(pairs, *params, &mut typed, |at, a, b| {
                P::project_position(constants, at, a, b)
            });
            put_coords::<P::State>(&typed, x);
        });
    }
}

/// The evaluator of one end of a constraint; `within` where both are on one state, otherwise its results are not numbers.
pub(in crate::visitor) fn direct_constraint_between<P: ProjectiveConstraintBetween>(
    (constants, end_time): (P::Constants, EndTime),
    pairs: &[P::Element],
    end: usize,
    within: bool,
) -> Box<dyn DirectConstraint> {
    Box::new(DirectBetween::<P> { constants, end_time, pairs: pairs.to_vec(), end, within })
}

/// Projects both points of each pair on one state.
pub(crate) fn both_ends<P: ProjectiveConstraintBetween, T: Copy>(
    pairs: &[P::Element],
    params: MechanicalParams,
    own: &mut [T],
    f: impl Fn(PairOf<'_, P>, T, T) -> T,
) {
    for element in pairs {
        let [i, j] = P::points(element).map(|p| p as usize);
        let (a, b) = (own[i], own[j]);
        own[i] = f(PairOf { params, element, end: 0 }, a, b);
        own[j] = f(PairOf { params, element, end: 1 }, b, a);
    }
}

/// Lets a constraint on one state find what its pairs are for these positions.
pub(crate) fn update_pairs<P: ProjectiveConstraintBetween>(
    c: &P::Constants,
    pairs: &mut [P::Element],
    x: &[CoordOf<P>],
) {
    P::update(c, pairs, |_, [i, j]| [x[i as usize], x[j as usize]]);
}
