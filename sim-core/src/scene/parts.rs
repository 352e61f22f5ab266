//! What the scene keeps of each component family: the author's arrays behind one object-safe face per family.

use crate::component::force_field::{ForceField, ForceFieldParts};
use crate::component::interaction_force_field::{InteractionForceField, InteractionForceFieldParts};
use crate::component::mapping::{Mapping, MappingParts};
use crate::component::mass::{Mass, MassParts};
use crate::component::projective_constraint::{ProjectiveConstraint, ProjectiveConstraintParts};
use crate::component::solver::{LinearSolver, OdeSolver};
use crate::scene::{ComponentId, NodeId, Scene, StateId};
use crate::visitor::constraint_node::{ConstraintNode, erase_constraint};
use crate::visitor::force_field_node::{ForceFieldNode, erase_force_field};
use crate::visitor::interaction_node::{InteractionNode, erase_interaction};
use crate::visitor::mapping_node::{MappingNode, erase_mapping};
use crate::visitor::mass_node::{MassNode, erase_mass};
use crate::visitor::vectors::VectorsAccess;

/// A component that acts on one state.
pub struct OnState<T: ?Sized> {
    /// The component.
    pub component: ComponentId,
    /// The state it acts on.
    pub state: StateId,
    /// What it does.
    pub node: Box<T>,
}

/// A component that joins two states: an interaction force field, or a mapping (input, output).
pub struct OnPair<T: ?Sized> {
    /// The component.
    pub component: ComponentId,
    /// The first state, or the input.
    pub first: StateId,
    /// The second state, or the output.
    pub second: StateId,
    /// What it does.
    pub node: Box<T>,
}

/// An ODE or linear solver at a node.
pub struct AtNode<T: ?Sized> {
    /// The component.
    pub component: ComponentId,
    /// The node it stands in.
    pub at: NodeId,
    /// What it does.
    pub node: Box<T>,
}

/// All mechanical components, each list in the order they were built.
#[derive(Default)]
pub struct Parts {
    /// Force fields on one state.
    pub force_fields: Vec<OnState<dyn ForceFieldNode>>,
    /// Masses.
    pub masses: Vec<OnState<dyn MassNode>>,
    /// Projective constraints.
    pub constraints: Vec<OnState<dyn ConstraintNode>>,
    /// Force fields between two states.
    pub interactions: Vec<OnPair<dyn InteractionNode>>,
    /// Mappings.
    pub mappings: Vec<OnPair<dyn MappingNode>>,
    /// ODE solvers.
    pub ode_solvers: Vec<AtNode<dyn OdeSolver>>,
    /// Linear solvers.
    pub linear_solvers: Vec<AtNode<dyn LinearSolver>>,
}

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

    /// Puts a projective constraint on a state.
    pub fn add_projective_constraint<P: ProjectiveConstraint>(
        &mut self,
        component: ComponentId,
        state: StateId,
        parts: ProjectiveConstraintParts<P>,
    ) where
        P::State: VectorsAccess,
    {
        self.parts.constraints.push(OnState { component, state, node: erase_constraint(parts) });
    }

    /// Puts a mapping between two states: resizes the output, applies the mapping to the initial vectors.
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
        let mut node = erase_mapping(parts);
        node.apply_initial(self, input, output);
        self.parts.mappings.push(OnPair { component, first: input, second: output, node });
    }

    /// Puts an ODE solver at the component's node.
    pub fn add_ode_solver(&mut self, component: ComponentId, node: Box<dyn OdeSolver>) {
        let at = self.component(component).node;
        self.parts.ode_solvers.push(AtNode { component, at, node });
    }

    /// Puts a linear solver at the component's node.
    pub fn add_linear_solver(&mut self, component: ComponentId, node: Box<dyn LinearSolver>) {
        let at = self.component(component).node;
        self.parts.linear_solvers.push(AtNode { component, at, node });
    }
}
