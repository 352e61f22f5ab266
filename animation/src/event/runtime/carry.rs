//! What stays when chunks are made anew, in the middle of a frame, too.

use std::collections::BTreeSet;

use engine::data::Store;

use super::chunk::VertexKind;
use super::event_graph::EventGraph;
use super::kept::Carried;
use super::places::{Field, NONE};
use super::vertex::port;
use super::waiting::Waiting;
use crate::event::field::Value;
use crate::event::ids::{FieldId, NodeId};

impl EventGraph {
    /// Takes values and behaviours of some parts back out of their chunks, and what a frame in progress has done there.
    pub(super) fn carry(&mut self, store: &mut Store, parts: &BTreeSet<u32>, carried: &mut Carried) {
        let frame = self.now.frame;
        let (Some(layout), Some(in_store)) = (&self.layout, &self.in_store) else { return };
        let world = &mut self.world;
        for (_, part) in layout.parts().filter(|(k, _)| parts.contains(k)) {
            for (vertex, &home) in part.vertices.iter().zip(&part.homes) {
                let chunk = store.workspace_ref(in_store.workspaces[home.chunk as usize]);
                let node = &mut world.scene.nodes[vertex.node.0 as usize];
                let declared = node.node_type.clone();
                let fields = match vertex.field {
                    NONE => 0..declared.fields.len() as u32,
                    field => field..field + 1,
                };
                for f in fields {
                    let field = (vertex.node, FieldId(f));
                    let declared = &declared.fields[f as usize];
                    if vertex.kernel.is_some() && &*declared.name != "value_changed" {
                        // Of an interpolator in a batch, only what came and its value are there.
                        if let (VertexKind::Interpolator(batch, k), "set_fraction") =
                            (chunk.vertices[home.local as usize].kind, &*declared.name)
                            && let Some(fraction) = chunk.batches[batch as usize].fraction(k)
                        {
                            node.values[f as usize] = Value::SFFloat(fraction);
                        }
                        continue;
                    }
                    let slot = port(vertex, home, field);
                    node.values[f as usize] = chunk.ports.value(slot, declared.field_type);
                    if chunk.ports.sent(slot) == frame && frame > 0 {
                        carried.sent.push(field);
                    }
                }
            }
            for &number in &part.numbers {
                let chunk = store.workspace_mut(in_store.workspaces[number as usize]);
                if chunk.n_noted.0 == frame {
                    self.n_before += chunk.n_noted.1;
                }
                let done = chunk.links.iter().filter(|l| l.delivered == frame).map(|l| l.way);
                let inner = chunk.loops.iter().flat_map(|l| l.inner.iter().flatten());
                let done = done.chain(inner.filter(|i| i.delivered == frame).map(|i| i.way));
                carried.delivered.extend(done.filter_map(|way| {
                    let way = part.ways.get(way as usize)?;
                    Some((way.route, way.from, way.to))
                }));
                let vertices = &chunk.vertices;
                let owner = |local: u32| match vertices.get(local as usize)?.kind {
                    VertexKind::Node(k) => Some(chunk.nodes[k as usize].id),
                    _ => None,
                };
                let waiting = chunk.waiting.drain(..);
                carried.waiting.extend(waiting.map(|w| (chunk.nodes[w.node as usize].id, w)));
                let host = std::mem::take(&mut chunk.host).into_iter();
                carried.host.extend(host.filter_map(|(local, input)| Some((owner(local)?, input))));
                carried.complaints.append(&mut chunk.complaints);
                carried.prints.append(&mut chunk.prints);
                for node in std::mem::take(&mut chunk.nodes) {
                    if node.ticked == frame {
                        carried.ticked.push(node.id);
                    }
                    let behaviour =
                        node.behaviour.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
                    if !world.natures[node.id.0 as usize].is_gone {
                        world.behaviours[node.id.0 as usize] = Some(behaviour);
                    }
                }
            }
        }
    }

    /// The run ends: all nodes that are there end, in their order (`shutdown` of Scripts). What they send goes nowhere, what they say can be
    /// taken afterwards; no frame is to follow.
    pub fn end(&mut self, store: &mut Store) {
        if self.layout.is_none() {
            return;
        }
        let there =
            (0..self.world.natures.len() as u32).filter(|k| self.world.natures[*k as usize].is_active);
        self.world.gone = there.map(NodeId).collect();
        self.shut_down(store);
        self.gather_complaints(store);
    }

    /// Lets nodes that were removed end.
    pub(super) fn shut_down(&mut self, store: &mut Store) {
        for k in std::mem::take(&mut self.world.gone) {
            let k = k.0 as usize;
            let nature = &mut self.world.natures[k];
            if !nature.is_active {
                continue;
            }
            nature.is_active = false;
            self.world.behaviours[k] = None;
            let Some(layout) = &self.layout else { continue };
            let Some((_, home)) = layout.find((NodeId(k as u32), FieldId(0))) else { continue };
            self.with_chunk(home.chunk, store, |chunk, _, now, around| {
                if let VertexKind::Node(number) = chunk.vertices[home.local as usize].kind {
                    // It has the graph to itself: nothing runs between frames.
                    chunk.turn(number, now, Some(around), |behaviour, turn| behaviour.shutdown(turn));
                    chunk.turn.clear();
                }
            });
        }
    }

    /// Gives new chunks what the frame in progress has done.
    pub(super) fn restore(&mut self, carried: Carried, new: &[u32], store: &mut Store) {
        let (Some(layout), Some(in_store)) = (&self.layout, &self.in_store) else { return };
        let frame = self.now.frame;
        for field in &carried.sent {
            if let Some((chunk, slot)) = layout.port(*field) {
                let chunk = store.workspace_mut(in_store.workspaces[chunk as usize]);
                chunk.ports.mark(slot, frame);
                chunk.sent = frame;
            }
        }
        for (node, input) in carried.host {
            let Some((_, home)) = layout.find((node, FieldId(0))) else { continue };
            store.workspace_mut(in_store.workspaces[home.chunk as usize]).host.push((home.local, input));
        }
        for (node, waiting) in carried.waiting {
            let Some((_, home)) = layout.find((node, FieldId(0))) else { continue };
            let chunk = store.workspace_mut(in_store.workspaces[home.chunk as usize]);
            if let VertexKind::Node(node) = chunk.vertices[home.local as usize].kind {
                chunk.waiting.push(Waiting { node, ..waiting });
            }
        }
        if let Some(&first) = in_store.workspaces.first() {
            let chunk = store.workspace_mut(first);
            chunk.complaints.extend(carried.complaints);
            chunk.prints.extend(carried.prints);
        }
        if !carried.is_stopped {
            return;
        }
        let sent: BTreeSet<Field> = carried.sent.iter().copied().collect();
        let ticked: BTreeSet<NodeId> = carried.ticked.iter().copied().collect();
        for &number in new {
            let Some((part, _)) = layout.owner(number) else { continue };
            let is_delivered = |way: u32| {
                let way = part.ways[way as usize];
                // An event that was sent before its route came does not travel on it.
                let is_new = way.route >= carried.n_routes && sent.contains(&way.from);
                is_new || carried.delivered.contains(&(way.route, way.from, way.to))
            };
            let chunk = store.workspace_mut(in_store.workspaces[number as usize]);
            if chunk.is_relay {
                continue;
            }
            chunk.late = frame;
            for link in &mut chunk.links {
                if is_delivered(link.way) {
                    link.delivered = frame;
                }
            }
            for way in chunk.loops.iter_mut().flat_map(|l| l.inner.iter_mut().flatten()) {
                if is_delivered(way.way) {
                    way.delivered = frame;
                }
            }
            for node in chunk.nodes.iter_mut().filter(|n| ticked.contains(&n.id)) {
                node.ticked = frame;
            }
        }
    }
}
