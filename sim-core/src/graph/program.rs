//! A recorded task graph: stages of tasks in the order of execution, as plain data.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::task::{ComponentTag, Task, TaskId};
use crate::data::{AccessDecl, DataId, DotInfo, Frame, Store, TaskTable};

/// Number of a solver group; group 0 is the step's own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

/// Number of a loop of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub u32);

/// A group: tasks that share scalars and dot products.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupInfo {
    /// Its name, for traces.
    pub name: String,
    /// Number of scalars in its bank.
    pub scalars: u32,
    /// Its dot products.
    pub dots: Vec<DotInfo>,
}

/// A loop of a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopInfo {
    /// The group.
    pub group: GroupId,
    /// Scalar with the largest number of iterations.
    pub limit: u32,
    /// Scalar in which the executor counts completed iterations.
    pub count: u32,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// Its `BeginLoop` stage.
    pub begin: u32,
    /// Its `EndLoop` stage.
    pub end: u32,
}

/// What a stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageKind {
    /// Tasks of single objects.
    Own,
    /// Tasks of pairs of objects.
    Joint,
    /// Tasks that every worker of the group runs.
    Replicated,
    /// Enters a loop, unless its limit is zero.
    BeginLoop(LoopId),
    /// Leaves a loop if a scalar is true.
    Break(LoopId, u32),
    /// Begins the next iteration, or leaves the loop at its limit.
    EndLoop(LoopId),
}

/// A stage: the unit of waiting. Inside it, no task depends on a task of another object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    /// The group.
    pub group: GroupId,
    /// What it is.
    pub kind: StageKind,
    /// Name of the sweep, for traces.
    pub name: &'static str,
    /// Its tasks, sorted by object or pair.
    pub tasks: Range<u32>,
    /// The innermost loop that it is in (for `BeginLoop` and `EndLoop`: the loop itself).
    pub in_loop: Option<LoopId>,
}

/// A recorded task graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Program {
    /// The groups; the first is the step's own.
    pub groups: Vec<GroupInfo>,
    /// The stages in the order of execution.
    pub stages: Vec<Stage>,
    /// The tasks in the order of execution.
    pub tasks: Vec<Task>,
    /// The accesses of all tasks.
    pub accesses: Vec<AccessDecl>,
    /// The loops.
    pub loops: Vec<LoopInfo>,
    /// Buffers that are the `next` of a state and that the program writes, ascending.
    pub written_states: Vec<DataId>,
}

impl Program {
    /// The accesses of a task, in the order of its tuple.
    pub fn accesses_of(&self, task: TaskId) -> &[AccessDecl] {
        let range = &self.tasks[task.0 as usize].accesses;
        &self.accesses[range.start as usize..range.end as usize]
    }

    /// A hash of everything: equal programs have equal fingerprints.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// The component that a task belongs to.
    pub fn component(&self, task: TaskId) -> ComponentTag {
        self.tasks[task.0 as usize].component
    }
}

/// A program and its kernels.
pub struct Recording {
    /// The plain data.
    pub program: Program,
    /// The kernels, by task.
    pub table: TaskTable,
}

impl Recording {
    /// A worker's view of a group.
    pub fn frame(&self, group: GroupId, store: &Store) -> Frame {
        let info = &self.program.groups[group.0 as usize];
        self.table.frame(group.0, info.scalars, &info.dots, store)
    }

    /// Renews the addresses that a frame keeps, if buffers have moved.
    pub fn refresh(&self, group: GroupId, frame: &mut Frame, store: &Store) {
        self.table.refresh(frame, &self.program.groups[group.0 as usize].dots, store);
    }
}
