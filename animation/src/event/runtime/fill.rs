//! Chunks with what their nodes keep, made of a part.

use std::sync::Mutex;

use super::chunk::{ActiveNode, Chunk, Gate, Inner, Link, LocalVertex, Loop, SELF, VertexKind};
use super::kernels::{Batch, KnownWays};
use super::options::{EventOptions, Mode};
use super::part::{Part, StageKey};
use super::places::{Home, NONE, Way};
use super::slot::Slot;
use super::vertex::{Nature, keys_of, port};
use super::work::Work;
use crate::event::behaviour::{Behaviour, Reach};
use crate::event::field::{Access, FieldType};
use crate::event::ids::FieldId;
use crate::event::scene::{EventScene, FieldDeclaration, NodeType};
use crate::graph::NodeKey;

/// A node's behaviour, while no chunk has it.
pub(super) type Kept = Option<Box<dyn Behaviour>>;

/// Chunks, and who reads whom, by their numbers in the part.
pub(super) struct Filled {
    pub chunks: Vec<Chunk>,
    pub producers: Vec<Vec<u32>>,
}

/// Makes the chunks of a part. Behaviours of nodes that no kernel evaluates move into them.
pub(super) fn fill(
    part: &mut Part,
    scene: &EventScene,
    natures: &[Nature],
    (behaviours, known_ways): (&mut [Kept], &mut [KnownWays]),
    options: &EventOptions,
) -> Filled {
    let n = part.chunks.len();
    let mut filled = Filled {
        chunks: (0..n).map(|_| Chunk::new(options.log)).collect(),
        producers: (0..n as u32).map(|c| part.chunks.before(c).to_vec()).collect(),
    };
    let homes = vec![Home { chunk: 0, local: 0, slot: Slot::narrow(0) }; part.vertices.len()];
    let mut filler = Filler { part, scene, natures, known_ways, homes, filled: &mut filled };
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
    let stage_keys = filler.stage_keys();
    let homes = filler.homes;
    (part.homes, part.stage_keys) = (homes, stage_keys);
    filled
}

/// A part whose chunks are being filled.
pub(super) struct Filler<'a> {
    pub part: &'a Part,
    pub scene: &'a EventScene,
    natures: &'a [Nature],
    known_ways: &'a mut [KnownWays],
    homes: Vec<Home>,
    pub filled: &'a mut Filled,
}

impl Filler<'_> {
    /// The vertices of a chunk by level, in the order of components.
    fn levels(&self, c: u32) -> Vec<Vec<u32>> {
        let (order, components) = (self.part.order(), self.part.chunks.components(c));
        let of_level = components.chunk_by(|a, b| order.level(*a) == order.level(*b));
        of_level.map(|run| run.to_vec()).collect()
    }

    fn place_vertices(&mut self, c: u32, behaviours: &mut [Kept]) {
        let part = self.part;
        let mut chunk = std::mem::replace(&mut self.filled.chunks[c as usize], Chunk::new(false));
        for level in self.levels(c) {
            for &component in &level {
                let first = chunk.vertices.len() as u32;
                for &v in part.order().members(component) {
                    let slot = self.place_vertex(v, &mut chunk, behaviours);
                    let local = chunk.vertices.len() as u32 - 1;
                    self.homes[v as usize] = Home { chunk: c, local, slot };
                }
                if part.order().is_cycle(component) {
                    let vertices = first..chunk.vertices.len() as u32;
                    let inner = vec![Vec::new(); vertices.len()];
                    chunk.loops.push(Loop { vertices, inner, ..Loop::default() });
                }
            }
            self.place_kernels(&level, &mut chunk);
        }
        // No frame makes room for states that wait.
        chunk.waiting.reserve_exact(chunk.nodes.iter().map(|node| n_states(&node.node_type)).sum());
        self.filled.chunks[c as usize] = chunk;
    }

    fn place_vertex(&self, v: u32, chunk: &mut Chunk, behaviours: &mut [Kept]) -> Slot {
        let vertex = self.part.vertices[v as usize];
        let (node, nature) = (self.scene.node(vertex.node), &self.natures[vertex.node.0 as usize]);
        let place = self.part.place(v);
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
                received: 0,
                behaviour: Mutex::new(behaviour.unwrap_or_else(|| Box::new(Nothing))),
            });
            chunk.is_timed |= nature.is_timed;
            if nature.reach == Reach::Graph {
                chunk.gate = Gate::Shut;
            }
            (VertexKind::Node(chunk.nodes.len() as u32 - 1), Slot::wide(begin))
        };
        chunk.vertices.push(LocalVertex { kind, links: 0..0, order: place });
        slot
    }

    /// Sorts the interpolators of a level by kind and source.
    fn place_kernels(&mut self, level: &[u32], chunk: &mut Chunk) {
        let part = self.part;
        let mut found = Vec::new();
        for &component in level {
            for &v in part.order().members(component) {
                if let Some(kind) = part.vertices[v as usize].kernel {
                    let way = part.ways[part.ways_to[v as usize].start as usize];
                    found.push((kind, way.from, v));
                }
            }
        }
        found.sort_unstable();
        for of_kind in found.chunk_by(|a, b| a.0 == b.0) {
            let number = chunk.batches.len() as u32;
            let mut kernel = of_kind[0].0.kernel();
            for &(_, _, v) in of_kind {
                let home = self.homes[v as usize];
                let node = part.vertices[v as usize].node;
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

    /// Where the value that a way takes is kept.
    pub fn source(&self, way: &Way) -> (u32, Slot) {
        let home = self.homes[way.sender as usize];
        (home.chunk, port(&self.part.vertices[way.sender as usize], home, way.from))
    }

    /// Links a chunk's vertices to what they receive from, and lists the steps of its work.
    fn link(&mut self, c: u32, relays: &[(u32, Slot)]) {
        if !relays.is_empty() {
            let mut from: Vec<u32> = Vec::new();
            for &component in self.part.chunks.components(c) {
                for &v in self.part.order().members(component) {
                    let ways = self.part.ways_to[v as usize].clone();
                    from.extend(ways.map(|w| relays[w as usize].0));
                }
            }
            // Order that no way keeps: of nodes that share something.
            from.extend(self.part.chunks.before(c));
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
                let is_cycle = self.part.order().is_cycle(component);
                for &v in self.part.order().members(component) {
                    self.link_vertex(c, v, &mut chunk, is_cycle.then_some(loops), relays);
                    if !is_cycle {
                        work.add(&chunk, self.homes[v as usize].local);
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
        let part = self.part;
        let begin = chunk.links.len() as u32;
        let local = self.homes[v as usize].local;
        for w in part.ways_to[v as usize].clone() {
            let way = part.ways[w as usize];
            let from = way.sender;
            let field_type = self.scene.field(way.from).field_type;
            let same =
                |a: u32, b: u32| part.order().component(NodeKey(a)) == part.order().component(NodeKey(b));
            if let Some(circle) = circle.filter(|_| same(from, v)) {
                let circle = &mut chunk.loops[circle as usize];
                let is_field = part.vertices[from as usize].field != NONE;
                let sender = self.homes[from as usize].local - circle.vertices.start;
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
            let (producer, slot) = relays.get(w as usize).copied().unwrap_or_else(|| self.source(&way));
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

    /// Where each chunk is recorded: segment by segment, within one by level, then its gates.
    fn stage_keys(&self) -> Vec<StageKey> {
        let part = self.part;
        let n = part.chunks.len() as u32;
        let of_chunk = |c: u32| {
            let is_gate = self.filled.chunks[c as usize].gate != Gate::None;
            let first = part.chunks.components(c)[0];
            let segment = *part.ranks.get(first as usize).unwrap_or(&part.segments[first as usize]);
            let (_, node, field) = part.place(part.order().members(first)[0]);
            let place = if is_gate {
                u64::from(node) << 32 | u64::from(field)
            } else {
                u64::from(part.chunks.level(c))
            };
            (segment, is_gate, place)
        };
        let relays = n..self.filled.chunks.len() as u32;
        (0..n).map(of_chunk).chain(relays.map(|relay| (relay - n, true, u64::MAX))).collect()
    }
}

/// How many fields of a node may have states that wait.
fn n_states(node_type: &NodeType) -> usize {
    let is_state =
        |f: &&FieldDeclaration| (f.field_type, f.access) == (FieldType::SFBool, Access::OutputOnly);
    node_type.fields.iter().filter(is_state).count()
}

/// What stands for a behaviour that is missing: nothing happens.
struct Nothing;

impl Behaviour for Nothing {
    fn receive(&mut self, _: FieldId, _: &mut dyn crate::event::behaviour::Turn) {}
}
