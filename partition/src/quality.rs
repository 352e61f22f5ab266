//! How good an assignment is.

use crate::weights::ObjectGraph;

/// Waiting for another worker in one step, per cut pair [ns]: two computations beside each other and remote reads.
pub(crate) const PER_CUT: f64 = 150.0;

/// The quality of an assignment of a graph's objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quality {
    /// Predicted time of each worker per run, joint tasks counted on every worker that runs them [ns].
    pub loads: Vec<f64>,
    /// Number of pairs on two workers.
    pub cut: usize,
}

impl Quality {
    /// Of an assignment, given as the worker of each object.
    pub fn of(graph: &ObjectGraph, parts: &[u32], workers: u32) -> Self {
        let mut quality = Self { loads: vec![0.0; workers as usize], cut: 0 };
        for (&part, weight) in parts.iter().zip(&graph.weights) {
            quality.loads[part as usize] += weight;
        }
        for &(a, b, weight) in &graph.edges {
            let (pa, pb) = (parts[a] as usize, parts[b] as usize);
            quality.loads[pa] += weight;
            if pa != pb {
                quality.loads[pb] += weight;
                quality.loads[pa] += PER_CUT;
                quality.loads[pb] += PER_CUT;
                quality.cut += 1;
            }
        }
        quality
    }

    /// Predicted time of a run [ns]: that of the slowest worker.
    pub fn time(&self) -> f64 {
        self.loads.iter().copied().fold(0.0, f64::max)
    }

    /// Largest load over mean load.
    pub fn imbalance(&self) -> f64 {
        let mean = self.loads.iter().sum::<f64>() / self.loads.len() as f64;
        if mean > 0.0 { self.time() / mean } else { 1.0 }
    }
}
