//! What comes into a graph from outside the cascade: from the host, and from nodes that reach the whole graph.

use std::borrow::Cow;

use engine::data::Store;

use super::chunk::{HostInput, VertexKind};
use super::event_graph::EventGraph;
use super::kept::Outside;
use super::places::{Field, NONE};
use crate::event::field::Value;
use crate::event::host::HostEvent;
use crate::event::ids::{FieldId, NodeId};
use crate::event::nodes::field_inputs::effect;

impl EventGraph {
    /// Brings what came from outside the cascade to its nodes.
    pub(super) fn apply_outside(&mut self, store: &mut Store) {
        let outside = std::mem::take(&mut self.world.outside);
        if outside.is_empty() {
            return;
        }
        // Interpolators to which the host speaks are evaluated by their behaviours, and some nodes reach farther then.
        let version = self.world.version;
        for event in &outside {
            let Some(layout) = &self.layout else { return };
            let field = match event {
                Outside::Event(field, _) => *field,
                Outside::Emit(..) | Outside::State(..) => continue,
                Outside::Tell(node, _) => (*node, FieldId(0)),
            };
            let mut leaves = Vec::new();
            layout.aliases.leaves(field, |_| true, &mut leaves);
            for leaf in leaves {
                let nature = &mut self.world.natures[leaf.0.0 as usize];
                if nature.reach != nature.reach_of_host {
                    nature.reach = nature.reach_of_host;
                    self.world.dirt.nodes.push(leaf.0);
                    self.world.version += 1;
                }
                if layout.find(leaf).is_some_and(|(v, _)| v.field == NONE && v.kernel.is_some()) {
                    self.world.natures[leaf.0.0 as usize].is_by_behaviour = true;
                    self.world.dirt.nodes.push(leaf.0);
                    self.world.version += 1;
                }
            }
        }
        if self.world.version != version {
            self.rebuild(store, false);
        }
        for event in outside {
            match event {
                Outside::Event(field, value) => self.event_from_outside(field, value, store),
                Outside::Emit(field, value) => self.emit_from_outside(field, value, store),
                Outside::State(field, state) => self.state_from_outside(field, state, store),
                Outside::Tell(node, event) => self.tell_from_outside(node, event, store),
            }
        }
    }

    fn event_from_outside(&mut self, field: Field, value: Value, store: &mut Store) {
        let Some(layout) = &self.layout else { return };
        let mut leaves = Vec::new();
        layout.aliases.leaves(field, |f| self.world.scene.field(f).access.receives(), &mut leaves);
        let frame = self.now.frame;
        for leaf in leaves {
            // The effect of an input that changes another field, on a node without a behaviour.
            if !self.world.natures[leaf.0.0 as usize].is_active {
                let node_type = self.world.scene.node(leaf.0).node_type.clone();
                let present = |f: FieldId| self.value(store, leaf.0, f).map(Cow::Owned);
                if let Some((changed, value)) = effect(&node_type, leaf.1, &value, present) {
                    if node_type.fields[changed.0 as usize].access.receives() {
                        self.event_from_outside((leaf.0, changed), value, store);
                    } else {
                        self.world.scene.nodes[leaf.0.0 as usize].values[changed.0 as usize] = value;
                    }
                    continue;
                }
            }
            let Some(layout) = &self.layout else { return };
            let scene = &mut self.world.scene;
            if &*scene.node(leaf.0).node_type.name == "Inline" {
                self.world.inlines.ask(leaf.0);
            }
            let Some((_, home)) = layout.find(leaf) else {
                // No route touches it.
                scene.nodes[leaf.0.0 as usize].values[leaf.1.0 as usize] = value.clone();
                continue;
            };
            let Some(in_store) = &self.in_store else { return };
            let chunk = store.workspace_mut(in_store.workspaces[home.chunk as usize]);
            match chunk.vertices[home.local as usize].kind {
                VertexKind::Passive(slot) => {
                    chunk.ports.set(slot, value.clone());
                    chunk.ports.mark(slot, frame);
                    chunk.sent = frame;
                }
                VertexKind::Node(_) => {
                    chunk.host.push((home.local, HostInput::Event(leaf.1, value.clone())));
                }
                VertexKind::Interpolator(..) => {}
            }
        }
    }

    fn emit_from_outside(&mut self, field: Field, value: Value, store: &mut Store) {
        let Some(layout) = &self.layout else { return };
        let scene = &mut self.world.scene;
        let mut leaves = Vec::new();
        layout.aliases.leaves(field, |f| scene.field(f).access.sends(), &mut leaves);
        let frame = self.now.frame;
        for leaf in leaves {
            let Some((chunk, slot)) = layout.port(leaf) else {
                scene.nodes[leaf.0.0 as usize].values[leaf.1.0 as usize] = value.clone();
                continue;
            };
            let Some(in_store) = &self.in_store else { return };
            let chunk = store.workspace_mut(in_store.workspaces[chunk as usize]);
            if chunk.ports.sent(slot) != frame {
                chunk.ports.set(slot, value.clone());
                chunk.ports.mark(slot, frame);
                chunk.sent = frame;
            }
        }
    }

    fn state_from_outside(&mut self, field: Field, state: bool, store: &mut Store) {
        let (Some(layout), Some(in_store)) = (&self.layout, &self.in_store) else { return };
        if let Some((_, home)) = layout.find(field) {
            let chunk = store.workspace_mut(in_store.workspaces[home.chunk as usize]);
            if let VertexKind::Node(node) = chunk.vertices[home.local as usize].kind {
                return chunk.send_state(node, field.1.0, state, self.now.frame);
            }
        }
        self.emit_from_outside(field, Value::SFBool(state), store);
    }

    fn tell_from_outside(&mut self, node: NodeId, event: HostEvent, store: &mut Store) {
        let (Some(layout), Some(in_store)) = (&self.layout, &self.in_store) else { return };
        let Some((_, home)) = layout.find((node, FieldId(0))) else { return };
        let chunk = store.workspace_mut(in_store.workspaces[home.chunk as usize]);
        if let VertexKind::Node(_) = chunk.vertices[home.local as usize].kind {
            chunk.host.push((home.local, HostInput::Tell(event)));
        }
    }
}
