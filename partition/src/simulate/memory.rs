//! What the bandwidth of memory makes of stages that all workers of a node run at once.

use engine::exec::thread_of;

use super::machine::Machine;
use super::plan::{Action, StaticPlan};

/// By how much each stage takes longer on each node since its workers ask for more than the node's memory gives.
pub(super) fn stretches(plan: &StaticPlan, machine: &Machine, n_threads: usize) -> Vec<Vec<f64>> {
    let nodes = machine.nodes as usize;
    let mut rates = vec![vec![0.0; nodes]; plan.stages.len()];
    for stream in &plan.streams {
        let node = machine.node(thread_of(stream.worker, plan.workers, n_threads));
        for entry in &stream.entries {
            if let Action::Run { ns, bytes, .. } = &entry.action
                && *ns > 0.0
            {
                rates[entry.stage as usize][node] += bytes / (ns / machine.core_speed);
            }
        }
    }
    let limit = machine.bandwidth;
    let stretch = |rate: f64| if limit > 0.0 { (rate / limit).max(1.0) } else { 1.0 };
    rates.into_iter().map(|nodes| nodes.into_iter().map(stretch).collect()).collect()
}
