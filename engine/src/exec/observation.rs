//! What an executor observes of a run: who did what and when, and who waited for whom.

use crate::data::ObjectId;
use crate::graph::TaskId;

/// Why a worker waited in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitCause {
    /// For the partial sums of the others: it was early at an all-gather.
    Gather,
    /// For logged additions, or for the reducer that replays them.
    Reduction,
    /// For what must be done before a loop is entered, or after it is left.
    LoopControl,
    /// For data of another worker.
    Dependence,
}

/// A wait for another worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedWait {
    /// Why.
    pub cause: WaitCause,
    /// The stage that waited.
    pub at: &'static str,
    /// The worker that was waited for; none where any worker could have ended the wait.
    pub worker: Option<u32>,
    /// The stage that was waited for.
    pub stage: &'static str,
}

/// What a worker did for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It ran a task.
    Task {
        /// The task.
        task: TaskId,
        /// Whether its time was taken (else it is its share of the time of its stage).
        timed: bool,
    },
    /// It replayed logged additions.
    Reducer {
        /// The first task whose additions these are.
        first: TaskId,
        /// The object that they are added to.
        object: ObjectId,
    },
    /// It waited.
    Wait(ObservedWait),
}

/// A stretch of a worker's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The worker.
    pub worker: u32,
    /// What it did.
    pub deed: Deed,
    /// Iterations of the innermost loop around it that the run had begun before, in all visits of the loop.
    pub iteration: u32,
    /// Beginning, since the run began [ns].
    pub start_ns: u64,
    /// How long it took [ns].
    pub duration_ns: u64,
}

/// What was observed of a plan's last run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// What the workers did, by worker and time.
    pub activities: Vec<Activity>,
    /// Each visit of a loop (see `Program::loop_number`) with its iterations (a broken-off last one counts), in order of
    /// time for each loop; empty where the executor does not keep them.
    pub visits: Vec<(u32, u32)>,
}

impl Observation {
    /// Forgets everything, and keeps the memory.
    pub fn clear(&mut self) {
        self.activities.clear();
        self.visits.clear();
    }
}
