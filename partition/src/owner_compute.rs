//! Owner computes, balanced by cost: objects in decreasing weight go to the least loaded worker.

use crate::weights::ObjectGraph;

/// Loads closer than this share count as equal: then neighbors decide.
const TIE: f64 = 0.01;

/// The worker of each object; those that `fixed` places stay there.
pub(crate) fn assign(graph: &ObjectGraph, fixed: &[Option<u32>], workers: u32) -> Vec<u32> {
    let neighbors = graph.neighbors();
    let mut loads = vec![0.0; workers as usize];
    let mut parts: Vec<Option<u32>> = fixed.to_vec();
    for (part, weight) in parts.iter().zip(&graph.weights) {
        if let Some(part) = part {
            loads[*part as usize] += weight;
        }
    }
    let mut order: Vec<usize> = (0..graph.objects.len()).filter(|&i| parts[i].is_none()).collect();
    order.sort_by(|&a, &b| graph.weights[b].total_cmp(&graph.weights[a]).then(a.cmp(&b)));
    for i in order {
        let least = loads.iter().copied().fold(f64::INFINITY, f64::min);
        let mut affinity = vec![0.0; workers as usize];
        for &(other, weight) in &neighbors[i] {
            if let Some(part) = parts[other] {
                affinity[part as usize] += weight;
            }
        }
        let close = |w: &usize| loads[*w] <= least + TIE * (least + graph.weights[i]);
        let best = (0..workers as usize).filter(close).max_by(|&a, &b| {
            affinity[a].total_cmp(&affinity[b]).then(loads[b].total_cmp(&loads[a])).then(b.cmp(&a))
        });
        let worker = best.unwrap_or(0);
        loads[worker] += graph.weights[i];
        parts[i] = Some(worker as u32);
    }
    parts.into_iter().map(|p| p.unwrap_or(0)).collect()
}

/// The worker of each object, wherever it is at present.
pub(crate) fn afresh(graph: &ObjectGraph, present: &[Option<u32>], workers: u32) -> Vec<u32> {
    assign(graph, &vec![None; present.len()], workers)
}
