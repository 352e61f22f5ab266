//! Executors for the study, and how evaluations are timed.

use std::time::Instant;

use animation::rig::{Backend, Evaluator, Report, Rig, Settings};
use engine::data::Store;
use engine::exec::{Costs, Sequential};
use engine::graph::{Program, Schedule};
use executors::{Options, Replay};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};

use super::Outcome;

fn scheduler(workers: u32) -> impl FnMut(&Program, &Store, &Costs) -> Schedule + Send {
    let accumulation = Accumulation::Auto;
    let mut planner = Planner::new(PlannerOptions { workers, partitioner: Partitioner::Metis, accumulation });
    move |program, store, costs| {
        let (first, _) = planner.plan(program, store);
        if planner.rebalance(program, costs, store).is_empty() {
            first
        } else {
            planner.plan(program, store).0
        }
    }
}

/// Static replay on so many workers.
pub fn replay(workers: u32) -> Backend {
    let executor = Box::new(Replay::new(&Options::new(workers)));
    Backend { executor, schedule: Box::new(scheduler(workers)), workers }
}

/// One thread, with schedules for so many workers: for predictions.
pub fn planned(workers: u32) -> Backend {
    Backend { executor: Box::new(Sequential::new()), schedule: Box::new(scheduler(workers)), workers }
}

/// A rig with measured costs, evaluated once.
pub fn measured(rig: Rig, backend: Backend, settings: Settings) -> Outcome<Evaluator> {
    let mut e = evaluator(rig, backend, settings)?;
    let since = Instant::now();
    e.measure(3, &mut || since.elapsed().as_nanos() as u64).map_err(|wrong| wrong[0].clone())?;
    e.evaluate()?;
    Ok(e)
}

/// A rig that is not evaluated yet.
pub fn evaluator(rig: Rig, backend: Backend, settings: Settings) -> Outcome<Evaluator> {
    Ok(Evaluator::new(rig, backend, settings).map_err(|wrong| wrong[0].clone())?)
}

/// Milliseconds of something.
pub fn ms<T>(what: impl FnOnce() -> T) -> (T, f64) {
    let since = Instant::now();
    let made = what();
    (made, since.elapsed().as_secs_f64() * 1e3)
}

/// The least and the median time of full evaluations [ms].
pub fn full(e: &mut Evaluator, rounds: usize) -> Outcome<(f64, f64)> {
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds.max(1) {
        e.touch_all();
        let (report, took): (Result<Report, _>, f64) = ms(|| e.evaluate());
        report?;
        times.push(took);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[0], times[times.len() / 2]))
}
