//! Where each node of a graph is evaluated: its parts, the numbers of their chunks, and the order in which those are recorded.

use std::collections::{BTreeMap, BTreeSet};

use super::chunk::{Chunk, VertexKind};
use super::part::Part;
use super::places::{Aliases, Field, FieldTable, Home, NONE, Spot, Way, ways};
use super::region::Region;
use super::slot::Slot;
use super::vertex::{Nature, Vertex, port, shares};
use super::world::{Dirt, World};
use crate::event::field::Value;
use crate::event::ids::NodeId;
use crate::event::scene::EventScene;

/// A stage of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    pub name: &'static str,
    pub chunks: Vec<u32>,
}

/// Parts, who reads whom, and in which order chunks are recorded.
#[derive(Default)]
pub(super) struct Layout {
    pub spots: FieldTable,
    pub aliases: Aliases,
    parts: Vec<Option<Part>>,
    /// By chunk: its part, and its number there; none of a number that is free.
    owners: Vec<Option<(u32, u32)>>,
    /// By chunk: the chunks that it reads.
    pub producers: Vec<Vec<u32>>,
    pub stages: Vec<Stage>,
    pub gates: Vec<u32>,
    pub gate_levels: BTreeSet<u32>,
    /// By what nodes share: their part.
    shared: BTreeMap<u64, u32>,
    /// How many parts there were when all was made at once.
    n_whole: usize,
    /// How many routes there were.
    pub n_routes: u32,
}

impl Layout {
    /// Makes room for nodes that have come.
    pub fn grow(&mut self, scene: &EventScene) {
        self.spots.grow(scene);
        self.aliases.grow(scene);
    }

    /// Parts by number.
    pub fn parts(&self) -> impl Iterator<Item = (u32, &Part)> {
        (0..).zip(&self.parts).filter_map(|(k, part)| Some((k, part.as_ref()?)))
    }

    /// All vertices, and where they are kept.
    pub fn vertices(&self) -> impl Iterator<Item = (&Vertex, Home)> {
        self.parts().flat_map(|(_, part)| part.vertices.iter().zip(part.homes.iter().copied()))
    }

    /// The part of a chunk, and the chunk's number there.
    pub fn owner(&self, chunk: u32) -> Option<(&Part, u32)> {
        let (part, local) = self.owners.get(chunk as usize).copied().flatten()?;
        Some((self.parts[part as usize].as_ref()?, local))
    }

    /// One more than the greatest number of a chunk.
    pub fn n_chunks(&self) -> usize {
        self.owners.len()
    }

    /// The vertex of a field, and where it is kept.
    pub fn find(&self, field: Field) -> Option<(Vertex, Home)> {
        let Spot { part, vertex } = self.spots.get(field)?;
        let part = self.parts[part as usize].as_ref()?;
        Some((part.vertices[vertex as usize], part.homes[vertex as usize]))
    }

    /// Where a field's value is kept: chunk and port; none if it does not change.
    pub fn port(&self, field: Field) -> Option<(u32, Slot)> {
        let (vertex, home) = self.find(field)?;
        Some((home.chunk, port(&vertex, home, field)))
    }

    /// The present value of a field that changes; none of one that does not. `chunk` finds chunks.
    pub fn present<'a>(
        &self,
        scene: &EventScene,
        field: Field,
        chunk: impl Fn(u32) -> &'a Chunk,
    ) -> Option<Value> {
        let declared = scene.field(field);
        let (vertex, home) = self.find(field)?;
        let chunk = chunk(home.chunk);
        if vertex.kernel.is_some() && &*declared.name != "value_changed" {
            return match chunk.vertices.get(home.local as usize)?.kind {
                VertexKind::Interpolator(batch, k) if &*declared.name == "set_fraction" => {
                    chunk.batches[batch as usize].fraction(k).map(Value::SFFloat)
                }
                _ => None,
            };
        }
        Some(chunk.ports.value(port(&vertex, home, field), declared.field_type))
    }

    /// The parts that changes of the graph concern; none if that is all of it.
    pub fn touched(&self, dirt: &Dirt, world: &World) -> Option<BTreeSet<u32>> {
        let has_crumbled = self.parts.len() > 2 * self.n_whole + 16;
        if dirt.all || has_crumbled {
            return None;
        }
        let mut touched = BTreeSet::new();
        let mut leaves = Vec::new();
        for &k in &dirt.routes {
            let route = &world.routes[k as usize];
            for end in [route.from, route.to] {
                self.aliases.leaves(end, |_| true, &mut leaves);
                touched.extend(leaves.iter().filter_map(|leaf| Some(self.spots.get(*leaf)?.part)));
            }
        }
        for &node in &dirt.nodes {
            let vertex = Vertex { node, field: NONE, kernel: None };
            let fields = vertex.fields(&world.scene);
            touched.extend(fields.filter_map(|field| Some(self.spots.get(field)?.part)));
            touched.extend(shares(&world.natures, &vertex).and_then(|what| self.shared.get(&what)));
        }
        Some(touched)
    }

    /// The numbers of all parts but these.
    pub fn others(&self, but: &BTreeSet<u32>) -> BTreeSet<u32> {
        self.parts().map(|(k, _)| k).filter(|k| !but.contains(k)).collect()
    }

    /// What parts hold after changes of the graph, as a region; of all that there is if `touched` is none. The parts are gone then.
    pub fn take_region(&mut self, touched: Option<&BTreeSet<u32>>, dirt: &Dirt, world: &World) -> Region {
        let World { scene, natures, .. } = world;
        let is_there = |node: NodeId| !natures[node.0 as usize].is_gone;
        let is_active = |node: &NodeId| natures[node.0 as usize].is_active;
        let (mut kept, mut active): (Vec<Way>, Vec<NodeId>) = (Vec::new(), Vec::new());
        let gone = touched.cloned().unwrap_or_else(|| self.others(&BTreeSet::new()));
        for &k in &gone {
            let Some(part) = self.parts[k as usize].take() else { continue };
            for vertex in &part.vertices {
                vertex.fields(scene).for_each(|field| self.spots.set(field, None));
            }
            for &number in &part.numbers {
                self.owners[number as usize] = None;
                self.producers[number as usize].clear();
            }
            if touched.is_some() {
                active.extend(part.vertices.iter().filter(|v| v.field == NONE).map(|v| v.node));
                let stays =
                    |w: &Way| world.is_routed[w.route as usize] && is_there(w.from.0) && is_there(w.to.0);
                kept.extend(part.ways.into_iter().filter(stays));
            }
        }
        if touched.is_none() {
            kept = ways(scene, world.routes(), &self.aliases, is_there);
            active.extend((0..natures.len() as u32).map(NodeId));
        } else {
            let is_new = |k: &u32| *k >= self.n_routes && world.is_routed[*k as usize];
            let new = dirt.routes.iter().copied().filter(is_new);
            let new = new.map(|k| (k, &world.routes[k as usize]));
            kept.extend(ways(scene, new, &self.aliases, is_there));
            active.extend(&dirt.nodes);
        }
        Region::new(scene, natures, kept, active.into_iter().filter(is_active), &mut self.spots)
    }

    /// The levels with gates, if these parts come.
    pub fn gate_levels_with(&self, new: &[Part]) -> BTreeSet<u32> {
        let old = self.parts().map(|(_, part)| part);
        old.chain(new).flat_map(|part| part.gate_levels.iter().copied()).collect()
    }

    /// Takes in parts with what their chunks read; yields the numbers of their chunks. `is_whole`: there are no others.
    pub fn install(
        &mut self,
        parts: Vec<(Part, Vec<Vec<u32>>)>,
        is_whole: bool,
        scene: &EventScene,
        natures: &[Nature],
    ) -> Vec<u32> {
        if is_whole {
            self.parts.clear();
            self.owners.clear();
            self.producers.clear();
            self.shared.clear();
            self.n_whole = parts.len();
        }
        let free: Vec<u32> =
            (0..).zip(&self.owners).filter(|(_, owner)| owner.is_none()).map(|(c, _)| c).collect();
        let mut free = free.into_iter();
        let vacant: Vec<u32> =
            (0..).zip(&self.parts).filter(|(_, part)| part.is_none()).map(|(k, _)| k).collect();
        let mut vacant = vacant.into_iter();
        let mut numbers = Vec::new();
        for (mut part, producers) in parts {
            let k = vacant.next().unwrap_or_else(|| {
                self.parts.push(None);
                self.parts.len() as u32 - 1
            });
            for local in 0..producers.len() as u32 {
                let number = free.next().unwrap_or_else(|| {
                    self.owners.push(None);
                    self.producers.push(Vec::new());
                    self.owners.len() as u32 - 1
                });
                self.owners[number as usize] = Some((k, local));
                part.numbers.push(number);
            }
            for (local, of) in producers.into_iter().enumerate() {
                let of = of.into_iter().map(|p| part.numbers[p as usize]).collect();
                self.producers[part.numbers[local] as usize] = of;
            }
            for home in &mut part.homes {
                home.chunk = part.numbers[home.chunk as usize];
            }
            for (v, vertex) in (0..).zip(&part.vertices) {
                vertex.fields(scene).for_each(|f| self.spots.set(f, Some(Spot { part: k, vertex: v })));
                self.shared.extend(shares(natures, vertex).map(|what| (what, k)));
            }
            numbers.extend(&part.numbers);
            self.parts[k as usize] = Some(part);
        }
        numbers
    }

    /// Lists the stages: segment by segment, within one by level, then its gates.
    pub fn order(&mut self) {
        let mut all: Vec<_> = self
            .parts()
            .flat_map(|(_, part)| part.stage_keys.iter().copied().zip(part.numbers.iter().copied()))
            .collect();
        all.sort_unstable();
        (self.stages, self.gates) = (Vec::new(), Vec::new());
        for stage in all.chunk_by(|a, b| a.0 == b.0) {
            let name = match stage[0].0 {
                (_, true, u64::MAX) => "cascade",
                (_, true, _) => "gate",
                _ => "events",
            };
            let chunks: Vec<u32> = stage.iter().map(|s| s.1).collect();
            if name == "gate" {
                self.gates.extend(&chunks);
            }
            self.stages.push(Stage { name, chunks });
        }
    }
}
