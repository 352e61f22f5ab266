//! Where each node of a graph is evaluated: vertices, their order, and the chunks that become tasks.

use std::ops::Range;

use super::kept::{CostKind, Scales};
use super::kernels::KernelKind;
use super::options::{EventOptions, Mode};
use super::places::{Aliases, FieldTable, NONE, Way};
use crate::event::behaviour::Reach;
use crate::event::field::Value;
use crate::event::ids::{FieldId, NodeId};
use crate::event::scene::EventScene;
use crate::graph::{ALONE, Chunks, Graph, NodeKey, Port, Structure};

/// What is known of a node beside its fields.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nature {
    /// Whether it has a behaviour.
    pub is_active: bool,
    pub is_timed: bool,
    pub reach: Reach,
    /// The same once something from outside the routes speaks to it.
    pub reach_of_host: Reach,
    pub is_initialized: bool,
    /// The kernel that may evaluate it.
    pub kernel: Option<KernelKind>,
    /// Whether its behaviour evaluates it, though there is a kernel of its kind.
    pub is_by_behaviour: bool,
    /// It has been removed.
    pub is_gone: bool,
}

/// What takes part in a cascade: a node with a behaviour (field [`NONE`]), or a field of one without.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub node: NodeId,
    pub field: u32,
    /// The kernel that evaluates it, if one does.
    pub kernel: Option<KernelKind>,
}

/// Vertices, their ways, and their order.
pub(super) struct Layout {
    pub vertices: Vec<Vertex>,
    /// The vertex of each field that changes.
    pub vertex_of: FieldTable,
    pub aliases: Aliases,
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
    /// How many routes there were.
    pub n_routes: u32,
}

impl Layout {
    /// Of a graph as it is now.
    pub fn new(
        scene: &EventScene,
        natures: &[Nature],
        (ways, aliases): (Vec<Way>, Aliases),
        options: &EventOptions,
        scales: &Scales,
    ) -> Self {
        let mut vertex_of = FieldTable::of(scene);
        for way in &ways {
            vertex_of.set(way.from, 0);
            vertex_of.set(way.to, 0);
        }
        let mut vertices = Vec::new();
        for (k, (node, nature)) in scene.nodes.iter().zip(natures).enumerate() {
            let id = NodeId(k as u32);
            for field in 0..node.node_type.fields.len() as u32 {
                let at = (id, FieldId(field));
                if nature.is_active {
                    vertex_of.set(at, vertices.len() as u32);
                } else if vertex_of.get(at) != NONE {
                    vertex_of.set(at, vertices.len() as u32);
                    vertices.push(Vertex { node: id, field, kernel: None });
                }
            }
            if nature.is_active {
                vertices.push(Vertex { node: id, field: NONE, kernel: None });
            }
        }
        let mut ways = ways;
        ways.sort_by_key(|way| (vertex_of.get(way.to), way.route));
        let mut ways_to = vec![0..0; vertices.len()];
        let mut begin = 0;
        for run in ways.chunk_by(|a, b| vertex_of.get(a.to) == vertex_of.get(b.to)) {
            ways_to[vertex_of.get(run[0].to) as usize] = begin..begin + run.len() as u32;
            begin += run.len() as u32;
        }
        let mut graph = Graph::new();
        for _ in &vertices {
            graph.add_node();
        }
        for way in &ways {
            let port = |field| Port { node: NodeKey(vertex_of.get(field)), port: field.1.0 };
            graph.connect(port(way.from), port(way.to));
        }
        let structure = Structure::of(&graph);
        let ordered = order_of_shared(&graph, &structure, &vertices, natures);
        let mut layout = Self {
            vertices,
            vertex_of,
            aliases,
            ways,
            ways_to,
            segments: Vec::new(),
            n_routes: 0,
            chunks: Chunks::of(&Structure::of(&Graph::new()), options.fusion, |_| 0, |_| 0),
            structure,
            ordered,
        };
        layout.choose_kernels(scene, natures, options);
        layout.cut(scene, natures, options, scales);
        layout
    }

    /// Components with producers first, in which nodes that share something have an order.
    pub fn order(&self) -> &Structure {
        self.ordered.as_ref().unwrap_or(&self.structure)
    }

    /// Finds the interpolators that a kernel evaluates: fed by one way, to their fraction, and nothing else leaves or reaches them.
    fn choose_kernels(&mut self, scene: &EventScene, natures: &[Nature], options: &EventOptions) {
        if !options.kernels {
            return;
        }
        let field_name =
            |(node, field): (NodeId, FieldId)| &*scene.node(node).node_type.fields[field.0 as usize].name;
        let mut leaves_elsewhere = vec![false; self.vertices.len()];
        for way in &self.ways {
            leaves_elsewhere[self.vertex_of.get(way.from) as usize] |=
                field_name(way.from) != "value_changed";
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

    /// Cuts the graph into chunks. What reaches the whole graph stands alone, and what it may change comes after it.
    fn cut(&mut self, scene: &EventScene, natures: &[Nature], options: &EventOptions, scales: &Scales) {
        let order = self.order();
        let nature = |k: u32| &natures[self.vertices[k as usize].node.0 as usize];
        let reaches = |c: u32| {
            let members = order.members(c).iter();
            members.into_iter().any(|&k| nature(k).is_active && nature(k).reach == Reach::Graph)
        };
        let n = order.n_components() as u32;
        let mut gates_below = vec![0_u32; order.n_levels() as usize + 1];
        for c in (0..n).filter(|&c| reaches(c)) {
            gates_below[order.level(c) as usize + 1] = 1;
        }
        for level in 1..gates_below.len() {
            gates_below[level] += gates_below[level - 1];
        }
        let segments: Vec<u32> = (0..n).map(|c| gates_below[order.level(c) as usize]).collect();
        let class = |k: NodeKey| {
            let c = order.component(k);
            if reaches(c) { ALONE } else { segments[c as usize] }
        };
        let cost = |k: NodeKey| {
            let vertex = &self.vertices[k.0 as usize];
            (f64::from(self.cost(k.0, scene)) * scales.of(&cost_kind(scene, vertex))).ceil() as u32
        };
        let chunks = match options.mode {
            Mode::Dataflow => Chunks::of(order, options.fusion, cost, class),
            Mode::Levels(strategy) => {
                Chunks::of_groups(order, strategy.groups(order, reaches, options.workers), cost)
            }
        };
        self.segments = segments;
        self.chunks = chunks;
    }

    /// An estimate of a vertex's time \[ns\].
    pub fn cost(&self, vertex: u32, scene: &EventScene) -> u32 {
        let Vertex { node, field, kernel } = self.vertices[vertex as usize];
        let links = self.ways_to[vertex as usize].len() as u32;
        match kernel {
            _ if field != NONE => 4 + 4 * links,
            Some(KernelKind::Coordinates) => 40 + 2 * n_each_key(scene, node),
            Some(KernelKind::Normals) => 40 + 60 * n_each_key(scene, node),
            Some(KernelKind::Orientation) => 45,
            Some(_) => 15,
            None if &*scene.node(node).node_type.name == "Script" => 3000,
            None => 150 + 50 * links,
        }
    }
}

/// What a vertex costs as.
pub(super) fn cost_kind(scene: &EventScene, vertex: &Vertex) -> CostKind {
    let is_node = vertex.field == NONE;
    (is_node.then(|| scene.node(vertex.node).node_type.name.clone()), vertex.kernel.is_some())
}

/// The values of an interpolator's keys.
pub(super) fn keys_of(scene: &EventScene, node: NodeId) -> Option<(&Value, &Value)> {
    let node = scene.node(node);
    let value = |name| node.node_type.field(name).and_then(|f| node.values.get(f.0 as usize));
    Some((value("key")?, value("keyValue")?))
}

fn n_each_key(scene: &EventScene, node: NodeId) -> u32 {
    match keys_of(scene, node) {
        Some((Value::MFFloat(keys), Value::MFVec3f(values))) if !keys.is_empty() => {
            (values.len() / keys.len()) as u32
        }
        _ => 0,
    }
}

/// The kernel that may evaluate a node: that of its type, if it takes the node's keys.
pub(super) fn kernel_of(scene: &EventScene, node: NodeId) -> Option<KernelKind> {
    let declared = &scene.node(node).node_type;
    let kind = KernelKind::of(declared)?;
    let out = declared.fields[declared.field("value_changed")?.0 as usize].field_type;
    let (keys, values) = keys_of(scene, node)?;
    kind.takes(keys, values, out).then_some(kind)
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
        if let (NONE, Reach::Shared(what)) = (vertex.field, natures[vertex.node.0 as usize].reach) {
            sharing.push((what, structure.component(NodeKey(k as u32)), k as u32));
        }
    }
    sharing.sort_unstable();
    let pairs = sharing.windows(2).filter(|w| w[0].0 == w[1].0 && w[0].1 != w[1].1);
    let order: Vec<_> = pairs.map(|w| (NodeKey(w[0].2), NodeKey(w[1].2))).collect();
    (!order.is_empty()).then(|| Structure::with_order(graph, &order))
}
