//! What nodes cost, as an executor has measured their tasks.

use std::collections::BTreeMap;

use engine::exec::Costs;

use super::event_graph::EventGraph;
use super::kept::CostKind;
use super::vertex::cost_kind;

/// Costs that differ less are left as they are: making tasks anew costs more than it brings.
const WORTH_IT: f64 = 1.5;

impl EventGraph {
    /// Takes the measured times of the graph's tasks. Where nodes cost much more or less than was thought, they are put together anew, so
    /// that [`Self::is_stale`] says to record again; returns whether that is so.
    pub fn calibrate(&mut self, costs: &Costs) -> bool {
        let Some(layout) = &self.layout else { return false };
        let scene = &self.world.scene;
        // By kind: what was estimated, and what its share of the measured time was.
        let mut sums: BTreeMap<CostKind, (f64, f64)> = BTreeMap::new();
        for (number, cost) in (0..).zip(costs.objects.get(self.object(0).0 as usize..).unwrap_or_default()) {
            let Some((part, local)) =
                layout.owner(number).filter(|(p, local)| (*local as usize) < p.chunks.len())
            else {
                continue;
            };
            let estimate = |v: u32| f64::from(part.cost(v, scene));
            let total: f64 = part.members(local).map(estimate).sum();
            if *cost <= 0.0 || total <= 0.0 {
                continue;
            }
            for v in part.members(local) {
                let sum = sums.entry(cost_kind(scene, &part.vertices[v as usize])).or_default();
                sum.0 += estimate(v);
                sum.1 += estimate(v) * cost / total;
            }
        }
        let mut is_worth_it = false;
        for (kind, (estimated, measured)) in sums {
            let (scale, known) = (measured / estimated, self.scales.of(&kind));
            if scale > known * WORTH_IT || scale * WORTH_IT < known {
                is_worth_it = true;
                self.scales.0.insert(kind, scale);
            }
        }
        self.world.version += u64::from(is_worth_it);
        self.world.dirt.all |= is_worth_it;
        is_worth_it
    }
}
