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

impl Place {
    /// The objects whose data it is about.
    pub fn objects(self) -> Vec<ObjectId> {
        match self {
            Self::Own(a) => vec![a],
            Self::Joint(a, b) => vec![a, b],
            Self::Replicated => Vec::new(),
        }
    }

    /// The numbers of its objects: of one, the second is zero.
    pub fn pair(self) -> (u32, u32) {
        match self {
            Self::Own(a) => (a.0, 0),
            Self::Joint(a, b) => (a.0, b.0),
            Self::Replicated => (0, 0),
        }
    }
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
    /// Where its accesses are, see `Program::accesses_of`; the position in the range is that in the tuple of accesses.
    pub accesses: Range<u32>,
    /// Its place among the tasks of its object (or pair) in its stage.
    pub sequence: u32,
    /// Where it would stand if no task asked for a resource.
    pub base: Base,
}

/// Where in its sweep a task stands by the data that it touches, see [`turns`](super::turns).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Base {
    /// Depth of the stage.
    pub depth: u32,
    /// Its place among the tasks of its object (or pair) there.
    pub sequence: u32,
}
