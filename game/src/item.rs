//! Tasks on their way: from their supplier to a worker, and back.

use std::sync::Arc;

use animation::game::schedule::{Cycle, Edits, Given, Outcome, Task, TaskInfo};
use executors::sync::Ranked;

/// A task that was given out and waits for a worker, or is with one.
pub(crate) struct Item {
    pub given: Given,
    pub info: Arc<TaskInfo>,
    pub task: Box<dyn Task>,
    /// The number of this execution.
    pub serial: u64,
    /// The cycle in which it was given out.
    pub cycle: Cycle,
    /// Whether no cycle waits for it.
    pub is_long: bool,
}

impl Ranked for Item {
    fn rank(&self) -> u64 {
        // Five hundred years of nanoseconds.
        u64::try_from(self.given.released.path.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// How an execution ended.
pub(crate) enum Ended {
    Outcome(Outcome),
    /// By a panic, with what it said.
    Panicked(String),
}

/// A task that comes back.
pub(crate) struct Report {
    pub item: Item,
    pub ended: Ended,
    pub edits: Edits,
    /// Who ran it.
    pub worker: usize,
}
