//! What happens when a frame is stopped: nodes that reach the whole graph have their turn on the caller's thread.

use engine::data::{Store, Workspace};

use super::chunk::{Between, Chunk, Gate, VertexKind};
use super::event_graph::EventGraph;
use super::event_log::{sender, unnoted};
use super::exclusive::Exclusive;
use crate::event::behaviour::Reach;
use crate::event::graph_access::GraphAccess;
use crate::event::ids::{FieldId, NodeId};

impl EventGraph {
    fn workspace(&self, chunk: u32) -> Option<Workspace<Chunk>> {
        self.in_store.as_ref()?.workspaces.get(chunk as usize).copied()
    }

    /// Writes down what was delivered before a stop. From here on chunks deliver one by one.
    pub(super) fn settle(&mut self, store: &mut Store) {
        if self.options.log {
            self.collect(store);
        }
        let frame = self.now.frame;
        let Some(layout) = &self.layout else { return };
        let mut delivered: Vec<(u32, u32)> = Vec::new();
        let chunks = self.chunks(store);
        let mut n = 0;
        unnoted(layout, &chunks, frame, |_, _, _| n += 1);
        for (c, chunk) in chunks.iter().enumerate() {
            if chunk.done != frame || chunk.late == frame {
                continue;
            }
            for (k, link) in chunk.links.iter().enumerate() {
                if sender(layout, &chunks, c as u32, link.producer).ports.sent(link.slot) == frame {
                    delivered.push((c as u32, k as u32));
                }
            }
        }
        self.n_before += n;
        for c in 0..layout.n_chunks() as u32 {
            let Some(workspace) = self.workspace(c) else { continue };
            let chunk = store.workspace_mut(workspace);
            if chunk.done == frame && !chunk.is_relay {
                chunk.late = frame;
            }
        }
        for (c, k) in delivered {
            let Some(workspace) = self.workspace(c) else { continue };
            store.workspace_mut(workspace).links[k as usize].delivered = frame;
        }
    }

    /// Evaluates the nodes of a gate on the caller's thread.
    pub(super) fn evaluate_gate(&mut self, gate: u32, store: &mut Store) {
        self.with_chunk(gate, store, |chunk, producers, now, around| {
            chunk.late = now.frame;
            chunk.gate = Gate::Shut;
            chunk.run_late(producers, now, Some(around));
        });
    }

    /// The frame was stopped too often: what waits is dropped, and said.
    pub(super) fn give_up(&mut self, gate: u32, store: &mut Store) {
        let (now, most) = (self.now, self.options.most_stops);
        self.with_chunk(gate, store, |chunk, _, _, _| {
            chunk.gate = Gate::Shut;
            (chunk.late, chunk.done) = (now.frame, now.frame);
            chunk.host.clear();
            chunk.links.iter_mut().for_each(|link| link.delivered = now.frame);
            for node in &mut chunk.nodes {
                node.ticked = now.frame;
                let message = format!("the frame was stopped {most} times: events that wait are dropped");
                chunk.complaints.push((node.id, message));
            }
        });
    }

    /// Acts on a chunk that is out of the store meanwhile, with the whole graph at hand.
    pub(super) fn with_chunk(
        &mut self,
        c: u32,
        store: &mut Store,
        act: impl FnOnce(&mut Chunk, Between<'_>, super::turn::Now, &mut dyn GraphAccess),
    ) {
        let (Some(in_store), Some(layout)) = (&self.in_store, &self.layout) else { return };
        let workspace = in_store.workspaces[c as usize];
        let mut chunk = std::mem::replace(store.workspace_mut(workspace), Chunk::new(false));
        let of = &layout.producers[c as usize];
        let producers: Vec<_> = of.iter().map(|&p| in_store.workspaces[p as usize]).collect();
        let mut own = Vec::new();
        // Only chunks of gates have nodes that look around, and are small.
        let looking = if layout.gates.contains(&c) { &chunk.nodes[..] } else { &[] };
        for node in looking {
            let fields = (0..).zip(&chunk.ports.wide[node.fields.start as usize..node.fields.end as usize]);
            own.extend(fields.map(|(f, value)| ((node.id, FieldId(f)), value.clone())));
        }
        if let Some((part, local)) = layout.owner(c).filter(|_| !looking.is_empty()) {
            for v in part.members(local) {
                let vertex = part.vertices[v as usize];
                let field = (vertex.node, FieldId(vertex.field));
                let home = part.homes[v as usize];
                if let VertexKind::Passive(slot) = chunk.vertices[home.local as usize].kind {
                    own.push((field, chunk.ports.value(slot, self.world.scene.field(field).field_type)));
                }
            }
        }
        let mut around =
            Exclusive { world: &mut self.world, layout, store, workspaces: &in_store.workspaces, own };
        act(&mut chunk, Between(store, &producers), self.now, &mut around);
        *store.workspace_mut(workspace) = chunk;
    }

    /// Lets nodes that came begin, in the order of their numbers.
    pub(super) fn initialize(&mut self, store: &mut Store) {
        let first = std::mem::replace(&mut self.world.n_initialized, self.world.natures.len());
        for k in first..self.world.natures.len() {
            let nature = &mut self.world.natures[k];
            if nature.is_initialized || !nature.is_active {
                continue;
            }
            nature.is_initialized = true;
            let node = NodeId(k as u32);
            let Some(layout) = &self.layout else { return };
            let Some((_, home)) = layout.find((node, FieldId(0))) else { continue };
            let reaches = self.world.natures[k].reach == Reach::Graph;
            self.with_chunk(home.chunk, store, |chunk, _, now, around| {
                if let VertexKind::Node(number) = chunk.vertices[home.local as usize].kind {
                    let around = reaches.then_some(around);
                    chunk.turn(number, now, around, |behaviour, turn| behaviour.initialize(turn));
                    chunk.turn.clear();
                }
            });
        }
    }
}
