//! Regions: vertices and ways that are cut into parts.

use super::kept::Scales;
use super::options::EventOptions;
use super::places::{Field, FieldTable, NONE, Spot, Way};
use super::vertex::{Nature, Vertex, cost_kind, estimate, shares};
use crate::event::ids::{FieldId, NodeId};
use crate::event::scene::EventScene;
use crate::graph::{Fusion, islands};

/// Vertices by node and field, and the ways between them in the order of routes.
#[derive(Default)]
pub(super) struct Region {
    pub vertices: Vec<Vertex>,
    pub ways: Vec<Way>,
}

impl Region {
    /// Of ways, and of nodes with behaviours. What the vertices' fields say in `spots` holds until parts are made.
    pub fn new(
        scene: &EventScene,
        natures: &[Nature],
        mut ways: Vec<Way>,
        active: impl Iterator<Item = NodeId>,
        spots: &mut FieldTable,
    ) -> Self {
        let vertex = |(node, FieldId(field)): Field| {
            let field = if natures[node.0 as usize].is_active { NONE } else { field };
            Vertex { node, field, kernel: None }
        };
        let of_nodes = active.map(|node| Vertex { node, field: NONE, kernel: None });
        let of_ways = ways.iter().flat_map(|way| [vertex(way.from), vertex(way.to)]);
        let mut vertices: Vec<Vertex> = of_nodes.chain(of_ways).collect();
        vertices.sort_unstable();
        vertices.dedup();
        for (k, vertex) in (0..).zip(&vertices) {
            vertex.fields(scene).for_each(|f| spots.set(f, Some(Spot { part: 0, vertex: k })));
        }
        let at = |spots: &FieldTable, field| spots.get(field).map_or(NONE, |spot| spot.vertex);
        for way in &mut ways {
            (way.sender, way.receiver) = (at(spots, way.from), at(spots, way.to));
        }
        Self { vertices, ways }
    }

    /// Cuts it where no way leads across and nothing is shared, into pieces that make about a task each; what is connected stays whole.
    pub fn split(
        self,
        scene: &EventScene,
        natures: &[Nature],
        options: &EventOptions,
        scales: &Scales,
    ) -> Vec<Self> {
        let grain = match options.fusion {
            Fusion::On { grain_ns } => f64::from(grain_ns),
            Fusion::Off => f64::from(UNFUSED_GRAIN),
        };
        let islands = self.islands(natures);
        let mut links = vec![0_u32; self.vertices.len()];
        self.ways.iter().for_each(|way| links[way.receiver as usize] += 1);
        let mut costs = vec![0.0; self.vertices.len()];
        for (k, vertex) in self.vertices.iter().enumerate() {
            let hint =
                natures[vertex.node.0 as usize].kernel.filter(|_| options.kernels && vertex.field == NONE);
            let likely = Vertex { kernel: hint, ..*vertex };
            let scale = scales.of(&cost_kind(scene, &likely));
            costs[islands[k] as usize] += (f64::from(estimate(scene, &likely, links[k])) * scale).ceil();
        }
        // Islands come by their first vertex.
        let mut group_of = vec![NONE; self.vertices.len()];
        let (mut n_groups, mut filled) = (0, f64::INFINITY);
        for (k, &island) in islands.iter().enumerate() {
            if island as usize == k {
                if filled + costs[k] > grain {
                    (n_groups, filled) = (n_groups + 1, 0.0);
                }
                filled += costs[k];
                group_of[k] = n_groups - 1;
            } else {
                group_of[k] = group_of[island as usize];
            }
        }
        let mut pieces: Vec<Self> = (0..n_groups).map(|_| Self::default()).collect();
        let mut numbers = Vec::with_capacity(self.vertices.len());
        for (vertex, &group) in self.vertices.iter().zip(&group_of) {
            let piece = &mut pieces[group as usize];
            numbers.push(piece.vertices.len() as u32);
            piece.vertices.push(*vertex);
        }
        for mut way in self.ways {
            let group = group_of[way.sender as usize];
            (way.sender, way.receiver) = (numbers[way.sender as usize], numbers[way.receiver as usize]);
            pieces[group as usize].ways.push(way);
        }
        pieces
    }

    /// The smallest vertex that each vertex is connected with, by ways or by what they share.
    fn islands(&self, natures: &[Nature]) -> Vec<u32> {
        let sharing = (0..).zip(&self.vertices).filter_map(|(k, v)| Some((shares(natures, v)?, k)));
        let mut sharing: Vec<(u64, u32)> = sharing.collect();
        sharing.sort_unstable();
        let together = sharing.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| (w[0].1, w[1].1));
        let ways = self.ways.iter().map(|way| (way.sender, way.receiver));
        islands(self.vertices.len(), ways.chain(together))
    }
}

/// What a piece of the graph is to cost where each node is a task of its own \[ns\].
const UNFUSED_GRAIN: u32 = 35_000;
