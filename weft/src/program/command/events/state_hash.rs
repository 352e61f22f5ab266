//! The values of all fields as one number.

use std::fmt::Write;

use animation::event::json::Json;
use animation::event::{FieldId, NodeId};

use crate::events::EventSimulation;
use crate::execution::hash::StateHash;

/// A hash of the values of all fields of all nodes; runs with the same bits have the same one.
pub fn state_hash(simulation: &EventSimulation) -> String {
    let mut hash = StateHash::new();
    for (number, node) in simulation.graph().scene().nodes.iter().enumerate() {
        for field in 0..node.values.len() as u32 {
            if let Some(value) = simulation.value(NodeId(number as u32), FieldId(field)) {
                // Writing to a hash does not fail.
                let _ = write!(hash, "{number} {field} {}", Json(&value));
            }
        }
    }
    hash.text()
}
