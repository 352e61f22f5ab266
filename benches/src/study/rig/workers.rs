//! How evaluations are timed.

use std::time::Instant;

use animation::rig::{Backend, Evaluator, Report, Rig, Settings};

use super::Outcome;
pub use crate::study::workers::{ms, planned, replay};

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
