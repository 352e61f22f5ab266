//! A node of a tree: what it does, who is above and below it, and where it stands.

use std::time::Duration;

use super::super::tasks::TaskId;
use super::behaviour::{Behaviour, Ended};

/// What a node does.
pub(super) enum What {
    /// It is a task.
    Task(TaskId),
    /// It has children.
    Behaviour(Box<dyn Behaviour>),
    /// It was removed.
    Nothing,
}

/// A node of a tree.
pub(super) struct Node {
    pub what: What,
    pub links: Links,
    pub place: Place,
    pub generation: u32,
    pub name: Option<Box<str>>,
}

/// Who is above and below a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// The parent, and the place among its children.
    pub parent: Option<(u32, u32)>,
    pub children: Vec<u32>,
}

/// Where a node stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// It does not run.
    #[default]
    Asleep,
    /// A behaviour that runs.
    Runs,
    /// A behaviour that runs and wants to hear of the next cycle.
    Listens,
    /// A task that waits for a worker.
    Ready,
    /// A task that a worker has.
    Out,
    /// A task that a worker has, and nobody waits for.
    GivenUp,
    /// A task that goes on in the next cycle.
    Next,
    /// It begins in the next cycle.
    Deferred,
    /// As [`State::GivenUp`], to begin when a cycle begins after the worker has brought it back.
    Awaited,
}

/// What is kept of a node while its tree runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub state: State,
    /// One more than the number of the latest cycle in which it began, or ran if it is a task.
    pub begun: u64,
    pub cost: Duration,
    pub long_term: bool,
    /// The longest chain of tasks that begins with it.
    pub path: Duration,
    pub ended: Option<Ended>,
}
