//! What of a rig runs on several workers.

use crate::graph::{Chunks, Fusion, NodeKey, Structure as Order};
use crate::rig::rig::{NodeId, Rig};

/// What of a rig runs on several workers; values are the same in all cases. With neither, one task evaluates everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threading {
    /// Nodes beside each other.
    pub graph: bool,
    /// Parts of a node beside each other, where the rig was divided ([`Rig::divided`]).
    pub nodes: bool,
}

impl Default for Threading {
    fn default() -> Self {
        Self { graph: true, nodes: true }
    }
}

impl std::fmt::Display for Threading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match (self.graph, self.nodes) {
            (true, true) => "of the graph and inside nodes",
            (true, false) => "of the graph only",
            (false, true) => "inside nodes only",
            (false, false) => "off",
        })
    }
}

/// The chunks of a rig. `class` is what may be together.
pub(super) fn chunks(
    rig: &Rig,
    order: &Order,
    fusion: Fusion,
    threading: Threading,
    class: &dyn Fn(NodeKey) -> u32,
) -> Chunks {
    let cost = |n: NodeKey| rig.cost_ns(NodeId(n.0)).clamp(1.0, 1e9) as u32;
    let whole = |n: NodeKey| rig.nodes[n.0 as usize].part_of.map(|whole| NodeKey(whole.0));
    match threading {
        Threading { graph: true, nodes: true } => Chunks::of(order, fusion, cost, class),
        Threading { graph: true, nodes: false } => Chunks::of_bound(order, fusion, cost, class, whole),
        Threading { graph: false, nodes: false } => {
            Chunks::of_groups(order, vec![0; order.n_components()], cost)
        }
        Threading { graph: false, nodes: true } => Chunks::of_groups(order, one_by_one(rig, order), cost),
    }
}

/// Whole nodes one after the other, as few groups as possible; each part is a group of its own.
fn one_by_one(rig: &Rig, order: &Order) -> Vec<u32> {
    let n = order.n_components();
    let is_part = |c: u32| rig.nodes[order.members(c)[0] as usize].part_of.is_some();
    // How often whole nodes and parts take turns before a component.
    let mut turns = vec![0_u32; n];
    for c in 0..n as u32 {
        let of = |b: &u32| turns[*b as usize] + u32::from(is_part(*b));
        turns[c as usize] = order.before(c).iter().map(of).max().unwrap_or(0);
    }
    let mut next = turns.iter().max().map_or(0, |t| t + 1);
    let mut group = |c: u32| {
        if !is_part(c) {
            return turns[c as usize];
        }
        next += 1;
        next - 1
    };
    (0..n as u32).map(&mut group).collect()
}
