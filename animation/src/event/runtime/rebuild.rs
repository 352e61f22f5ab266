//! What happens when a frame is stopped, and when the structure changes.

use std::collections::BTreeSet;

use engine::data::{Store, Workspace};

use super::chunk::{Between, Chunk, Gate, HostInput, SELF, VertexKind};
use super::event_graph::EventGraph;
use super::event_log::{sender, unnoted};
use super::fill::port;
use super::options::Restart;
use super::places::{Field, NONE};
use super::world::{Exclusive, Outside};
use crate::event::behaviour::Behaviour;
use crate::event::field::Value;
use crate::event::graph_access::GraphAccess;
use crate::event::host::HostEvent;
use crate::event::ids::{FieldId, NodeId};

/// What a stopped frame keeps when its chunks are made anew.
#[derive(Default)]
pub(super) struct Carried {
    /// Whether a frame is in progress.
    is_stopped: bool,
    /// Fields that have sent.
    sent: Vec<Field>,
    /// Ways on which an event was delivered: route and ends.
    delivered: BTreeSet<(u32, Field, Field)>,
    /// Nodes that have looked at the clock.
    ticked: Vec<NodeId>,
    /// What the host said that is still to be heard.
    host: Vec<(NodeId, HostInput)>,
    /// How many routes there were.
    n_routes: u32,
    complaints: Vec<(NodeId, String)>,
}

/// The state of nodes before a frame.
pub(super) struct Snapshot {
    values: Vec<(Field, Value)>,
    behaviours: Vec<(NodeId, Box<dyn Behaviour>)>,
    outside: Vec<Outside>,
}

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
        unnoted(layout, &self.filled, &chunks, frame, |_, _, _| n += 1);
        for (c, chunk) in chunks.iter().enumerate() {
            if chunk.done != frame || chunk.late == frame {
                continue;
            }
            for (k, link) in chunk.links.iter().enumerate() {
                if sender(&self.filled, &chunks, c as u32, link.producer).ports.sent(link.slot) == frame {
                    delivered.push((c as u32, k as u32));
                }
            }
        }
        self.n_before += n;
        for c in 0..self.filled.producers.len() as u32 {
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
    fn with_chunk(
        &mut self,
        c: u32,
        store: &mut Store,
        act: impl FnOnce(&mut Chunk, Between<'_>, super::turn::Now, &mut dyn GraphAccess),
    ) {
        let (Some(in_store), Some(layout)) = (&self.in_store, &self.layout) else { return };
        let workspace = in_store.workspaces[c as usize];
        let mut chunk = std::mem::replace(store.workspace_mut(workspace), Chunk::new(false));
        let of = &self.filled.producers[c as usize];
        let producers: Vec<_> = of.iter().map(|&p| in_store.workspaces[p as usize]).collect();
        let mut own = Vec::new();
        for node in &chunk.nodes {
            let fields = (0..).zip(&chunk.ports.wide[node.fields.start as usize..node.fields.end as usize]);
            own.extend(fields.map(|(f, value)| ((node.id, FieldId(f)), value.clone())));
        }
        let mut around = Exclusive {
            node: chunk.nodes.first().map_or(NodeId(0), |n| n.id),
            world: &mut self.world,
            layout,
            homes: &self.filled.homes,
            store,
            workspaces: &in_store.workspaces,
            own: (c, own),
            repeats: self.repeats,
        };
        act(&mut chunk, Between(store, &producers), self.now, &mut around);
        *store.workspace_mut(workspace) = chunk;
    }

    /// Lets nodes that came begin, in the order of their numbers.
    pub(super) fn initialize(&mut self, store: &mut Store) {
        for k in 0..self.world.natures.len() {
            let nature = &mut self.world.natures[k];
            if nature.is_initialized || !nature.is_active {
                continue;
            }
            nature.is_initialized = true;
            let node = NodeId(k as u32);
            let Some(layout) = &self.layout else { return };
            let vertex = layout.vertex_of.get((node, FieldId(0)));
            let Some(home) = self.filled.homes.get(vertex as usize).copied() else { continue };
            let reaches = self.world.natures[k].reach == crate::event::behaviour::Reach::Graph;
            self.with_chunk(home.chunk, store, |chunk, _, now, around| {
                if let VertexKind::Node(number) = chunk.vertices[home.local as usize].kind {
                    let around = reaches.then_some(around);
                    chunk.turn(number, now, around, |behaviour, turn| behaviour.initialize(turn));
                    chunk.turn.clear();
                }
            });
        }
    }

    /// Brings what came from outside the cascade to its nodes.
    pub(super) fn apply_outside(&mut self, store: &mut Store) {
        let outside = std::mem::take(&mut self.world.outside);
        if outside.is_empty() {
            return;
        }
        // Interpolators to which the host speaks are evaluated by their behaviours.
        let version = self.world.version;
        for event in &outside {
            let Some(layout) = &self.layout else { return };
            let field = match event {
                Outside::Event(field, _) => *field,
                Outside::Emit(..) => continue,
                Outside::Tell(node, _) => (*node, FieldId(0)),
            };
            let mut leaves = Vec::new();
            layout.aliases.leaves(field, |_| true, &mut leaves);
            for leaf in leaves {
                let vertex = layout.vertices.get(layout.vertex_of.get(leaf) as usize);
                if vertex.is_some_and(|v| v.field == NONE && v.kernel.is_some()) {
                    self.world.natures[leaf.0.0 as usize].is_by_behaviour = true;
                    self.world.version += 1;
                }
            }
        }
        if self.world.version != version {
            let carried = self.carry(store);
            self.rebuild(store, Some(carried));
        }
        for event in outside {
            match event {
                Outside::Event(field, value) => self.event_from_outside(field, value, store),
                Outside::Emit(field, value) => self.emit_from_outside(field, value, store),
                Outside::Tell(node, event) => self.tell_from_outside(node, event, store),
            }
        }
    }

    fn event_from_outside(&mut self, field: Field, value: Value, store: &mut Store) {
        let Some(layout) = &self.layout else { return };
        let scene = &mut self.world.scene;
        let mut leaves = Vec::new();
        layout.aliases.leaves(field, |f| scene.field(f).access.receives(), &mut leaves);
        let frame = self.now.frame;
        for leaf in leaves {
            let vertex = layout.vertex_of.get(leaf);
            let Some(home) = self.filled.homes.get(vertex as usize) else {
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
            let Some((chunk, slot)) = port(layout, &self.filled.homes, leaf) else {
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

    fn tell_from_outside(&mut self, node: NodeId, event: HostEvent, store: &mut Store) {
        let (Some(layout), Some(in_store)) = (&self.layout, &self.in_store) else { return };
        let vertex = layout.vertex_of.get((node, FieldId(0)));
        let Some(home) = self.filled.homes.get(vertex as usize) else { return };
        let chunk = store.workspace_mut(in_store.workspaces[home.chunk as usize]);
        if let VertexKind::Node(_) = chunk.vertices[home.local as usize].kind {
            chunk.host.push((home.local, HostInput::Tell(event)));
        }
    }

    /// Takes values and behaviours back out of the chunks, and what a frame in progress has done.
    pub(super) fn carry(&mut self, store: &mut Store) -> Carried {
        self.shut_down(store);
        let mut carried = Carried { n_routes: self.world.routes.len() as u32, ..Carried::default() };
        let (Some(layout), Some(in_store)) = (&self.layout, &self.in_store) else { return carried };
        let frame = self.now.frame;
        carried.is_stopped = self.stops > 0;
        carried.n_routes = layout.n_routes;
        let world = &mut self.world;
        for (v, vertex) in layout.vertices.iter().enumerate() {
            let home = self.filled.homes[v];
            let chunk = store.workspace_ref(in_store.workspaces[home.chunk as usize]);
            let node = &mut world.scene.nodes[vertex.node.0 as usize];
            let declared = node.node_type.clone();
            let fields = match vertex.field {
                NONE => 0..declared.fields.len() as u32,
                field => field..field + 1,
            };
            for f in fields {
                let field = (vertex.node, FieldId(f));
                // Of an interpolator in a batch, only its value is there.
                if vertex.kernel.is_some() && &*declared.fields[f as usize].name != "value_changed" {
                    continue;
                }
                let Some((_, slot)) = port(layout, &self.filled.homes, field) else { continue };
                node.values[f as usize] = chunk.ports.value(slot, declared.fields[f as usize].field_type);
                if chunk.ports.sent(slot) == frame && frame > 0 {
                    carried.sent.push(field);
                }
            }
        }
        for &workspace in &in_store.workspaces {
            let chunk = store.workspace_mut(workspace);
            let done = chunk.links.iter().filter(|l| l.delivered == frame).map(|l| l.way);
            let inner = chunk.loops.iter().flat_map(|l| l.inner.iter().flatten());
            let done = done.chain(inner.filter(|i| i.delivered == frame).map(|i| i.way));
            carried.delivered.extend(done.filter_map(|way| {
                let way = layout.ways.get(way as usize)?;
                Some((way.route, way.from, way.to))
            }));
            let vertices = &chunk.vertices;
            let owner = |local: u32| match vertices.get(local as usize)?.kind {
                VertexKind::Node(k) => Some(chunk.nodes[k as usize].id),
                _ => None,
            };
            let host = std::mem::take(&mut chunk.host).into_iter();
            carried.host.extend(host.filter_map(|(local, input)| Some((owner(local)?, input))));
            carried.complaints.append(&mut chunk.complaints);
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
        carried
    }

    /// Lets nodes that were removed end.
    fn shut_down(&mut self, store: &mut Store) {
        for k in 0..self.world.natures.len() {
            let nature = &mut self.world.natures[k];
            if !nature.is_gone || !nature.is_active {
                continue;
            }
            nature.is_active = false;
            self.world.behaviours[k] = None;
            let Some(layout) = &self.layout else { continue };
            let vertex = layout.vertex_of.get((NodeId(k as u32), FieldId(0)));
            let Some(home) = self.filled.homes.get(vertex as usize).copied() else { continue };
            self.with_chunk(home.chunk, store, |chunk, _, now, _| {
                if let VertexKind::Node(number) = chunk.vertices[home.local as usize].kind {
                    chunk.turn(number, now, None, |behaviour, turn| behaviour.shutdown(turn));
                    chunk.turn.clear();
                }
            });
        }
    }

    /// Gives new chunks what the frame in progress has done.
    pub(super) fn restore(&mut self, carried: Carried, store: &mut Store) {
        let (Some(layout), Some(in_store)) = (&self.layout, &self.in_store) else { return };
        let frame = self.now.frame;
        for field in &carried.sent {
            if let Some((chunk, slot)) = port(layout, &self.filled.homes, *field) {
                let chunk = store.workspace_mut(in_store.workspaces[chunk as usize]);
                chunk.ports.mark(slot, frame);
                chunk.sent = frame;
            }
        }
        for (node, input) in carried.host {
            let vertex = layout.vertex_of.get((node, FieldId(0)));
            let Some(home) = self.filled.homes.get(vertex as usize) else { continue };
            store.workspace_mut(in_store.workspaces[home.chunk as usize]).host.push((home.local, input));
        }
        if let Some(&first) = in_store.workspaces.first() {
            store.workspace_mut(first).complaints.extend(carried.complaints);
        }
        if !carried.is_stopped {
            return;
        }
        let sent: BTreeSet<Field> = carried.sent.iter().copied().collect();
        let ticked: BTreeSet<NodeId> = carried.ticked.iter().copied().collect();
        let is_delivered = |way: u32| {
            let way = layout.ways[way as usize];
            // An event that was sent before its route came does not travel on it.
            let is_new = way.route >= carried.n_routes && sent.contains(&way.from);
            is_new || carried.delivered.contains(&(way.route, way.from, way.to))
        };
        for &workspace in &in_store.workspaces[..self.filled.producers.len()] {
            let chunk = store.workspace_mut(workspace);
            if chunk.is_relay {
                continue;
            }
            chunk.late = frame;
            for link in &mut chunk.links {
                debug_assert!(link.producer == SELF || link.producer < u32::MAX);
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

    /// The state of all nodes, if frames that change the structure begin anew.
    pub(super) fn take_snapshot(&mut self, store: &Store) -> Option<Snapshot> {
        if self.options.restart != Restart::Full || self.filled.gates.is_empty() {
            return None;
        }
        let (layout, in_store) = (self.layout.as_ref()?, self.in_store.as_ref()?);
        let mut snapshot = Snapshot { values: Vec::new(), behaviours: Vec::new(), outside: Vec::new() };
        for node in 0..self.world.scene.nodes.len() as u32 {
            for (f, declared) in (0..).zip(&self.world.scene.node(NodeId(node)).node_type.fields) {
                let field = (NodeId(node), FieldId(f));
                if let Some((chunk, slot)) = port(layout, &self.filled.homes, field) {
                    let chunk = store.workspace_ref(in_store.workspaces[chunk as usize]);
                    snapshot.values.push((field, chunk.ports.value(slot, declared.field_type)));
                }
            }
        }
        for chunk in self.chunks(store) {
            for node in &chunk.nodes {
                let behaviour = node.behaviour.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                // A node without a way back goes on from where it is.
                snapshot.behaviours.extend(behaviour.snapshot().map(|b| (node.id, b)));
            }
        }
        for outside in &self.world.outside {
            snapshot.outside.push(match outside {
                Outside::Event(field, value) => Outside::Event(*field, value.clone()),
                Outside::Emit(field, value) => Outside::Emit(*field, value.clone()),
                Outside::Tell(node, event) => Outside::Tell(*node, event.clone()),
            });
        }
        Some(snapshot)
    }

    /// Under [`Restart::Full`], goes back to the state before the frame.
    pub(super) fn begin_anew(&mut self, carried: Carried) -> Carried {
        let Some(snapshot) = &self.snapshot else { return carried };
        for (field, value) in &snapshot.values {
            self.world.scene.nodes[field.0.0 as usize].values[field.1.0 as usize] = value.clone();
        }
        for (node, behaviour) in &snapshot.behaviours {
            let nature = &self.world.natures[node.0 as usize];
            if let Some(behaviour) = behaviour.snapshot().filter(|_| !nature.is_gone) {
                self.world.behaviours[node.0 as usize] = Some(behaviour);
            }
        }
        let again = snapshot.outside.iter().map(|outside| match outside {
            Outside::Event(field, value) => Outside::Event(*field, value.clone()),
            Outside::Emit(field, value) => Outside::Emit(*field, value.clone()),
            Outside::Tell(node, event) => Outside::Tell(*node, event.clone()),
        });
        self.world.outside = again.collect();
        self.world.repeated.clear();
        self.repeats = true;
        self.log.deliveries.clear();
        self.n_before = 0;
        Carried { complaints: carried.complaints, n_routes: carried.n_routes, ..Carried::default() }
    }
}
