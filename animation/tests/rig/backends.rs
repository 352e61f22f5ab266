//! Executors with their planners.

use engine::exec::Executor;
use executors::{ForkJoin, Options, Replay, Stealing};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};
use weft_animation::rig::Backend;

/// An executor for so many workers, with a planner that goes by costs.
pub fn backend(executor: Box<dyn Executor>, workers: u32, partitioner: Partitioner) -> Backend {
    let mut planner = Planner::new(PlannerOptions { workers, partitioner, accumulation: Accumulation::Auto });
    let schedule =
        move |program: &engine::graph::Program, store: &engine::data::Store, costs: &engine::exec::Costs| {
            let (first, _) = planner.plan(program, store);
            if planner.rebalance(program, costs, store).is_empty() {
                first
            } else {
                planner.plan(program, store).0
            }
        };
    Backend { executor, schedule: Box::new(schedule), workers }
}

/// Replay on so many workers.
pub fn replay(workers: u32) -> Backend {
    backend(Box::new(Replay::new(&Options::new(workers))), workers, Partitioner::Metis)
}

/// Number of backends of [`nth`].
pub const N: usize = 13;

/// An executor with its name: sequential, and four others on one, two and three workers.
pub fn nth(k: usize) -> (String, Backend) {
    if k == 0 {
        return ("sequential".into(), Backend::sequential());
    }
    let (workers, which) = (1 + (k as u32 - 1) / 4, (k - 1) % 4);
    let options = Options { threads: workers.min(2) as usize, ..Options::new(workers) };
    let switching = Options { switch_seed: Some(7), ..options.clone() };
    let executor: Box<dyn Executor> = match which {
        0 => Box::new(Replay::new(&options)),
        1 => Box::new(Replay::new(&switching)),
        2 => Box::new(Stealing::new(&options)),
        _ => Box::new(ForkJoin::new(&options)),
    };
    let partitioner = if k % 2 == 0 { Partitioner::Metis } else { Partitioner::Owner };
    (format!("{} {which} on {workers}", executor.name()), backend(executor, workers, partitioner))
}

/// Every executor, one after the other.
pub fn all() -> impl Iterator<Item = (String, Backend)> {
    (0..N).map(nth)
}
