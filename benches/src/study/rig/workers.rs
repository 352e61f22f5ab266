//! Executors for the study, and how evaluations are timed.

use std::time::Instant;

use animation::rig::{Backend, Evaluator, Report, Rig, Settings};
use engine::exec::{Executor, Sequential};
use executors::{Options, Replay};
use partition::Accumulation;
use partition::control::lower;

use super::Outcome;

fn backend(executor: Box<dyn Executor>, workers: u32) -> Backend {
    let lower = Box::new(|program: &_, placed: &_| lower(program, placed, Accumulation::Auto));
    Backend { executor, lower, workers }
}

/// Static replay on so many workers.
pub fn replay(workers: u32) -> Backend {
    backend(Box::new(Replay::new(&Options::new(workers))), workers)
}

/// One thread, with schedules for so many workers: for predictions.
pub fn planned(workers: u32) -> Backend {
    backend(Box::new(Sequential::new()), workers)
}

/// A rig with measured costs, evaluated once.
pub fn measured(rig: Rig, backend: Backend, settings: Settings) -> Outcome<Evaluator> {
    let mut e = evaluator(rig, backend, settings)?;
    let since = Instant::now();
    e.measure(9, &mut || since.elapsed().as_nanos() as u64).map_err(|wrong| wrong[0].clone())?;
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
