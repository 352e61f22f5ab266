//! Executors for studies that run in this process, and how they take time.

use std::time::Instant;

use animation::Backend;
use engine::exec::{Executor, Sequential};
use executors::{Options, Replay};
use partition::Accumulation;
use partition::control::lower;

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

/// Milliseconds of something.
pub fn ms<T>(what: impl FnOnce() -> T) -> (T, f64) {
    let since = Instant::now();
    let made = what();
    (made, since.elapsed().as_secs_f64() * 1e3)
}
