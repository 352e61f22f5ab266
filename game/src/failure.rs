//! What can go wrong in a cycle.

use std::time::Duration;

use animation::game::schedule::Group;
use thiserror::Error;

use crate::options::WorkerKind;
use crate::profile::CycleReport;

/// What went wrong with a task, or with what supplies tasks.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TaskFailure {
    /// A task left its execution by a panic. Its supplier was told that it failed.
    #[error("the task `{task}` panicked: {message}")]
    Panicked {
        /// Its name.
        task: String,
        /// What the panic said.
        message: String,
    },
    /// A task is in a group, and the workers know none. It has not run; its supplier was told that it failed.
    #[error("the task `{task}` is in the group {group:?}, and {} workers know no groups: take `WorkerKind::Locking`", kind.name())]
    Groups {
        /// Its name.
        task: String,
        /// Its group.
        group: Group,
        /// The kind of the workers.
        kind: WorkerKind,
    },
    /// A task must not run on the main worker, which is the only one. It has not run; its supplier was told that it failed.
    #[error(
        "the task `{task}` must not run on the main worker, and there is no other: take two workers, or `WhenAlone::RunOnMain`"
    )]
    NoOtherWorker {
        /// Its name.
        task: String,
    },
    /// A task has not returned in time. The cycle ended without it; its worker takes part again when it returns.
    #[error("the task `{task}` has been running for {running:?} on worker {worker}")]
    Overdue {
        /// Its name.
        task: String,
        /// Which worker runs it.
        worker: usize,
        /// For how long.
        running: Duration,
    },
    /// Something of a game's own that supplies tasks panicked: a behaviour, a supplier, a submitted change.
    #[error("what supplies tasks panicked: {message}")]
    Supply {
        /// What the panic said.
        message: String,
    },
}

/// A cycle in which something went wrong. All else of it ran, and the scheduler goes on.
///
/// ```
/// use std::time::Duration;
/// use weft_game::{CycleScheduler, Options, TaskFailure, TaskInfo};
///
/// let mut scheduler = CycleScheduler::new(Options::new(1));
/// scheduler.submit(TaskInfo::new("aim", Duration::ZERO), |_| panic!("no target"));
/// let failure = scheduler.cycle(Duration::ZERO).expect_err("it panics");
/// assert_eq!(failure.to_string(), "cycle 0: the task `aim` panicked: no target");
/// assert!(matches!(&failure.failures[..], [TaskFailure::Panicked { task, .. }] if task == "aim"));
/// assert!(scheduler.cycle(Duration::ZERO).is_ok());
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[error("cycle {}: {}{}", report.cycle.number, failures.first().map(ToString::to_string).unwrap_or_default(), more(failures.len()))]
pub struct CycleFailure {
    /// What else is known of the cycle.
    pub report: CycleReport,
    /// What went wrong, in the order in which it was heard of. At least one.
    pub failures: Vec<TaskFailure>,
}

fn more(n: usize) -> String {
    if n < 2 { String::new() } else { format!(" (and {} more)", n - 1) }
}

/// Groups that cannot be locked as asked.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum LockError {
    /// There is no such worker.
    #[error("there is no worker {worker}: there are {workers}, from 0 on")]
    Worker {
        /// The number given.
        worker: usize,
        /// How many there are.
        workers: usize,
    },
    /// No worker was given.
    #[error("a group needs a worker")]
    NoWorker,
    /// The group's workers are what it is.
    #[error("{group:?} says itself which workers run its tasks; only named groups can be locked")]
    Fixed {
        /// The group.
        group: Group,
    },
    /// The workers know no groups.
    #[error("{} workers know no groups: take `WorkerKind::Locking`", kind.name())]
    Kind {
        /// Their kind.
        kind: WorkerKind,
    },
}
