//! Chunks with what their nodes keep, made from a layout.

use std::sync::Mutex;

use super::chunk::{ActiveNode, Chunk, Copy, Gate, Inner, Link, LocalVertex, Loop, SELF, Step, VertexKind};
use super::kernels::{Batch, KnownWays};
use super::layout::{Layout, Nature, keys_of};
use super::options::{EventOptions, Mode};
use super::places::{Field, NONE, Way};
use super::slot::Slot;
use super::work::Work;
use crate::event::behaviour::{Behaviour, Reach};
use crate::event::field::Value;
use crate::event::ids::FieldId;
use crate::event::scene::EventScene;
use crate::graph::NodeKey;

/// A node's behaviour, while no chunk has it.
pub(super) type Kept = Option<Box<dyn Behaviour>>;

/// Where a vertex is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    pub chunk: u32,
    /// Its number among the chunk's vertices.
    pub local: u32,
    /// Its value, or the first of its node's fields.
    pub slot: Slot,
}

/// A stage of tasks.
pub(super) struct Stage {
    pub name: &'static str,
    pub chunks: Vec<u32>,
}

/// Chunks, who reads whom, and in which order they are recorded.
pub(super) struct Filled {
    pub chunks: Vec<Chunk>,
    pub producers: Vec<Vec<u32>>,
    pub stages: Vec<Stage>,
    pub gates: Vec<u32>,
    pub homes: Vec<Home>,
}

/// Makes the chunks of a layout. Behaviours of nodes that no kernel evaluates move into them.
pub(super) fn fill(
    layout: &Layout,
    scene: &EventScene,
    natures: &[Nature],
    (behaviours, known_ways): (&mut [Kept], &mut [KnownWays]),
    options: &EventOptions,
) -> Filled {
    let n = layout.chunks.len();
    let mut filled = Filled {
        chunks: (0..n).map(|_| Chunk::new(options.log)).collect(),
        producers: (0..n as u32).map(|c| layout.chunks.before(c).to_vec()).collect(),
        stages: Vec::new(),
        gates: Vec::new(),
        homes: vec![Home { chunk: 0, local: 0, slot: Slot::narrow(0) }; layout.vertices.len()],
    };
    let mut filler = Filler { layout, scene, natures, known_ways, filled: &mut filled };
    for c in 0..n as u32 {
        filler.place_vertices(c, behaviours);
    }
    let relays = match options.mode {
        Mode::Dataflow => Vec::new(),
        Mode::Levels(_) => filler.relays(options),
    };
    for c in 0..n as u32 {
        filler.link(c, &relays);
    }
    filler.order(&relays);
    filled
}

/// Where a field's value is kept: chunk and port; none if it does not change.
pub(super) fn port(layout: &Layout, homes: &[Home], field: Field) -> Option<(u32, Slot)> {
    let vertex = layout.vertex_of.get(field);
    let home = homes.get(vertex as usize)?;
    let known = layout.vertices[vertex as usize];
    if known.field == NONE && known.kernel.is_none() {
        let base = home.slot.split().err()? as u32;
        return Some((home.chunk, Slot::wide(base + field.1.0)));
    }
    Some((home.chunk, home.slot))
}

/// The present value of a field that changes; none of one that does not. `chunk` finds chunks.
pub(super) fn present<'a>(
    layout: &Layout,
    homes: &[Home],
    scene: &EventScene,
    field: Field,
    chunk: impl Fn(u32) -> &'a Chunk,
) -> Option<Value> {
    let declared = scene.field(field);
    let vertex = layout.vertex_of.get(field);
    let known = layout.vertices.get(vertex as usize)?;
    if known.kernel.is_some() && &*declared.name != "value_changed" {
        let home = homes[vertex as usize];
        let chunk = chunk(home.chunk);
        return match chunk.vertices.get(home.local as usize)?.kind {
            VertexKind::Interpolator(batch, k) if &*declared.name == "set_fraction" => {
                chunk.batches[batch as usize].fraction(k).map(Value::SFFloat)
            }
            _ => None,
        };
    }
    let (at, slot) = port(layout, homes, field)?;
    Some(chunk(at).ports.value(slot, declared.field_type))
}

struct Filler<'a> {
    layout: &'a Layout,
    scene: &'a EventScene,
    natures: &'a [Nature],
    known_ways: &'a mut [KnownWays],
    filled: &'a mut Filled,
}

impl Filler<'_> {
    /// The vertices of a chunk by level, in the order of components.
    fn levels(&self, c: u32) -> Vec<Vec<u32>> {
        let (order, components) = (self.layout.order(), self.layout.chunks.components(c));
        let of_level = components.chunk_by(|a, b| order.level(*a) == order.level(*b));
        of_level.map(|run| run.to_vec()).collect()
    }

    fn place_vertices(&mut self, c: u32, behaviours: &mut [Kept]) {
        let layout = self.layout;
        let mut chunk = std::mem::replace(&mut self.filled.chunks[c as usize], Chunk::new(false));
        for level in self.levels(c) {
            for &component in &level {
                let first = chunk.vertices.len() as u32;
                for &v in layout.order().members(component) {
                    let slot = self.place_vertex(v, &mut chunk, behaviours);
                    let local = chunk.vertices.len() as u32 - 1;
                    self.filled.homes[v as usize] = super::fill::Home { chunk: c, local, slot };
                }
                if layout.order().is_cycle(component) {
                    let vertices = first..chunk.vertices.len() as u32;
                    let inner = vec![Vec::new(); vertices.len()];
                    chunk.loops.push(Loop { vertices, inner, ..Loop::default() });
                }
            }
            self.place_kernels(&level, &mut chunk);
        }
        self.filled.chunks[c as usize] = chunk;
    }

    fn place_vertex(&self, v: u32, chunk: &mut Chunk, behaviours: &mut [Kept]) -> Slot {
        let vertex = self.layout.vertices[v as usize];
        let (node, nature) = (self.scene.node(vertex.node), &self.natures[vertex.node.0 as usize]);
        let component = self.layout.structure.component(NodeKey(v));
        let (kind, slot) = if vertex.field != NONE {
            let slot = chunk.ports.add(&node.values[vertex.field as usize]);
            (VertexKind::Passive(slot), slot)
        } else if vertex.kernel.is_some() {
            let out = node.node_type.field("value_changed").map_or(0, |f| f.0 as usize);
            // Its place in a batch follows.
            (VertexKind::Interpolator(0, 0), chunk.ports.add(&node.values[out]))
        } else {
            let begin = chunk.ports.wide.len() as u32;
            for value in &node.values {
                chunk.ports.add_wide(value.clone());
            }
            let behaviour = behaviours[vertex.node.0 as usize].take();
            chunk.nodes.push(ActiveNode {
                id: vertex.node,
                node_type: node.node_type.clone(),
                fields: begin..chunk.ports.wide.len() as u32,
                is_timed: nature.is_timed,
                ticked: 0,
                turned: 0,
                received: 0,
                behaviour: Mutex::new(behaviour.unwrap_or_else(|| Box::new(Nothing))),
            });
            chunk.is_timed |= nature.is_timed;
            if nature.reach == Reach::Graph {
                chunk.gate = Gate::Shut;
            }
            (VertexKind::Node(chunk.nodes.len() as u32 - 1), Slot::wide(begin))
        };
        chunk.vertices.push(LocalVertex { kind, links: 0..0, order: component });
        slot
    }

    /// Sorts the interpolators of a level by kind and source.
    fn place_kernels(&mut self, level: &[u32], chunk: &mut Chunk) {
        let layout = self.layout;
        let mut found = Vec::new();
        for &component in level {
            for &v in layout.order().members(component) {
                if let Some(kind) = layout.vertices[v as usize].kernel {
                    let way = layout.ways[layout.ways_to[v as usize].start as usize];
                    found.push((kind, way.from, v));
                }
            }
        }
        found.sort_unstable();
        for of_kind in found.chunk_by(|a, b| a.0 == b.0) {
            let number = chunk.batches.len() as u32;
            let mut kernel = of_kind[0].0.kernel();
            for &(_, _, v) in of_kind {
                let home = self.filled.homes[v as usize];
                let node = layout.vertices[v as usize].node;
                let keys = keys_of(self.scene, node);
                let known = &mut self.known_ways[node.0 as usize];
                // The kind takes these keys, or the node had no kernel.
                let is_added = keys.is_some_and(|(keys, values)| kernel.add(keys, values, home.slot, known));
                debug_assert!(is_added);
                let place = VertexKind::Interpolator(number, kernel.len() as u32 - 1);
                chunk.vertices[home.local as usize].kind = place;
            }
            chunk.batches.push(Batch { runs: Vec::new(), kernel });
        }
    }

    /// Where a field's value is kept.
    fn port(&self, field: Field) -> (u32, Slot) {
        port(self.layout, &self.filled.homes, field).unwrap_or((0, Slot::narrow(0)))
    }

    /// A chunk for each level that takes the events that leave it, and where each way's event lies there.
    fn relays(&mut self, options: &EventOptions) -> Vec<(u32, Slot)> {
        let layout = self.layout;
        let level = |way: &Way| {
            let from = layout.order().component(NodeKey(layout.vertex_of.get(way.from)));
            layout.order().level(from)
        };
        let first = self.filled.chunks.len() as u32;
        let n_levels = layout.order().n_levels();
        for _ in 0..n_levels {
            let mut chunk = Chunk::new(options.log);
            chunk.is_relay = true;
            self.filled.chunks.push(chunk);
            self.filled.producers.push(Vec::new());
        }
        let mut copies: Vec<Vec<Copy>> = vec![Vec::new(); n_levels as usize];
        let mut places = Vec::with_capacity(layout.ways.len());
        for way in &layout.ways {
            let relay = first + level(way);
            let (chunk, from) = self.port(way.from);
            let producers = &mut self.filled.producers[relay as usize];
            if producers.last() != Some(&chunk) {
                producers.push(chunk);
            }
            let field_type = self.scene.field(way.from).field_type;
            let value = &self.scene.node(way.from.0).values[way.from.1.0 as usize];
            let to = self.filled.chunks[relay as usize].ports.add(value);
            copies[level(way) as usize].push(Copy { producer: chunk, from, to, field_type });
            places.push((relay, to));
        }
        for (level, mut copies) in copies.into_iter().enumerate() {
            let relay = first as usize + level;
            let producers = &mut self.filled.producers[relay];
            producers.sort_unstable();
            producers.dedup();
            for copy in &mut copies {
                copy.producer = producers.partition_point(|&p| p < copy.producer) as u32;
            }
            self.filled.chunks[relay].steps = [Step::Copies(copies)].into();
        }
        places
    }

    /// Links a chunk's vertices to what they receive from, and lists the steps of its work.
    fn link(&mut self, c: u32, relays: &[(u32, Slot)]) {
        if !relays.is_empty() {
            let mut from: Vec<u32> = Vec::new();
            for &component in self.layout.chunks.components(c) {
                for &v in self.layout.order().members(component) {
                    let ways = self.layout.ways_to[v as usize].clone();
                    from.extend(ways.map(|w| relays[w as usize].0));
                }
            }
            // Order that no way keeps: of nodes that share something.
            from.extend(self.layout.chunks.before(c));
            from.sort_unstable();
            from.dedup();
            self.filled.producers[c as usize] = from;
        }
        let mut chunk = std::mem::replace(&mut self.filled.chunks[c as usize], Chunk::new(false));
        let mut steps = Vec::new();
        let mut loops = 0;
        for level in self.levels(c) {
            let mut work = Work::default();
            for &component in &level {
                let is_cycle = self.layout.order().is_cycle(component);
                for &v in self.layout.order().members(component) {
                    self.link_vertex(c, v, &mut chunk, is_cycle.then_some(loops), relays);
                    if !is_cycle {
                        work.add(&chunk, self.filled.homes[v as usize].local);
                    }
                }
                if is_cycle {
                    let circle: &mut Loop = &mut chunk.loops[loops as usize];
                    circle.inner.iter_mut().for_each(|ways| ways.sort_by_key(|w| (w.route, w.to)));
                    work.loops.push(loops);
                    loops += 1;
                }
            }
            work.finish(&mut chunk, &mut steps);
        }
        if chunk.gate == Gate::None {
            chunk.steps = steps.into();
        }
        self.filled.chunks[c as usize] = chunk;
    }

    fn link_vertex(&self, c: u32, v: u32, chunk: &mut Chunk, circle: Option<u32>, relays: &[(u32, Slot)]) {
        let layout = self.layout;
        let begin = chunk.links.len() as u32;
        let local = self.filled.homes[v as usize].local;
        for w in layout.ways_to[v as usize].clone() {
            let way = layout.ways[w as usize];
            let from = layout.vertex_of.get(way.from);
            let field_type = self.scene.field(way.from).field_type;
            let same =
                |a: u32, b: u32| layout.order().component(NodeKey(a)) == layout.order().component(NodeKey(b));
            if let Some(circle) = circle.filter(|_| same(from, v)) {
                let circle = &mut chunk.loops[circle as usize];
                let is_field = layout.vertices[from as usize].field != NONE;
                let sender = self.filled.homes[from as usize].local - circle.vertices.start;
                circle.inner[sender as usize].push(Inner {
                    from: if is_field { 0 } else { way.from.1.0 },
                    to: local,
                    field: way.to.1.0,
                    field_type,
                    route: way.route,
                    way: w,
                    delivered: 0,
                });
                continue;
            }
            let (producer, slot) = relays.get(w as usize).copied().unwrap_or_else(|| self.port(way.from));
            let producer = if producer == c {
                SELF
            } else {
                self.filled.producers[c as usize].partition_point(|&p| p < producer) as u32
            };
            chunk.links.push(Link {
                producer,
                slot,
                field_type,
                field: way.to.1.0,
                route: way.route,
                way: w,
                delivered: 0,
            });
        }
        chunk.vertices[local as usize].links = begin..chunk.links.len() as u32;
    }

    /// Lists the stages: segment by segment, within one by level, then its gates.
    fn order(&mut self, relays: &[(u32, Slot)]) {
        let layout = self.layout;
        let first = |c: u32| layout.chunks.components(c)[0];
        let mut all: Vec<(u32, bool, u32, u32)> = Vec::new();
        let is_by_level = self.filled.chunks.len() > layout.chunks.len() || !relays.is_empty();
        for c in 0..layout.chunks.len() as u32 {
            let is_gate = self.filled.chunks[c as usize].gate != Gate::None;
            let level = layout.order().level(first(c));
            let segment = if is_by_level { level } else { layout.segments[first(c) as usize] };
            let place = if is_gate { first(c) } else { layout.chunks.level(c) };
            all.push((segment, is_gate, place, c));
        }
        for relay in layout.chunks.len() as u32..self.filled.chunks.len() as u32 {
            let level = relay - layout.chunks.len() as u32;
            all.push((level, true, u32::MAX, relay));
        }
        all.sort_unstable();
        for stage in all.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
            let (_, is_gate, place, _) = stage[0];
            let name = match (is_gate, place) {
                (true, u32::MAX) => "cascade",
                (true, _) => "gate",
                _ => "events",
            };
            let chunks: Vec<u32> = stage.iter().map(|s| s.3).collect();
            if name == "gate" {
                self.filled.gates.extend(&chunks);
            }
            self.filled.stages.push(Stage { name, chunks });
        }
    }
}

/// What stands for a behaviour that is missing: nothing happens.
struct Nothing;

impl Behaviour for Nothing {
    fn receive(&mut self, _: FieldId, _: &mut dyn crate::event::behaviour::Turn) {}
    fn snapshot(&self) -> Option<Box<dyn Behaviour>> {
        Some(Box::new(Self))
    }
}
