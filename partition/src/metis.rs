//! METIS on the graph of objects.

use std::sync::{Mutex, PoisonError};

use metis::option::{Seed, UFactor};
use metis::{Graph, Idx};

use crate::owner_compute;
use crate::quality::Quality;
use crate::weights::ObjectGraph;

/// METIS uses the C library's random numbers: concurrent calls would disturb each other.
pub(crate) static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Sum of all weights after scaling to integers.
const TOTAL: f64 = 1e6;

/// The worker of each object: the best of recursive bisection, k-way partitioning and owner-compute, with parts named
/// so that most weight stays where `present` has it.
pub(crate) fn assign(graph: &ObjectGraph, present: &[Option<u32>], workers: u32) -> Vec<u32> {
    let n = graph.objects.len();
    let greedy = owner_compute::assign(graph, &vec![None; n], workers);
    let mut candidates = Vec::new();
    if workers > 1 && n >= 2 * workers as usize {
        match partition(graph, workers) {
            Ok(parts) => candidates = parts,
            Err(error) => log::warn!("METIS: {error}; objects are placed by owner-compute"),
        }
    }
    candidates.push(greedy);
    let time = |parts: &[u32]| Quality::of(graph, parts, workers).time();
    let mut best = candidates.swap_remove(0);
    for parts in candidates {
        if time(&parts) < time(&best) {
            best = parts;
        }
    }
    relabel(graph, &mut best, present, workers);
    best
}

/// Recursive bisection and k-way partitioning.
fn partition(graph: &ObjectGraph, workers: u32) -> Result<Vec<Vec<u32>>, Box<dyn std::error::Error>> {
    let neighbors = graph.neighbors();
    let total: f64 = graph.weights.iter().sum::<f64>() + graph.edges.iter().map(|e| e.2).sum::<f64>();
    let scale = if total > 0.0 { TOTAL / total } else { 0.0 };
    let scaled = |weight: f64| 1 + (weight * scale) as Idx;
    let mut first = vec![0 as Idx];
    let (mut adjacent, mut edge_weights) = (Vec::new(), Vec::new());
    for list in &neighbors {
        for &(other, weight) in list {
            adjacent.push(other as Idx);
            edge_weights.push(scaled(weight));
        }
        first.push(adjacent.len() as Idx);
    }
    // A joint task runs at least once: half of it counts for each side.
    let halves = neighbors.iter().map(|l| l.iter().map(|e| 0.5 * e.1).sum::<f64>());
    let weights: Vec<Idx> = graph.weights.iter().zip(halves).map(|(w, half)| scaled(w + half)).collect();
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut found = Vec::new();
    for recursive in [true, false] {
        let mut parts = vec![0 as Idx; graph.objects.len()];
        let graph =
            Graph::new(1, workers as Idx, &first, &adjacent)?.set_vwgt(&weights).set_adjwgt(&edge_weights);
        let graph = graph.set_option(Seed(1)).set_option(UFactor(10));
        if recursive {
            graph.part_recursive(&mut parts)?
        } else {
            graph.part_kway(&mut parts)?
        };
        found.push(parts.into_iter().map(|p| p as u32).collect());
    }
    Ok(found)
}

/// Renames parts by greatest common weight with the present assignment.
fn relabel(graph: &ObjectGraph, parts: &mut [u32], present: &[Option<u32>], workers: u32) {
    let n = workers as usize;
    let mut common = vec![0.0; n * n];
    for ((&part, &now), weight) in parts.iter().zip(present).zip(&graph.weights) {
        if let Some(now) = now {
            common[part as usize * n + now as usize] += weight + 1.0;
        }
    }
    let mut order: Vec<usize> = (0..n * n).collect();
    order.sort_by(|&a, &b| common[b].total_cmp(&common[a]).then(a.cmp(&b)));
    let (mut name, mut taken) = (vec![None; n], vec![false; n]);
    for entry in order {
        let (part, now) = (entry / n, entry % n);
        if name[part].is_none() && !taken[now] {
            (name[part], taken[now]) = (Some(now as u32), true);
        }
    }
    for part in parts {
        *part = name[*part as usize].unwrap_or(*part);
    }
}
