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
    if workers > 1 && n >= 2 * workers as usize && !is_dominated(graph, workers) {
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
    relabel(graph, &mut best, present, workers, |_, _| true);
    best
}

/// Whether one object weighs twice a worker's share: then METIS bisects parts of one object, leaves workers empty and
/// says so on the standard output, and greedy placement is as fast as any.
fn is_dominated(graph: &ObjectGraph, workers: u32) -> bool {
    let total: f64 = graph.weights.iter().sum::<f64>() + graph.edges.iter().map(|e| e.2).sum::<f64>();
    graph.weights.iter().any(|weight| weight * f64::from(workers) > 2.0 * total)
}

/// Recursive bisection and k-way partitioning.
fn partition(graph: &ObjectGraph, workers: u32) -> Result<Vec<Vec<u32>>, Box<dyn std::error::Error>> {
    let neighbors = graph.neighbors();
    let total: f64 = graph.weights.iter().sum::<f64>() + graph.edges.iter().map(|e| e.2).sum::<f64>();
    let edges = Adjacency::new(&neighbors, total);
    cut(&edges, workers, &vertex_weights(&graph.weights, &neighbors, total), 1, None)
}

/// The node of each object: candidates that give each node its share (of a sum of 1) of both the bytes that are touched
/// and the time, and cut few bytes. None where METIS has no use.
pub(crate) fn onto_nodes(graph: &ObjectGraph, shares: &[f64]) -> Vec<Vec<u32>> {
    if shares.len() < 2 || graph.objects.len() < 2 * shares.len() {
        return Vec::new();
    }
    let bytes = by_vertex(graph, &graph.shared);
    let total = graph.touched.iter().sum::<f64>() + graph.shared.iter().sum::<f64>();
    let touched = vertex_weights(&graph.touched, &bytes, total);
    let time = graph.weights.iter().sum::<f64>() + graph.edges.iter().map(|e| e.2).sum::<f64>();
    let weights = vertex_weights(&graph.weights, &graph.neighbors(), time);
    let both: Vec<Idx> = touched.into_iter().zip(weights).flat_map(|(b, t)| [b, t]).collect();
    let shares: Vec<f32> = shares.iter().flat_map(|&s| [s as f32; 2]).collect();
    let n = shares.len() as u32 / 2;
    cut(&Adjacency::new(&bytes, total), n, &both, 2, Some(&shares)).unwrap_or_else(|error| {
        log::warn!("METIS: {error}; objects are placed on nodes by owner-compute");
        Vec::new()
    })
}

/// The neighbors of each object with another weight of the edges than their time.
fn by_vertex(graph: &ObjectGraph, weights: &[f64]) -> Vec<Vec<(usize, f64)>> {
    let mut neighbors = vec![Vec::new(); graph.objects.len()];
    for (&(a, b, _), &weight) in graph.edges.iter().zip(weights) {
        neighbors[a].push((b, weight));
        neighbors[b].push((a, weight));
    }
    neighbors
}

/// Edges as METIS takes them.
struct Adjacency {
    first: Vec<Idx>,
    adjacent: Vec<Idx>,
    weights: Vec<Idx>,
}

fn scaled(weight: f64, total: f64) -> Idx {
    1 + (weight * if total > 0.0 { TOTAL / total } else { 0.0 }) as Idx
}

impl Adjacency {
    /// With weights scaled so that `total` becomes [`TOTAL`].
    fn new(neighbors: &[Vec<(usize, f64)>], total: f64) -> Self {
        let mut edges = Self { first: vec![0], adjacent: Vec::new(), weights: Vec::new() };
        for list in neighbors {
            for &(other, weight) in list {
                edges.adjacent.push(other as Idx);
                edges.weights.push(scaled(weight, total));
            }
            edges.first.push(edges.adjacent.len() as Idx);
        }
        edges
    }
}

/// A joint task runs at least once: half of it counts for each side.
fn vertex_weights(own: &[f64], neighbors: &[Vec<(usize, f64)>], total: f64) -> Vec<Idx> {
    let halves = neighbors.iter().map(|l| l.iter().map(|e| 0.5 * e.1).sum::<f64>());
    own.iter().zip(halves).map(|(w, half)| scaled(w + half, total)).collect()
}

/// Partitions by recursive bisection and by the k-way method. `weights` has `n_constraints` numbers per vertex, each of which
/// is balanced; `shares` as many per part.
fn cut(
    edges: &Adjacency,
    parts: u32,
    weights: &[Idx],
    n_constraints: usize,
    shares: Option<&[f32]>,
) -> Result<Vec<Vec<u32>>, Box<dyn std::error::Error>> {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut found = Vec::new();
    for recursive in [true, false] {
        let mut of_vertex = vec![0 as Idx; weights.len() / n_constraints];
        let graph = Graph::new(n_constraints as Idx, parts as Idx, &edges.first, &edges.adjacent)?
            .set_vwgt(weights)
            .set_adjwgt(&edges.weights);
        let graph = graph.set_option(Seed(1)).set_option(UFactor(10));
        let graph = match shares {
            Some(shares) => graph.set_tpwgts(shares),
            None => graph,
        };
        if recursive {
            graph.part_recursive(&mut of_vertex)?
        } else {
            graph.part_kway(&mut of_vertex)?
        };
        found.push(of_vertex.into_iter().map(|p| p as u32).collect());
    }
    Ok(found)
}

/// Renames parts by greatest common weight with the present assignment; `may` says whether a part (its number) may get
/// another's name.
pub(crate) fn relabel(
    graph: &ObjectGraph,
    parts: &mut [u32],
    present: &[Option<u32>],
    n_parts: u32,
    may: impl Fn(usize, usize) -> bool,
) {
    let n = n_parts as usize;
    let mut common = vec![0.0; n * n];
    for ((&part, &now), weight) in parts.iter().zip(present).zip(&graph.weights) {
        if let Some(now) = now {
            common[part as usize * n + now as usize] += weight + 1.0;
        }
    }
    let mut order: Vec<usize> = (0..n * n).filter(|&entry| may(entry / n, entry % n)).collect();
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
