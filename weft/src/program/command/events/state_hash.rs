//! The values of all fields as one number.

use std::fmt::Write;

use animation::event::json::Json;
use animation::event::{FieldId, NodeId};

use crate::events::EventSimulation;

/// A hash (FNV-1a) of the values of all fields of all nodes; runs with the same bits have the same one.
pub fn state_hash(simulation: &EventSimulation) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for (number, node) in simulation.graph().scene().nodes.iter().enumerate() {
        for field in 0..node.values.len() as u32 {
            if let Some(value) = simulation.value(NodeId(number as u32), FieldId(field)) {
                // Writing to a hash does not fail.
                let _ = write!(hash, "{number} {field} {}", Json(&value));
            }
        }
    }
    format!("{:016x}", hash.0)
}

struct Fnv(u64);

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        Ok(())
    }
}
