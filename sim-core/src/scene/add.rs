//! Putting mechanical components and solvers into a scene.

use super::ids::{ComponentId, StateId};
use super::parts::{OnPair, OnState};
use super::solvers::AtNode;
use super::tree::Scene;
use crate::component::MechanicalParams;
use crate::component::constraint_solver::{ConstraintCorrection, ConstraintSolver};
use crate::component::force_field::{ForceField, ForceFieldParts};
use crate::component::interaction_force_field::{InteractionForceField, InteractionForceFieldParts};
use crate::component::lagrangian_constraint::{LagrangianConstraint, LagrangianConstraintParts};
use crate::component::mapping::{Mapping, MappingParts};
use crate::component::mass::{Mass, MassParts};
use crate::component::mechanical_state::StateAccess as _;
use crate::component::projective_constraint::{
    EndTime, ProjectPosition, ProjectVelocity, ProjectiveConstraint, ProjectiveConstraintParts,
};
use crate::component::projective_constraint_between::{PairOf, ProjectiveConstraintBetween};
use crate::component::solver::{LinearSolver, OdeSolver};
use crate::visitor::constraint_end::erase_constraint_between;
use crate::visitor::constraint_node::erase_constraint;
use crate::visitor::force_field_node::erase_force_field;
use crate::visitor::interaction_node::erase_interaction;
use crate::visitor::lagrangian_node::erase_lagrangian;
use crate::visitor::mapping_node::erase_mapping;
use crate::visitor::mass_node::erase_mass;
use crate::visitor::vectors::VectorsAccess;

impl Scene {
    /// Puts a force field on a state.
    pub fn add_force_field<F: ForceField>(
        &mut self,
        component: ComponentId,
        state: StateId,
        parts: ForceFieldParts<F>,
    ) where
        F::State: VectorsAccess,
    {
        self.parts.force_fields.push(OnState { component, state, node: erase_force_field(parts) });
    }

    /// Puts a force field between two states.
    pub fn add_interaction_force_field<F: InteractionForceField>(
        &mut self,
        component: ComponentId,
        first: StateId,
        second: StateId,
        parts: InteractionForceFieldParts<F>,
    ) where
        F::State1: VectorsAccess,
        F::State2: VectorsAccess,
    {
        self.parts.interactions.push(OnPair { component, first, second, node: erase_interaction(parts) });
    }

    /// Puts a mass on a state.
    pub fn add_mass<M: Mass>(&mut self, component: ComponentId, state: StateId, parts: MassParts<M>)
    where
        M::State: VectorsAccess,
    {
        self.parts.masses.push(OnState { component, state, node: erase_mass(parts) });
    }

    /// What each point of a state weighs by the masses that were put on it so far [kg]; nothing where there is none.
    pub fn point_masses(&self, state: StateId) -> Vec<f64> {
        let n = self.initial(state).len();
        let of_state = self.parts.masses.iter().filter(|m| m.state == state);
        let mut sum = Vec::new();
        for masses in of_state.map(|m| m.node.point_masses(n)) {
            sum.resize(n.min(masses.len()).max(sum.len()), 0.0);
            sum.iter_mut().zip(masses).for_each(|(sum, m)| *sum += m);
        }
        sum
    }

    /// Puts a projective constraint on a state, whose initial vectors it projects at once.
    ///
    /// **Source:** SOFA projects positions, then velocities, once before the first step, with the time at the beginning.
    pub fn add_projective_constraint<P: ProjectiveConstraint>(
        &mut self,
        component: ComponentId,
        state: StateId,
        mut parts: ProjectiveConstraintParts<P>,
    ) where
        P::State: VectorsAccess,
    {
        let params = MechanicalParams { dt: self.dt, time: self.time };
        if parts.projects_position || parts.projects_velocity {
            self.keep_unprojected(component, state);
        }
        if let Some(initial) = P::State::of_mut(self.initial_mut(state)) {
            let (c, elements) = (&parts.constants, &mut parts.elements[..]);
            let acts = parts.end.is_after(params.time);
            if acts && parts.projects_position {
                P::project_position(
                    c,
                    ProjectPosition { params, elements: &mut *elements, x: &mut initial.position },
                );
            }
            if acts && parts.projects_velocity {
                P::project_velocity(c, ProjectVelocity { params, elements, v: &mut initial.velocity });
            }
        }
        self.parts.constraints.push(OnState { component, state, node: erase_constraint(parts) });
    }

    /// Puts a projective constraint between points of two states, whose initial vectors it projects at once; both may be the same.
    pub fn add_projective_constraint_between<P: ProjectiveConstraintBetween>(
        &mut self,
        component: ComponentId,
        states: [StateId; 2],
        (constants, end_time): (P::Constants, EndTime),
        pairs: &[P::Element],
    ) where
        P::State: VectorsAccess,
    {
        let params = MechanicalParams { dt: self.dt, time: self.time };
        states.iter().for_each(|state| self.keep_unprojected(component, *state));
        let (mut ends, mut vectors) = ([0; 2], Vec::new());
        for (end, state) in states.iter().enumerate() {
            // One state that has both ends is projected once for both.
            ends[end] = if end == 1 && states[0] == states[1] { 0 } else { vectors.len() };
            if ends[end] == vectors.len()
                && let Some(initial) = P::State::of_mut(self.initial_mut(*state))
            {
                vectors.push((initial.position.clone(), initial.velocity.clone()));
            }
        }
        let mut pairs = pairs.to_vec();
        let acts = end_time.is_after(params.time);
        if acts {
            P::update(&constants, &mut pairs, |_, points| {
                [0, 1].map(|end| vectors[ends[end]].0[points[end] as usize])
            });
        }
        for element in pairs.iter().filter(|_| acts) {
            let points = P::points(element).map(|p| p as usize);
            let at = |end: usize| PairOf::<P> { params, element, end };
            let (x, v) = (
                [0, 1].map(|e| vectors[ends[e]].0[points[e]]),
                [0, 1].map(|e| vectors[ends[e]].1[points[e]]),
            );
            for end in 0..2 {
                let (own, other) = (end, 1 - end);
                let of_end = &mut vectors[ends[end]];
                of_end.0[points[end]] = P::project_position(&constants, at(end), x[own], x[other]);
                of_end.1[points[end]] = P::project_velocity(&constants, at(end), v[own], v[other]);
            }
        }
        for (end, state) in states.iter().enumerate() {
            if let Some(initial) = P::State::of_mut(self.initial_mut(*state)) {
                (initial.position, initial.velocity) = vectors[ends[end]].clone();
            }
        }
        for (state, node) in
            states.into_iter().zip(erase_constraint_between::<P>((constants, end_time), &pairs, states))
        {
            self.parts.constraints.push(OnState { component, state, node });
        }
    }

    /// Puts a mapping between two states: resizes the output, applies the mapping to the initial vectors. Nothing more where it sleeps
    /// for ever and its input does not: the output then stays where it is.
    pub fn add_mapping<M: Mapping>(
        &mut self,
        component: ComponentId,
        input: StateId,
        output: StateId,
        parts: MappingParts<M>,
    ) where
        M::Input: VectorsAccess,
        M::Output: VectorsAccess,
    {
        if M::PLACES {
            self.keep_unmapped(component, output);
        }
        let mut node = erase_mapping(parts);
        let from = self.initial(input).clone();
        node.apply_initial(&from, self.initial_mut(output));
        let rests = |c: ComponentId| self.node(self.component(c).node).rests;
        if rests(component) && !rests(self.component_of_state(input)) {
            return;
        }
        self.parts.mappings.push(OnPair { component, first: input, second: output, node });
    }

    /// Puts a constraint with Lagrange multipliers between two states; on one, both are the same.
    pub fn add_lagrangian_constraint<C: LagrangianConstraint>(
        &mut self,
        component: ComponentId,
        first: StateId,
        second: StateId,
        parts: LagrangianConstraintParts<C>,
    ) where
        C::State1: VectorsAccess,
        C::State2: VectorsAccess,
    {
        self.parts.lagrangian.push(OnPair { component, first, second, node: erase_lagrangian(parts) });
    }

    /// Puts a constraint solver at the component's node.
    pub fn add_constraint_solver(&mut self, component: ComponentId, node: Box<dyn ConstraintSolver>) {
        let at = self.component(component).node;
        self.solvers.constraint.push(AtNode { component, at, node });
    }

    /// Puts a constraint correction at the component's node.
    pub fn add_constraint_correction(&mut self, component: ComponentId, node: Box<dyn ConstraintCorrection>) {
        let at = self.component(component).node;
        self.solvers.corrections.push(AtNode { component, at, node });
    }

    /// Puts an ODE solver at the component's node.
    pub fn add_ode_solver(&mut self, component: ComponentId, node: Box<dyn OdeSolver>) {
        let at = self.component(component).node;
        self.solvers.ode.push(AtNode { component, at, node });
    }

    /// Puts a linear solver at the component's node.
    pub fn add_linear_solver(&mut self, component: ComponentId, node: Box<dyn LinearSolver>) {
        let at = self.component(component).node;
        self.solvers.linear.push(AtNode { component, at, node });
    }
}
