//! Placement on two levels: objects on nodes of memory first, then on the workers of each node.
//!
//! Between nodes it counts how many bytes cross, and each node is to touch its share of the bytes, since its memory has a
//! bandwidth of its own; within a node it counts how long each worker is busy.

use crate::quality::Quality;
use crate::weights::ObjectGraph;
use crate::{metis, owner_compute};

/// Places objects on one level: from a graph, where they are at present, and a number of workers.
type Assign = fn(&ObjectGraph, &[Option<u32>], u32) -> Vec<u32>;

/// The worker of each object, if worker `w` is on node `nodes[w]`.
///
/// Of the ways to place objects on nodes (those of METIS, if it is to be asked; that of the greedy placement on workers) the one
/// is taken whose predicted run is shortest.
pub(crate) fn assign(
    graph: &ObjectGraph,
    present: &[Option<u32>],
    nodes: &[u32],
    ask_metis: bool,
    within: Assign,
) -> Vec<u32> {
    let workers = nodes.len() as u32;
    let teams = teams(nodes);
    let team_of = |worker: u32| teams.iter().position(|t| t.contains(&worker)).unwrap_or(0) as u32;
    let shares: Vec<f64> = teams.iter().map(|t| t.len() as f64 / f64::from(workers)).collect();
    let mut candidates = if ask_metis { metis::onto_nodes(graph, &shares) } else { Vec::new() };
    let greedy = owner_compute::afresh(graph, present, workers);
    candidates.push(greedy.into_iter().map(team_of).collect());

    let present_team: Vec<Option<u32>> = present.iter().map(|p| p.map(team_of)).collect();
    let mut best: Option<(f64, Vec<u32>)> = None;
    for mut candidate in candidates {
        // Nodes with as many workers may take each other's name, so that most objects stay.
        let may = |a: usize, b: usize| teams[a].len() == teams[b].len();
        metis::relabel(graph, &mut candidate, &present_team, teams.len() as u32, may);
        let mut parts = vec![0; graph.objects.len()];
        for (number, team) in teams.iter().enumerate() {
            let members: Vec<usize> =
                (0..candidate.len()).filter(|&i| candidate[i] == number as u32).collect();
            let local = |worker: u32| team.iter().position(|&w| w == worker).map(|w| w as u32);
            let at_present: Vec<_> = members.iter().map(|&i| present[i].and_then(local)).collect();
            let placed = within(&graph.part_of(&members), &at_present, team.len() as u32);
            for (&i, worker) in members.iter().zip(placed) {
                parts[i] = team[worker as usize];
            }
        }
        let time = Quality::of(graph, &parts, workers).time();
        if best.as_ref().is_none_or(|(least, _)| time < *least) {
            best = Some((time, parts));
        }
    }
    best.map(|(_, parts)| parts).unwrap_or_default()
}

/// The workers of each node, nodes ascending.
fn teams(nodes: &[u32]) -> Vec<Vec<u32>> {
    let mut numbers = nodes.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let of = |node: u32| (0..nodes.len() as u32).filter(|&w| nodes[w as usize] == node).collect();
    numbers.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::data::ObjectId;
    use proptest::prelude::*;

    /// Clusters of objects, chained inside with strong edges, and one weak edge from each to the next.
    fn clusters(n: usize, size: usize) -> ObjectGraph {
        let objects = n * size;
        let mut graph = ObjectGraph {
            objects: (0..objects as u32).map(ObjectId).collect(),
            weights: vec![1e5; objects],
            bytes: vec![1e4; objects],
            touched: vec![1e5; objects],
            ..ObjectGraph::default()
        };
        for i in 1..objects {
            let weak = i % size == 0;
            graph.edges.push((i - 1, i, if weak { 10.0 } else { 1e4 }));
            graph.shared.push(if weak { 10.0 } else { 1e4 });
        }
        graph
    }

    fn node_loads(graph: &ObjectGraph, parts: &[u32], nodes: &[u32]) -> Vec<f64> {
        let mut loads = vec![0.0; 1 + nodes.iter().copied().max().unwrap_or(0) as usize];
        for (part, touched) in parts.iter().zip(&graph.touched) {
            loads[nodes[*part as usize] as usize] += touched;
        }
        loads
    }

    #[test]
    fn clusters_stay_on_their_node() {
        let graph = clusters(2, 16);
        let nodes = [0, 0, 1, 1];
        let parts = assign(&graph, &[None; 32], &nodes, true, metis::assign);
        let node = |i: usize| nodes[parts[i] as usize];
        assert!((0..16).all(|i| node(i) == node(0)) && (16..32).all(|i| node(i) == node(16)), "{parts:?}");
        assert_ne!(node(0), node(16));
        assert!(Quality::of(&graph, &parts, 4).imbalance() < 1.1);
    }

    #[test]
    fn nodes_get_shares_by_their_workers() {
        let graph = clusters(16, 2);
        let nodes = [0, 1, 1, 1];
        let parts = assign(&graph, &[None; 32], &nodes, true, metis::assign);
        let loads = node_loads(&graph, &parts, &nodes);
        assert!((loads[1] / loads[0] - 3.0).abs() < 0.7, "{loads:?}");
    }

    #[test]
    fn what_is_well_placed_stays() {
        let graph = clusters(2, 16);
        // Node 1 first: the names of nodes must follow the present placement.
        let present: Vec<Option<u32>> =
            (0..32).map(|i| Some(if i < 16 { 2 + i / 8 } else { (i - 16) / 8 })).collect();
        let parts = assign(&graph, &present, &[0, 0, 1, 1], true, metis::assign);
        let moved = parts.iter().zip(&present).filter(|(part, now)| Some(**part) != **now).count();
        assert!(moved <= 4, "{moved} of 32 objects moved: {parts:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_object_gets_a_worker(
            weights in prop::collection::vec(0.0..1e6f64, 1..40),
            nodes in prop::collection::vec(0..3u32, 2..9),
            ask_metis: bool,
        ) {
            let n = weights.len();
            let mut graph = clusters(1, n);
            graph.touched = weights.iter().rev().copied().collect();
            graph.weights = weights;
            let within = if ask_metis { metis::assign } else { owner_compute::afresh };
            let parts = assign(&graph, &vec![None; n], &nodes, ask_metis, within);
            prop_assert_eq!(parts.len(), n);
            prop_assert!(parts.iter().all(|&p| (p as usize) < nodes.len()));
        }
    }
}
