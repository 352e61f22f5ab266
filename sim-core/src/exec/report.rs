//! What a run reports.

use std::fmt;

use crate::graph::{ComponentTag, TaskId};

/// Number of a loaded program in its executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanId(pub usize);

/// How a worker spent a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerReport {
    /// Time in kernels and control [ns].
    pub busy_ns: u64,
    /// Time waiting for other workers [ns].
    pub wait_ns: u64,
}

/// What a successful run reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// How often the plan had been run before.
    pub step: u64,
    /// One entry per worker.
    pub workers: Vec<WorkerReport>,
}

/// Why a run failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A kernel panicked.
    Panic,
    /// A task wrote a value that is not finite (sequential executor in check mode only).
    NonFinite,
    /// The executor could not go on.
    Internal,
}

/// A run that failed, and the task to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFailure {
    /// Why.
    pub kind: FailureKind,
    /// How often the plan had been run before.
    pub step: u64,
    /// The task.
    pub task: Option<TaskId>,
    /// Its name.
    pub task_name: &'static str,
    /// Its component.
    pub component: Option<ComponentTag>,
    /// What happened.
    pub message: String,
}

impl fmt::Display for RunFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {}, task {}: {}", self.step, self.task_name, self.message)
    }
}

impl std::error::Error for RunFailure {}

impl RunFailure {
    /// The text of a panic's payload.
    pub fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
        let text = payload.downcast_ref::<&str>().map(|s| (*s).to_string());
        text.or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without text".into())
    }
}
