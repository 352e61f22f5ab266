//! What nodes cost, as an executor has measured their tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::exec::Costs;

use super::event_graph::EventGraph;
use super::layout::Vertex;
use super::places::NONE;
use crate::event::scene::EventScene;

/// A kind of vertices that cost alike: a type of nodes, by a kernel or not; without a name: passive fields.
type Kind = (Option<Arc<str>>, bool);

/// Measured costs in parts of the estimated ones, by kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Scales(BTreeMap<Kind, f64>);

fn kind(scene: &EventScene, vertex: &Vertex) -> Kind {
    let is_node = vertex.field == NONE;
    (is_node.then(|| scene.node(vertex.node).node_type.name.clone()), vertex.kernel.is_some())
}

impl Scales {
    /// The scale of a vertex; 1 before anything is measured.
    pub fn of(&self, scene: &EventScene, vertex: &Vertex) -> f64 {
        if self.0.is_empty() { 1.0 } else { self.0.get(&kind(scene, vertex)).copied().unwrap_or(1.0) }
    }
}

/// Costs that differ less are left as they are: making tasks anew costs more than it brings.
const WORTH_IT: f64 = 1.5;

impl EventGraph {
    /// Takes the measured times of the graph's tasks. Where nodes cost much more or less than was thought, they are put together anew, so
    /// that [`Self::is_stale`] says to record again; returns whether that is so.
    pub fn calibrate(&mut self, costs: &Costs) -> bool {
        let Some(layout) = &self.layout else { return false };
        let scene = &self.world.scene;
        // By kind: what was estimated, and what its share of the measured time was.
        let mut sums: BTreeMap<Kind, (f64, f64)> = BTreeMap::new();
        for c in 0..layout.chunks.len() as u32 {
            let measured = costs.objects.get(self.object(c).0 as usize).copied().unwrap_or(0.0);
            let members = || layout.chunks.components(c).iter().flat_map(|&k| layout.order().members(k));
            let estimate = |v: u32| f64::from(layout.cost(v, scene));
            let total: f64 = members().map(|&v| estimate(v)).sum();
            if measured <= 0.0 || total <= 0.0 {
                continue;
            }
            for &v in members() {
                let sum = sums.entry(kind(scene, &layout.vertices[v as usize])).or_default();
                sum.0 += estimate(v);
                sum.1 += estimate(v) * measured / total;
            }
        }
        let mut is_worth_it = false;
        for (kind, (estimated, measured)) in sums {
            let (scale, known) = (measured / estimated, self.scales.0.get(&kind).copied().unwrap_or(1.0));
            if scale > known * WORTH_IT || scale * WORTH_IT < known {
                is_worth_it = true;
                self.scales.0.insert(kind, scale);
            }
        }
        self.world.version += u64::from(is_worth_it);
        is_worth_it
    }

    /// What the task of an object is, by names: its first node, and how many there are. None of an object that is not the graph's.
    pub fn describe_task(&self, object: engine::data::ObjectId) -> Option<String> {
        let layout = self.layout.as_ref()?;
        let c = object.0.checked_sub(self.options.first_object + 1)?;
        if c as usize >= self.filled.producers.len() {
            return None;
        }
        if c as usize >= layout.chunks.len() {
            return Some(format!("events of level {}", c as usize - layout.chunks.len()));
        }
        let members = layout.chunks.components(c).iter().flat_map(|&k| layout.order().members(k));
        let nodes: Vec<_> = members.map(|&v| layout.vertices[v as usize].node).collect();
        let first = self.world.scene.node(*nodes.first()?);
        let name = first.def.as_deref().unwrap_or(&first.node_type.name);
        Some(match nodes.len() {
            1 => name.to_owned(),
            n => format!("{name} and {} more", n - 1),
        })
    }
}
