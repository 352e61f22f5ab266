//! How a simulation is run, in a window's words and in ours.

use viewer::execution::{Choices, Execution};

use crate::simulation::{self, ExecutorKind, PartitionerKind, default_workers};

/// What a user can choose while a simulation runs: up to two workers a core, and a few where there are few cores.
pub fn choices() -> Choices {
    Choices {
        most_workers: (2 * default_workers()).max(4),
        partitioners: PartitionerKind::ALL.map(PartitionerKind::name).to_vec(),
        executors: ExecutorKind::ALL.map(ExecutorKind::name).to_vec(),
    }
}

/// A window's words.
pub(crate) fn shown(e: simulation::Execution) -> Execution {
    Execution { workers: e.threads, partitioner: e.partitioner.name(), executor: e.executor.name() }
}

/// Our words, or what is wrong.
pub(super) fn meant(e: &Execution) -> Result<simulation::Execution, String> {
    let executor = ExecutorKind::ALL.into_iter().find(|k| k.name() == e.executor);
    let partitioner = PartitionerKind::ALL.into_iter().find(|k| k.name() == e.partitioner);
    Ok(simulation::Execution {
        threads: e.workers,
        partitioner: partitioner.ok_or_else(|| format!("there is no partitioner `{}`", e.partitioner))?,
        executor: executor.ok_or_else(|| format!("there is no executor `{}`", e.executor))?,
    })
}
