//! What nodes of bodies have been told: values that are others now have been changed by events.

use std::collections::BTreeMap;

use animation::event::field::Value;
use animation::event::runtime::EventGraph;
use animation::event::{FieldId, NodeId};
use engine::data::Store;

/// Values that were sent, by node and field.
#[derive(Default)]
pub(super) struct Told(BTreeMap<(NodeId, FieldId), Value>);

impl Told {
    /// Sends a value to a field that receives, unless it was told this before.
    pub fn send(&mut self, graph: &mut EventGraph, node: NodeId, field: &str, value: Value) {
        self.put(graph, node, field, value, |graph, at, value| graph.send(at.0, at.1, value).is_ok());
    }

    /// Lets a field that only sends send a value, unless it was told this before.
    pub fn emit(&mut self, graph: &mut EventGraph, node: NodeId, field: &str, value: Value) {
        self.put(graph, node, field, value, |graph, at, value| graph.emit_from(at.0, at.1, value).is_ok());
    }

    fn put(
        &mut self,
        graph: &mut EventGraph,
        node: NodeId,
        field: &str,
        value: Value,
        send: impl FnOnce(&mut EventGraph, (NodeId, FieldId), Value) -> bool,
    ) {
        let Some(field) = graph.scene().node(node).node_type.field(field) else { return };
        let known = self.0.get(&(node, field));
        // A node that is gone hears nothing.
        if known != Some(&value) && send(graph, (node, field), value.clone()) {
            self.0.insert((node, field), value);
        }
    }

    /// The value that events have given a field since it was told another one.
    pub fn changed(&mut self, graph: &EventGraph, store: &Store, node: NodeId, field: &str) -> Option<Value> {
        let field = graph.scene().node(node).node_type.field(field)?;
        let present = graph.value(store, node, field)?;
        let known = self.0.get_mut(&(node, field))?;
        if *known == present {
            return None;
        }
        *known = present.clone();
        Some(present)
    }

    /// The same, or the present value where it was not told of before; it counts as told now.
    pub fn taken(&mut self, graph: &EventGraph, store: &Store, node: NodeId, field: &str) -> Option<Value> {
        let id = graph.scene().node(node).node_type.field(field)?;
        let present = graph.value(store, node, id)?;
        match self.0.insert((node, id), present.clone()) {
            Some(known) if known == present => None,
            _ => Some(present),
        }
    }
}
