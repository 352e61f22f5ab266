//! One task of a program, as plain data.

use std::ops::Range;

use crate::data::ObjectId;

/// Number of a task in its program: its place in the order of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

/// Identity of the component that a task belongs to, for errors, traces and colors; the engine only carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentTag(pub u32);

/// Where a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// With its object.
    Own(ObjectId),
    /// With one of its objects, or with both (mirrored).
    Joint(ObjectId, ObjectId),
    /// On every worker of the group.
    Replicated,
}

/// One task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// What it does, for messages.
    pub name: &'static str,
    /// Whose it is.
    pub component: ComponentTag,
    /// Where it runs.
    pub place: Place,
    /// Its accesses, as a range of `Program::accesses`; the position in the range is that in the tuple of accesses.
    pub accesses: Range<u32>,
    /// Its place among the tasks of its object (or pair) in its sweep.
    pub sequence: u32,
}
