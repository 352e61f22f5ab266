//! Executors with their planners.

use engine::exec::{Executor, Sequential};
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

/// Every executor, by name, with numbers of workers.
pub fn all() -> Vec<(String, Backend)> {
    let mut all = vec![("sequential".to_owned(), Backend::sequential())];
    for workers in [1, 2, 3] {
        let options = Options { threads: workers.min(2) as usize, ..Options::new(workers) };
        let switching = Options { switch_seed: Some(7), ..options.clone() };
        let executors: [Box<dyn Executor>; 5] = [
            Box::new(Replay::new(&options)),
            Box::new(Replay::new(&switching)),
            Box::new(Stealing::new(&options)),
            Box::new(ForkJoin::new(&options)),
            Box::new(Sequential::new()),
        ];
        for (k, executor) in executors.into_iter().enumerate() {
            let partitioner = if k % 2 == 0 { Partitioner::Metis } else { Partitioner::Owner };
            let name = format!("{} {k} on {workers}", executor.name());
            all.push((name, backend(executor, workers, partitioner)));
        }
    }
    all
}
