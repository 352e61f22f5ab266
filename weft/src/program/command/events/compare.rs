//! Whether two runs of one graph came to the same values.

use animation::event::json::Json;
use animation::event::{FieldId, NodeId};

use crate::events::EventSimulation;

/// Whether all fields of two runs have the same bits.
pub fn are_equal(a: &EventSimulation, b: &EventSimulation) -> bool {
    let (nodes, others) = (&a.graph().scene().nodes, &b.graph().scene().nodes);
    if nodes.len() != others.len() {
        return false;
    }
    (0..nodes.len() as u32).map(NodeId).all(|node| {
        let n = nodes[node.0 as usize].values.len() as u32;
        (0..n).map(FieldId).all(|field| {
            let text = |of: &EventSimulation| of.value(node, field).map(|v| Json(&v).to_string());
            text(a) == text(b)
        })
    })
}
