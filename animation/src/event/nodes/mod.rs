//! What X3D's nodes do with events.
//!
//! [`BuiltIn`] knows them by name. Nodes that it does not know keep and pass values, and that is all that most of them do: a Transform, a Material,
//! a Switch.
//!
//! **Source:** ISO/IEC 19775-1, *X3D architecture and base components*.

#[cfg(test)]
mod bench;
pub mod binding;
pub mod event_utilities;
pub(crate) mod field_inputs;
pub mod followers;
pub mod geo;
pub mod interpolation;
pub mod layers;
mod motion;
pub mod nurbs;
mod port;
pub mod sensors;
mod time_sensor;

use super::behaviour::{Behaviour, Behaviours};
use super::field::Access;
use super::scene::{EventScene, NodeType};
use super::{FieldId, NodeId};
use binding::{BindingStacks, Routed};
use layers::Layers;

/// Types that have a behaviour by themselves; those of [`binding::TYPES`] have one together.
pub fn types() -> impl Iterator<Item = &'static str> {
    let alone = [
        interpolation::TYPES,
        nurbs::TYPES,
        geo::TYPES,
        event_utilities::TYPES,
        followers::TYPES,
        sensors::TYPES,
    ];
    std::iter::once("TimeSensor").chain(alone.into_iter().flatten().copied())
}

/// What a node of a built-in type does by itself; none if it only keeps and passes values, or if its type lacks a field that X3D says
/// it has.
pub fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    if node_type.is_prototype {
        return None;
    }
    match &*node_type.name {
        "TimeSensor" => time_sensor::behaviour_of(node_type),
        _ => interpolation::behaviour_of(node_type)
            .or_else(|| nurbs::behaviour_of(node_type))
            .or_else(|| geo::behaviour_of(node_type))
            .or_else(|| event_utilities::behaviour_of(node_type))
            .or_else(|| followers::behaviour_of(node_type))
            .or_else(|| sensors::behaviour_of(node_type)),
    }
}

/// Whether a type of nodes should send events by itself, and never does here: it has fields that only send, and no behaviour.
///
/// Scripts and prototypes have theirs elsewhere.
pub fn is_silent(node_type: &NodeType) -> bool {
    !node_type.is_prototype
        && !["Script", "HAnimMotion", "HAnimPose"].contains(&&*node_type.name)
        && node_type.fields.iter().any(|f| f.access == Access::OutputOnly)
        && binding::Bindable::of(&node_type.name).is_none()
        && behaviour_of(node_type).is_none()
}

/// The other field of a node that an input changes (`addChildren` changes `children`); none if it changes none.
pub fn changed_by(node_type: &NodeType, input: FieldId) -> Option<FieldId> {
    field_inputs::target(node_type, input)
}

/// Behaviours of all built-in nodes of a run.
#[derive(Debug, Default)]
pub struct BuiltIn {
    stacks: BindingStacks,
    routed: Routed,
    layers: Layers,
}

impl BuiltIn {
    /// What is bound: a handle to ask while the graph runs.
    pub fn stacks(&self) -> BindingStacks {
        self.stacks.clone()
    }
}

impl Behaviours for BuiltIn {
    fn behaviour_of(&mut self, scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
        let node_type = &scene.node(node).node_type;
        if node_type.is_prototype {
            return None;
        }
        let own = binding::behaviour_of(scene, node, &self.stacks, (&mut self.routed, &mut self.layers))
            .or_else(|| motion::behaviour_of(scene, node))
            .or_else(|| behaviour_of(node_type))?;
        Some(field_inputs::with_inputs(node_type, own))
    }
    fn woken(&mut self, scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
        Some(Box::new(field_inputs::FieldInputs::new(&scene.node(node).node_type, None)))
    }
}
