//! A recorded task graph: groups of stages of tasks in the order of execution, as plain data.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::chain::Chain;
use super::task::{ComponentTag, Task, TaskId};
use super::task_pool::TaskPool;
use crate::data::{AccessDecl, DataId, DotInfo, Frame, ScalarType, Store, TaskTable};

/// Number of a group in its program; group 0 is the step's own code before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

/// Number of a loop in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub u32);

/// A loop of a group, or what runs under a condition: a loop of one iteration or none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopInfo {
    /// Scalar with the largest number of iterations; that of a condition is its flag.
    pub limit: u32,
    /// Scalar in which the executor counts completed iterations.
    pub count: u32,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// Position of its `BeginLoop` stage.
    pub begin: u32,
    /// Position of its `EndLoop` stage.
    pub end: u32,
    /// Whether it is a condition.
    pub is_condition: bool,
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

impl StageKind {
    /// Whether every worker of the group takes part, whatever objects it has.
    pub fn is_replicated(self) -> bool {
        !matches!(self, Self::Own | Self::Joint)
    }

    /// Whether it is loop control.
    pub fn is_control(self) -> bool {
        matches!(self, Self::BeginLoop(_) | Self::Break(..) | Self::EndLoop(_))
    }
}

/// Bits of a position below those of the sweep.
const SWEEP_SHIFT: u32 = 11;
/// Sweeps of a group whose positions differ; the last of the numbers is left free, so that a position and one fit into 32 bits.
pub const MAX_SWEEPS: u32 = (1 << (u32::BITS - SWEEP_SHIFT)) - 1;
/// Depths of one sweep.
pub(super) const MAX_DEPTH: u32 = (1 << (SWEEP_SHIFT - 1)) - 1;

/// Place of a stage in its group: number of the sweep, depth within the sweep; the odd number behind it is that of the
/// reducers that follow the stage. It does not depend on which other stages have tasks, so that parts of a group that
/// were recorded apart fit together.
pub fn position(sweep: u32, depth: u32) -> u32 {
    sweep << SWEEP_SHIFT | depth << 1
}

/// The number of the sweep that a [`position`] is in.
pub fn sweep_of(position: u32) -> u32 {
    position >> SWEEP_SHIFT
}

/// A stage: the unit of waiting. Inside it, no task depends on a task of another object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    /// Its place in the group, see [`position`].
    pub position: u32,
    /// What it is.
    pub kind: StageKind,
    /// Name of the sweep, for traces.
    pub name: &'static str,
    /// Its tasks, sorted by object or pair.
    pub tasks: Chain<TaskId>,
    /// The innermost loop that it is in (for `BeginLoop` and `EndLoop`: the loop itself).
    pub in_loop: Option<LoopId>,
}

/// One call that began a sweep, a run of replicated tasks or loop control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Heading {
    /// What began.
    pub kind: HeadingKind,
    /// Its name.
    pub name: &'static str,
}

/// What a heading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeadingKind {
    /// Tasks of objects and pairs.
    Sweep,
    /// Replicated tasks.
    Replicated,
    /// Loop control.
    Control,
}

/// A group: tasks that share scalars, dot products and loops.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Group {
    /// Its name, for traces.
    pub name: String,
    /// The scalars in its bank.
    pub scalars: Vec<ScalarType>,
    /// Its dot products, terms ascending by object.
    pub dots: Vec<DotInfo>,
    /// Its loops.
    pub loops: Vec<LoopInfo>,
    /// What was begun, in order: recordings with equal outlines can be joined.
    pub outline: Vec<Heading>,
    /// Its stages in the order of execution.
    pub stages: Vec<Stage>,
    /// The numbers of the sweeps in which tasks ask for resources, ascending, and how many such tasks each has.
    pub(super) asking: Vec<(u32, u32)>,
}

impl Group {
    /// Whether both were recorded by the same steps: outlines, loops, scalars and dot products correspond.
    pub fn is_like(&self, other: &Self) -> bool {
        (&self.outline, &self.loops) == (&other.outline, &other.loops) && self.has_bank_of(other)
    }

    /// Whether a task of one finds the scalars and dot products that it names in the other.
    pub(super) fn has_bank_of(&self, other: &Self) -> bool {
        self.scalars == other.scalars && self.dots.len() == other.dots.len()
    }

    /// The stage at a position.
    pub fn stage(&self, position: u32) -> Option<&Stage> {
        self.stages.binary_search_by_key(&position, |s| s.position).ok().map(|at| &self.stages[at])
    }

    /// Its tasks in the order of execution.
    pub fn tasks(&self) -> impl Iterator<Item = TaskId> {
        self.stages.iter().flat_map(|s| s.tasks.iter().map(|(_, &task)| task))
    }

    /// Number of recorded tasks.
    pub fn n_tasks(&self) -> usize {
        self.stages.iter().map(|s| s.tasks.len()).sum()
    }
}

/// A recorded task graph.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The groups by number.
    pub(super) groups: Vec<Option<Group>>,
    /// The groups in the order of execution.
    pub(super) order: BTreeMap<u32, GroupId>,
    pub(super) pool: TaskPool,
    /// Buffers that are the `next` of a state and that the program writes, ascending.
    pub written_states: Vec<DataId>,
}

impl Program {
    /// The groups in the order of execution.
    pub fn groups(&self) -> impl Iterator<Item = (GroupId, &Group)> {
        self.order.values().filter_map(|&id| self.groups[id.0 as usize].as_ref().map(|group| (id, group)))
    }

    /// The place of a group in the order of execution.
    pub fn order_of(&self, id: GroupId) -> Option<u32> {
        self.order.iter().find(|(_, known)| **known == id).map(|(order, _)| *order)
    }

    /// The places of all groups in the order of execution.
    pub fn order(&self) -> &BTreeMap<u32, GroupId> {
        &self.order
    }

    /// One more than the largest number of a group.
    pub fn n_group_ids(&self) -> usize {
        self.groups.len()
    }

    /// A group.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn group(&self, id: GroupId) -> &Group {
        self.groups[id.0 as usize].as_ref().expect("a group of the program")
    }

    /// A group, if there is one of this number.
    pub fn find_group(&self, id: GroupId) -> Option<&Group> {
        self.groups.get(id.0 as usize)?.as_ref()
    }

    pub(super) fn group_mut(&mut self, id: GroupId) -> &mut Group {
        self.groups[id.0 as usize].as_mut().expect("a group of the program")
    }

    /// A task.
    pub fn task(&self, id: TaskId) -> &Task {
        self.pool.task(id)
    }

    /// The tasks in the order of execution.
    pub fn tasks(&self) -> impl Iterator<Item = (TaskId, &Task)> {
        self.groups().flat_map(|(_, g)| g.tasks()).map(|id| (id, self.task(id)))
    }

    /// Number of recorded tasks.
    pub fn n_tasks(&self) -> usize {
        self.groups().map(|(_, g)| g.n_tasks()).sum()
    }

    /// One more than the largest number of a task.
    pub fn n_task_ids(&self) -> usize {
        self.pool.n_ids()
    }

    /// The accesses of a task, in the order of its tuple.
    pub fn accesses_of(&self, task: TaskId) -> &[AccessDecl] {
        self.pool.accesses_of(task)
    }

    /// One more than the largest number of a buffer that the program touches.
    pub fn n_data(&self) -> usize {
        let accessed = self.tasks().flat_map(|(id, _)| self.accesses_of(id));
        let accessed = accessed.filter(|a| a.kind.is_data()).map(|a| a.id);
        let terms = self.groups().flat_map(|(_, g)| &g.dots).flat_map(|d| &d.terms);
        let vectors = terms.flat_map(|t| t.vectors.map_or([t.partial; 2], |(a, b)| [a, b]));
        accessed.chain(vectors).max().map_or(0, |id| id as usize + 1)
    }

    /// Number of the first loop of a group, if all loops are counted in the order of execution.
    pub fn loop_number(&self, group: GroupId) -> u32 {
        self.groups().take_while(|(id, _)| *id != group).map(|(_, g)| g.loops.len() as u32).sum()
    }

    /// Number of loops.
    pub fn n_loops(&self) -> usize {
        self.groups().map(|(_, g)| g.loops.len()).sum()
    }

    /// The component that a task belongs to.
    pub fn component(&self, task: TaskId) -> ComponentTag {
        self.task(task).component
    }

    /// A hash of everything that matters: equal programs have equal fingerprints, however they came about.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (_, group) in self.groups() {
            // Who asks for resources follows from the accesses.
            let Group { name, scalars, dots, loops, outline, stages, asking: _ } = group;
            (name, scalars, dots, loops, outline).hash(&mut hasher);
            for stage in stages {
                (stage.position, stage.kind, stage.name, stage.in_loop).hash(&mut hasher);
                for (key, &id) in stage.tasks.iter() {
                    let Task { name, component, place, sequence, .. } = self.task(id);
                    (key, name, component, place, sequence, self.accesses_of(id)).hash(&mut hasher);
                }
            }
        }
        self.written_states.hash(&mut hasher);
        hasher.finish()
    }
}

/// Equal in meaning: the numbers of tasks and groups, which are memory, do not count.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint() == other.fingerprint()
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
        let info = self.program.group(group);
        self.table.frame(group.0, &info.scalars, &info.dots, store)
    }

    /// Renews the addresses that a frame keeps, if buffers have moved.
    pub fn refresh(&self, group: GroupId, frame: &mut Frame, store: &Store) {
        let Group { scalars, dots, .. } = self.program.group(group);
        self.table.refresh(frame, scalars, dots, store);
    }

    /// Renews the addresses that a frame keeps, since terms of dot products came or went.
    pub fn refresh_dots(&self, group: GroupId, frame: &mut Frame, store: &Store) {
        let Group { scalars, dots, .. } = self.program.group(group);
        self.table.refresh_dots(frame, scalars, dots, store);
    }
}
