//! Executors with their planners.

use engine::exec::Executor;
use executors::{ForkJoin, Options, Replay, Stealing};
use partition::Accumulation;
use partition::control::lower;
use weft_animation::rig::Backend;

/// An executor for so many workers.
pub fn backend(executor: Box<dyn Executor>, workers: u32) -> Backend {
    let lower = Box::new(|program: &_, placed: &_| lower(program, placed, Accumulation::Auto));
    Backend { executor, lower, workers }
}

/// Replay on so many workers.
pub fn replay(workers: u32) -> Backend {
    backend(Box::new(Replay::new(&Options::new(workers))), workers)
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
    (format!("{} {which} on {workers}", executor.name()), backend(executor, workers))
}

/// Every executor, one after the other.
pub fn all() -> impl Iterator<Item = (String, Backend)> {
    (0..N).map(nth)
}
