//! What the scene keeps of each component family: the author's arrays behind one object-safe face per family.

use crate::scene::ids::{ComponentId, StateId};
use crate::visitor::constraint_node::ConstraintNode;
use crate::visitor::force_field_node::ForceFieldNode;
use crate::visitor::interaction_node::InteractionNode;
use crate::visitor::lagrangian_node::LagrangianNode;
use crate::visitor::mapping_node::MappingNode;
use crate::visitor::mass_node::MassNode;

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
    /// Constraints with Lagrange multipliers; one on a single state has it twice.
    pub lagrangian: Vec<OnPair<dyn LagrangianNode>>,
    /// Mappings.
    pub mappings: Vec<OnPair<dyn MappingNode>>,
}
