//! Executors by their names, and the threads that they get.

use engine::exec::{Executor, Sequential};
use executors::topology::Topology;
use executors::{ForkJoin, Options, Replay, Stealing};

use super::options::{ExecutorKind, SimulationOptions};

/// The machine that workers are placed on.
pub(crate) fn topology(options: &SimulationOptions) -> &Topology {
    options.topology.as_ref().unwrap_or_else(|| Topology::system())
}

/// The workers and threads that options ask for.
pub(crate) fn team(options: &SimulationOptions) -> Options {
    let workers = if options.executor == ExecutorKind::Sequential { 1 } else { options.threads as u32 };
    let cores = topology(options).places().iter().map(|place| place.thread as usize).collect();
    let (pin, spin_us, adapt) = (options.pin && workers > 1, options.spin_us, options.adapt);
    Options { pin, cores, spin_us, adapt, ..Options::new(workers) }
}

/// The executor that options ask for.
pub(crate) fn executor(kind: ExecutorKind, team: &Options) -> Box<dyn Executor> {
    match kind {
        ExecutorKind::Sequential => Box::new(Sequential::new()),
        ExecutorKind::Replay => Box::new(Replay::new(team)),
        ExecutorKind::Stealing => Box::new(Stealing::new(team)),
        ExecutorKind::ForkJoin => Box::new(ForkJoin::new(team)),
    }
}
