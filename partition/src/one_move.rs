//! Moving one object: the smallest correction of an assignment.

use crate::quality::{PER_CUT, Quality};
use crate::weights::ObjectGraph;

/// By how much a run gets shorter [ns] for each object of worker `from` that would move to worker `to`, by position in the
/// graph. Costs grow with the graph, not with the number of objects times that.
pub(crate) fn gains(
    graph: &ObjectGraph,
    parts: &[u32],
    quality: &Quality,
    (from, to): (u32, u32),
) -> Vec<(usize, f64)> {
    let movable = (0..parts.len()).filter(|&i| parts[i] == from);
    // What the loads of both workers change by.
    let mut changes = vec![(0.0, 0.0); parts.len()];
    for i in movable.clone() {
        changes[i] = (-graph.weights[i], graph.weights[i]);
    }
    for &(a, b, weight) in &graph.edges {
        let cut = weight + PER_CUT;
        for (moves, stays) in [(a, b), (b, a)] {
            if parts[moves] != from {
                continue;
            }
            let (less, more) = &mut changes[moves];
            if parts[stays] == from {
                *less += PER_CUT;
                *more += cut;
            } else if parts[stays] == to {
                *less -= cut;
                *more -= PER_CUT;
            } else {
                *less -= cut;
                *more += cut;
            }
        }
    }
    let loads = &quality.loads;
    let others = (0..loads.len()).filter(|&w| w != from as usize && w != to as usize);
    let rest = others.map(|w| loads[w]).fold(0.0, f64::max);
    let gain = |i: usize| {
        let (less, more) = changes[i];
        quality.time() - rest.max(loads[from as usize] + less).max(loads[to as usize] + more)
    };
    movable.map(|i| (i, gain(i))).collect()
}

/// Where the most loaded worker may give an object to, the best first: the least loaded worker of its own node (`nodes`, empty
/// if there is one), whose memory is as near; then the least loaded of all. The most loaded worker comes with it.
pub(crate) fn ways(quality: &Quality, nodes: &[u32]) -> Vec<(u32, u32)> {
    let loads = &quality.loads;
    let order = |a: &usize, b: &usize| loads[*a].total_cmp(&loads[*b]).then(a.cmp(b));
    let Some(most) = (0..loads.len()).max_by(order) else { return Vec::new() };
    let others = || (0..loads.len()).filter(|&w| w != most);
    let near = others().filter(|&w| nodes.is_empty() || nodes[w] == nodes[most]).min_by(order);
    let mut targets: Vec<usize> = near.into_iter().chain(others().min_by(order)).collect();
    targets.dedup();
    targets.into_iter().map(|to| (most as u32, to as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::data::ObjectId;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_gain_is_the_difference_of_two_qualities(
            weights in prop::collection::vec(1.0..1e5f64, 2..12),
            pairs in prop::collection::vec((0..12usize, 0..12usize, 1.0..1e4f64), 0..20),
            seeds in prop::collection::vec(0..4u32, 12),
        ) {
            let n = weights.len();
            let mut graph = ObjectGraph {
                objects: (0..n as u32).map(ObjectId).collect(),
                weights,
                ..ObjectGraph::default()
            };
            graph.edges = pairs.into_iter().map(|(a, b, w)| (a % n, b % n, w)).filter(|e| e.0 != e.1).collect();
            let parts = &seeds[..n];
            let now = Quality::of(&graph, parts, 4);
            for (from, to) in ways(&now, &[]) {
                for (i, gain) in gains(&graph, parts, &now, (from, to)) {
                    let mut after = parts.to_vec();
                    after[i] = to;
                    let exact = now.time() - Quality::of(&graph, &after, 4).time();
                    prop_assert!((gain - exact).abs() < 1e-6 * now.time(), "{gain} is not {exact}");
                }
            }
        }
    }

    #[test]
    fn the_own_node_comes_first() {
        let quality = Quality { loads: vec![9.0, 5.0, 1.0, 2.0], cut: 0 };
        assert_eq!(ways(&quality, &[]), [(0, 2)]);
        assert_eq!(ways(&quality, &[0, 0, 1, 1]), [(0, 1), (0, 2)]);
        assert_eq!(ways(&quality, &[0, 1, 1, 1]), [(0, 2)]);
        assert_eq!(ways(&Quality { loads: vec![1.0], cut: 0 }, &[]), []);
    }
}
