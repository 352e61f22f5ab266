//! Parts of a graph that no way joins: vertices, their order, and the chunks that become tasks.
//!
//! A change of the graph concerns the parts that it touches, and leaves all others as they are.

use std::collections::BTreeSet;
use std::ops::Range;

use super::counted;
use super::hierarchy;
use super::kept::Scales;
use super::options::{EventOptions, Mode};
use super::places::{Home, NONE, Place, Way};
use super::region::Region;
use super::vertex::{Nature, Vertex, cost_kind, estimate, shares};
use crate::event::behaviour::Reach;
use crate::event::scene::EventScene;
use crate::graph::{ALONE, Chunks, Graph, NodeKey, Port, Structure};

/// A chunk's place among the stages: segment, whether it is a gate, and its place in the segment.
pub(super) type StageKey = (u32, bool, u64);

/// Vertices that no way joins with others, and their order.
pub(super) struct Part {
    pub vertices: Vec<Vertex>,
    /// Sorted by the vertex that receives, then by route.
    pub ways: Vec<Way>,
    /// Which of the ways lead to each vertex.
    pub ways_to: Vec<Range<u32>>,
    /// Components in the order of deliveries.
    pub structure: Structure,
    /// The same with the order of nodes that share something, if there are any.
    ordered: Option<Structure>,
    pub chunks: Chunks,
    /// By component of [`Self::order`]: how many gates come before it.
    pub segments: Vec<u32>,
    /// By component of [`Self::order`], level by level: the number of its batch.
    pub ranks: Vec<u32>,
    /// By component of [`Self::order`]: whether a node of it reaches the whole graph.
    is_gate: Vec<bool>,
    /// The levels at which there are gates.
    pub gate_levels: BTreeSet<u32>,
    /// By vertex.
    pub homes: Vec<Home>,
    /// The numbers of its chunks in the graph.
    pub numbers: Vec<u32>,
    /// By chunk.
    pub stage_keys: Vec<StageKey>,
}

impl Part {
    /// Of what a region holds; it is cut into chunks once all gates are known.
    pub fn new(scene: &EventScene, natures: &[Nature], region: Region, options: &EventOptions) -> Self {
        let Region { vertices, mut ways } = region;
        ways.sort_by_key(|way| (way.receiver, way.route));
        let mut ways_to = vec![0..0; vertices.len()];
        let mut begin = 0;
        for run in ways.chunk_by(|a, b| a.receiver == b.receiver) {
            ways_to[run[0].receiver as usize] = begin..begin + run.len() as u32;
            begin += run.len() as u32;
        }
        let mut graph = Graph::new();
        for _ in &vertices {
            graph.add_node();
        }
        for way in &ways {
            let port = |vertex, port| Port { node: NodeKey(vertex), port };
            graph.connect(port(way.sender, way.from.1.0), port(way.receiver, way.to.1.0));
        }
        let structure = Structure::of(&graph);
        let ordered = order_of_shared(&graph, &structure, &vertices, natures);
        let mut part = Self {
            vertices,
            ways,
            ways_to,
            segments: Vec::new(),
            ranks: Vec::new(),
            is_gate: Vec::new(),
            gate_levels: BTreeSet::new(),
            chunks: Chunks::of(&Structure::of(&Graph::new()), options.fusion, |_| 0, |_| 0),
            structure,
            ordered,
            homes: Vec::new(),
            numbers: Vec::new(),
            stage_keys: Vec::new(),
        };
        part.choose_kernels(scene, natures, options);
        let order = part.order();
        let components = 0..order.n_components() as u32;
        part.is_gate = components.clone().map(|c| part.reaches(natures, c)).collect();
        let gates = components.filter(|&c| part.is_gate[c as usize]);
        part.gate_levels = gates.map(|c| part.order().level(c)).collect();
        part
    }

    /// Components with producers first, in which nodes that share something have an order.
    pub fn order(&self) -> &Structure {
        self.ordered.as_ref().unwrap_or(&self.structure)
    }

    /// Where a vertex's component stands in the order of deliveries.
    pub fn place(&self, vertex: u32) -> Place {
        let component = self.structure.component(NodeKey(vertex));
        let first = self.vertices[self.structure.members(component)[0] as usize];
        (self.structure.level(component), first.node.0, first.field)
    }

    /// The vertices of a chunk.
    pub fn members(&self, chunk: u32) -> impl Iterator<Item = u32> + '_ {
        self.chunks.components(chunk).iter().flat_map(|&c| self.order().members(c)).copied()
    }

    /// Whether a component has a node that reaches the whole graph.
    fn reaches(&self, natures: &[Nature], component: u32) -> bool {
        self.order().members(component).iter().any(|&k| {
            counted::visit();
            let nature = &natures[self.vertices[k as usize].node.0 as usize];
            nature.is_active && nature.reach == Reach::Graph
        })
    }

    /// Finds the interpolators that a kernel evaluates: fed by one way, to their fraction, and nothing else leaves or reaches them.
    fn choose_kernels(&mut self, scene: &EventScene, natures: &[Nature], options: &EventOptions) {
        if !options.kernels {
            return;
        }
        let field_name =
            |(node, field): super::places::Field| &*scene.node(node).node_type.fields[field.0 as usize].name;
        let mut leaves_elsewhere = vec![false; self.vertices.len()];
        for way in &self.ways {
            leaves_elsewhere[way.sender as usize] |= field_name(way.from) != "value_changed";
        }
        for (k, leaves_elsewhere) in leaves_elsewhere.into_iter().enumerate() {
            let vertex = self.vertices[k];
            let nature = &natures[vertex.node.0 as usize];
            if vertex.field != NONE || nature.is_by_behaviour || nature.kernel.is_none() || leaves_elsewhere {
                continue;
            }
            let ways = &self.ways[self.ways_to[k].start as usize..self.ways_to[k].end as usize];
            let is_in_circle = || self.structure.is_cycle(self.structure.component(NodeKey(k as u32)));
            if let [way] = ways
                && field_name(way.to) == "set_fraction"
                && !is_in_circle()
            {
                self.vertices[k].kernel = nature.kernel;
            }
        }
    }

    /// Cuts the part into chunks. What reaches the whole graph stands alone, and what it may change comes after it. `gates` are the levels with gates of
    /// the whole graph.
    pub fn cut(
        &mut self,
        scene: &EventScene,
        gates: &BTreeSet<u32>,
        options: &EventOptions,
        scales: &Scales,
    ) {
        let order = self.order();
        let n = order.n_components() as u32;
        let segments: Vec<u32> = (0..n).map(|c| gates.range(..order.level(c)).count() as u32).collect();
        let class = |k: NodeKey| {
            let c = order.component(k);
            if self.is_gate[c as usize] { ALONE } else { segments[c as usize] }
        };
        let cost = |k: NodeKey| {
            let vertex = &self.vertices[k.0 as usize];
            (f64::from(self.cost(k.0, scene)) * scales.of(&cost_kind(scene, vertex))).ceil() as u32
        };
        let mut ranks = Vec::new();
        let chunks = match options.mode {
            Mode::Dataflow => Chunks::of(order, options.fusion, cost, class),
            Mode::Levels(strategy) => {
                let reaches = |c: u32| self.is_gate[c as usize];
                ranks = hierarchy::ranks(order, &self.vertices, scene, &segments, reaches);
                Chunks::of_groups(order, strategy.groups(&ranks, reaches, options.workers), cost)
            }
        };
        (self.segments, self.ranks, self.chunks) = (segments, ranks, chunks);
    }

    /// An estimate of a vertex's time \[ns\].
    pub fn cost(&self, vertex: u32, scene: &EventScene) -> u32 {
        estimate(scene, &self.vertices[vertex as usize], self.ways_to[vertex as usize].len() as u32)
    }
}

/// Nodes that share something come in the order of their components, and one after the other.
fn order_of_shared(
    graph: &Graph,
    structure: &Structure,
    vertices: &[Vertex],
    natures: &[Nature],
) -> Option<Structure> {
    let mut sharing: Vec<(u64, u32, u32)> = Vec::new();
    for (k, vertex) in vertices.iter().enumerate() {
        if let Some(what) = shares(natures, vertex) {
            sharing.push((what, structure.component(NodeKey(k as u32)), k as u32));
        }
    }
    sharing.sort_unstable();
    let pairs = sharing.windows(2).filter(|w| w[0].0 == w[1].0 && w[0].1 != w[1].1);
    let order: Vec<_> = pairs.map(|w| (NodeKey(w[0].2), NodeKey(w[1].2))).collect();
    (!order.is_empty()).then(|| Structure::with_order(graph, &order))
}
