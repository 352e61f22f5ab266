//! What a task is: something to execute, and what workers want to know before.

use std::time::Duration;

use super::context::Context;

/// How an execution of a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is done.
    Success,
    /// It could not be done; its supplier decides what follows.
    Failure,
    /// It is not done yet and runs again in the next cycle, without being submitted again.
    Progress,
}

/// Work of a game. A closure that takes a [`Context`] and gives an [`Outcome`] is a task.
pub trait Task: Send {
    /// Does the work of one cycle.
    fn execute(&mut self, context: &Context<'_>) -> Outcome;
}

impl<F: FnMut(&Context<'_>) -> Outcome + Send> Task for F {
    fn execute(&mut self, context: &Context<'_>) -> Outcome {
        self(context)
    }
}

/// Which workers may run a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// All.
    #[default]
    Any,
    /// The main worker, which is the caller's thread: windows and drawing.
    Main,
    /// All but the main worker.
    NonMain,
    /// The worker to which the group of this number is locked.
    Named(u32),
}

/// What is known of a task before it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskInfo {
    /// Its name, for reports and for trees in files.
    pub name: String,
    /// How long one execution probably takes; zero where unknown.
    pub cost: Duration,
    /// Which workers may run it.
    pub group: Group,
    /// Whether it may last longer than a cycle: no cycle waits for it, and the main worker never runs it.
    pub long_term: bool,
}

impl TaskInfo {
    /// A task that any worker may run, of a name and a probable cost.
    pub fn new(name: impl Into<String>, cost: Duration) -> Self {
        Self { name: name.into(), cost, ..Self::default() }
    }

    /// The same in a group.
    pub fn group(mut self, group: Group) -> Self {
        self.group = group;
        self
    }

    /// The same, lasting longer than cycles.
    pub fn long_term(mut self) -> Self {
        self.long_term = true;
        self
    }
}
