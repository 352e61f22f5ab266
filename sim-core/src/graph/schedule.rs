//! A schedule: what each worker runs, waits for and publishes, stage by stage, as plain data.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::chain::Chain;
use super::program::{GroupId, LoopId, Program, StageKind};
use crate::data::{AccessKind, DataId, ObjectId};

/// Which worker each object belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Assignment {
    workers: u32,
    of_object: Vec<u32>,
}

impl Assignment {
    /// All objects on the first of `workers` workers.
    pub fn new(workers: u32) -> Self {
        Self { workers: workers.max(1), of_object: Vec::new() }
    }

    /// Number of workers.
    pub fn workers(&self) -> u32 {
        self.workers
    }

    /// The worker of an object.
    pub fn worker(&self, object: ObjectId) -> u32 {
        self.of_object.get(object.0 as usize).copied().unwrap_or(0)
    }

    /// Puts an object on a worker.
    pub fn set(&mut self, object: ObjectId, worker: u32) {
        assert!(worker < self.workers, "worker {worker} of {}", self.workers);
        let index = object.0 as usize;
        if self.of_object.len() <= index {
            self.of_object.resize(index + 1, 0);
        }
        self.of_object[index] = worker;
    }
}

/// What a chain entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// An instance of the task with this number.
    Task,
    /// The reducer with this number.
    Reducer,
}

/// One entry of a chain: an instance of a task, or a reducer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Number of the task or reducer.
    pub index: u32,
    /// Accesses whose additions are dropped here, by position.
    pub discard: u16,
    /// Accesses whose additions are logged here, by position.
    pub log: u16,
    /// Number of the first of its logs; the others follow, by position.
    pub first_log: u32,
}

impl Item {
    /// An instance with all additions in place.
    pub fn task(index: u32) -> Self {
        Self { kind: ItemKind::Task, index, discard: 0, log: 0, first_log: 0 }
    }

    /// The positions of logged accesses, with the numbers of their logs.
    pub fn logs(self) -> impl Iterator<Item = (usize, u32)> {
        let positions = (0..16).filter(move |p| self.log >> p & 1 == 1);
        positions.enumerate().map(move |(k, p)| (p, self.first_log + k as u32))
    }
}

/// Replays logs into their target in recorded order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reducer {
    /// The buffer.
    pub target: DataId,
    /// Each log, with the task and the position of the access that writes it.
    pub logs: Vec<(u32, u32, u32)>,
}

/// A stretch of stages that share an iteration count: a group's straight code, or a loop's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// The group.
    pub group: GroupId,
    /// The loop, unless it is the group's straight code.
    pub in_loop: Option<LoopId>,
    /// Position that stamps count from.
    pub base: u32,
}

/// Waits for a worker to have finished a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wait {
    /// The worker that is waited for.
    pub worker: u32,
    /// The region of that stage.
    pub region: u32,
    /// Its position.
    pub position: u32,
    /// The previous iteration is meant (not waited for in the first).
    pub carried: bool,
    /// How many dependences ask for this wait.
    pub count: u32,
}

/// What one worker does in a stage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorkerStage {
    /// The worker.
    pub worker: u32,
    /// What it waits for first, sorted.
    pub waits: Vec<Wait>,
    /// What it runs.
    pub chain: Chain<Item>,
    /// How many waits of others ask for the stage's completion to be published.
    pub publishes: u32,
}

/// What a planned stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlanKind {
    /// As in the program.
    Recorded(StageKind),
    /// Reducers at the end of a recorded stage.
    Reduce,
}

/// A stage of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlanStage {
    /// Place in the order of execution: twice the recorded stage's number, plus one for reducers.
    pub position: u32,
    /// The group.
    pub group: GroupId,
    /// What it is.
    pub kind: PlanKind,
    /// The region that its stamps belong to (of `BeginLoop` and `EndLoop`: the region around the loop).
    pub region: u32,
    /// Name of the sweep, for traces.
    pub name: &'static str,
    /// The workers that take part, ascending.
    pub workers: Vec<WorkerStage>,
}

/// Numbers of tasks in a plan, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PlanCounts {
    /// Recorded tasks (replicated ones count once).
    pub compute: usize,
    /// Second computations of joint tasks.
    pub mirrored: usize,
    /// Stages of a worker that publish their completion.
    pub signal: usize,
    /// Waits.
    pub wait: usize,
    /// Reducers.
    pub reducer: usize,
    /// Replicas of loop control.
    pub loops: usize,
}

/// A plan for a program on a number of workers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schedule {
    /// Where the objects are.
    pub assignment: Assignment,
    /// The stages in the order of execution.
    pub stages: Vec<PlanStage>,
    /// The regions.
    pub regions: Vec<Region>,
    /// The workers of each group, ascending.
    pub participants: Vec<Vec<u32>>,
    /// The reducers.
    pub reducers: Vec<Reducer>,
    /// Number of logs.
    pub n_logs: u32,
    /// How many tasks there are.
    pub counts: PlanCounts,
}

impl Schedule {
    /// A hash of everything: equal schedules have equal fingerprints.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// The partial sums of each dot product of the program, by worker: what to place side by side.
    pub fn partial_lines(&self, program: &Program) -> Vec<Vec<DataId>> {
        let mut lines = Vec::new();
        for dot in program.groups.iter().flat_map(|g| &g.dots) {
            let mut by_worker: Vec<Vec<DataId>> = vec![Vec::new(); self.assignment.workers() as usize];
            for term in dot.terms.iter().filter(|t| t.vectors.is_none()) {
                by_worker[self.assignment.worker(term.object) as usize].push(term.partial);
            }
            lines.extend(by_worker.into_iter().filter(|l| !l.is_empty()));
        }
        lines
    }

    /// Counts the tasks by kind.
    pub fn count(&mut self, program: &Program) {
        let mut counts = PlanCounts {
            compute: program.tasks.len(),
            reducer: self.reducers.len(),
            ..PlanCounts::default()
        };
        for stage in &self.stages {
            let mut instances = 0;
            for worker in &stage.workers {
                counts.wait += worker.waits.len();
                counts.signal += usize::from(worker.publishes > 0);
                instances += worker.chain.len();
            }
            match stage.kind {
                PlanKind::Recorded(StageKind::Own | StageKind::Joint) => {
                    let recorded = &program.stages[stage.position as usize / 2].tasks;
                    counts.mirrored += instances - recorded.len();
                }
                PlanKind::Recorded(
                    StageKind::BeginLoop(_) | StageKind::Break(..) | StageKind::EndLoop(_),
                ) => {
                    counts.loops += stage.workers.len();
                }
                _ => {}
            }
        }
        self.counts = counts;
    }
}

/// Whether several workers may each run a task and keep only the additions to their own objects.
pub fn can_be_mirrored(program: &Program, task: super::TaskId) -> bool {
    let accesses = program.accesses_of(task);
    accesses.iter().all(|a| !a.kind.is_exclusive())
        && accesses.iter().any(|a| a.kind == AccessKind::Accumulate)
}
