//! What X3D's nodes do with events.
//!
//! [`behaviour_of`] knows them by name. Nodes that it does not know keep and pass values, and that is all that most of them do: a Transform, a Material,
//! a Switch.
//!
//! **Source:** ISO/IEC 19775-1, *X3D architecture and base components*.

#[cfg(test)]
mod bench;
pub mod event_utilities;
pub mod followers;
pub mod interpolation;
mod port;
mod time_sensor;

use super::behaviour::Behaviour;
use super::scene::NodeType;

/// What a node of a built-in type does; none if it only keeps and passes values.
pub fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    match &*node_type.name {
        "TimeSensor" => time_sensor::behaviour_of(node_type),
        _ => interpolation::behaviour_of(node_type)
            .or_else(|| event_utilities::behaviour_of(node_type))
            .or_else(|| followers::behaviour_of(node_type)),
    }
}
