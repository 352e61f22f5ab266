//! What a run reports.

use std::fmt;

use crate::beside::said;
use crate::data::ObjectId;
use crate::graph::{ComponentTag, Program, TaskId};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// How often the plan had been run before.
    pub step: u64,
    /// Time from beginning to end [ns].
    pub wall_ns: u64,
}

/// A program that an executor cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The recording belongs to another store.
    #[error("the program was recorded on another store")]
    OtherStore,
    /// The schedule asks for more workers than the executor has.
    #[error("the schedule is for {schedule} workers, the executor has {executor}")]
    Workers {
        /// Of the schedule.
        schedule: u32,
        /// Of the executor.
        executor: u32,
    },
    /// The schedule runs an object elsewhere than on the worker that it is bound to.
    #[error("object {} is bound to worker {to}, and planned on worker {on}", object.0)]
    Bound {
        /// The object.
        object: ObjectId,
        /// The worker that it is bound to.
        to: u32,
        /// The worker of the schedule.
        on: u32,
    },
    /// Somebody else holds a plan that is to be changed.
    #[error("the plan is in use elsewhere")]
    Shared,
    /// A group has more sweeps than positions can tell apart.
    #[error("a group of {sweeps} sweeps; at most {most} can be counted")]
    TooManySweeps {
        /// Of the group.
        sweeps: u32,
        /// That an executor can count.
        most: u32,
    },
}

/// Measured time of kernels, for partitioners.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    /// Time of an object's own tasks per run [ns], by object number; zero: never measured.
    pub objects: Vec<f64>,
    /// Time of a pair's tasks per run [ns], sorted by pair.
    pub pairs: Vec<((ObjectId, ObjectId), f64)>,
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
    /// A failure of a task of a program.
    pub fn of_task(
        program: &Program,
        kind: FailureKind,
        step: u64,
        task: Option<TaskId>,
        message: String,
    ) -> Self {
        let info = task.filter(|t| (t.0 as usize) < program.n_task_ids()).map(|t| program.task(t));
        Self {
            kind,
            step,
            task: task.filter(|_| info.is_some()),
            task_name: info.map_or("(none)", |t| t.name),
            component: info.map(|t| t.component),
            message,
        }
    }

    /// The text of a panic's payload.
    pub fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
        said(payload)
    }
}
