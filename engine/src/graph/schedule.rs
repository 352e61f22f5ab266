//! A schedule: what each worker runs, waits for and publishes, stage by stage, as plain data.

use std::collections::BTreeMap;
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

/// Only so many of a task's first accesses may be additions: an [`Item`] has a bit for each.
pub const MAX_ADDING: usize = 16;

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

    /// Whether the additions of the access at a position are dropped or logged here.
    pub fn adds_elsewhere(self, position: usize) -> bool {
        position < MAX_ADDING && (self.discard | self.log) >> position & 1 == 1
    }

    /// The positions of logged accesses, with the numbers of their logs.
    pub fn logs(self) -> impl Iterator<Item = (usize, u32)> {
        let positions = (0..MAX_ADDING).filter(move |p| self.log >> p & 1 == 1);
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

/// Number of a region of a group, a stretch of stages that share an iteration count: 0 is its straight code, then come its
/// loops.
pub fn region_of(in_loop: Option<LoopId>) -> u32 {
    in_loop.map_or(0, |id| id.0 + 1)
}

/// Waits for a worker to have finished a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wait {
    /// The group of that stage.
    pub group: GroupId,
    /// Its position.
    pub position: u32,
    /// The worker that is waited for.
    pub worker: u32,
    /// The region of that stage, see [`region_of`].
    pub region: u32,
    /// The previous iteration is meant (not waited for in the first).
    pub carried: bool,
    /// How many dependences ask for this wait.
    pub count: u32,
}

/// What one worker does in a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WorkerStage {
    /// The worker.
    pub worker: u32,
    /// What it waits for first, sorted.
    pub waits: Vec<Wait>,
    /// What it runs.
    pub chain: Chain<Item>,
    /// How many dependences ask for the stage's completion to be published.
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
    /// Place in its group: that of the recorded stage, plus one for reducers.
    pub position: u32,
    /// What it is.
    pub kind: PlanKind,
    /// The region that its stamps belong to (of `BeginLoop` and `EndLoop`: the region around the loop).
    pub region: u32,
    /// Name of the sweep, for traces.
    pub name: &'static str,
    /// The workers that take part, ascending.
    pub workers: Vec<WorkerStage>,
}

impl PlanStage {
    /// What a worker does in it.
    pub fn of(&self, worker: u32) -> Option<&WorkerStage> {
        self.workers.binary_search_by_key(&worker, |w| w.worker).ok().map(|at| &self.workers[at])
    }

    /// What a worker does in it, to be changed; begins with nothing.
    pub fn of_mut(&mut self, worker: u32) -> &mut WorkerStage {
        match self.workers.binary_search_by_key(&worker, |w| w.worker) {
            Ok(at) => &mut self.workers[at],
            Err(at) => {
                self.workers.insert(at, WorkerStage { worker, ..WorkerStage::default() });
                &mut self.workers[at]
            }
        }
    }
}

/// The plan of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GroupPlan {
    /// The workers that take part, ascending.
    pub participants: Vec<u32>,
    /// The stages in the order of execution.
    pub stages: Vec<PlanStage>,
}

impl GroupPlan {
    /// The index of the stage at a position, or where it would be.
    ///
    /// # Errors
    /// If there is none; the value is where it belongs.
    pub fn find(&self, position: u32) -> Result<usize, usize> {
        self.stages.binary_search_by_key(&position, |s| s.position)
    }

    /// The stage at a position.
    pub fn stage(&self, position: u32) -> Option<&PlanStage> {
        self.find(position).ok().map(|at| &self.stages[at])
    }
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Where the objects are.
    pub assignment: Assignment,
    /// The groups by number.
    pub groups: Vec<Option<GroupPlan>>,
    /// The groups in the order of execution.
    pub order: BTreeMap<u32, GroupId>,
    /// Whether a worker must run its groups one after the other, since data pass from one to the next. Else only group 0
    /// comes before all others.
    pub in_order: bool,
    /// The reducers.
    pub reducers: Vec<Reducer>,
    /// Number of logs.
    pub n_logs: u32,
}

impl Schedule {
    /// The groups in the order of execution.
    pub fn groups(&self) -> impl Iterator<Item = (GroupId, &GroupPlan)> {
        self.order.values().filter_map(|&id| self.groups[id.0 as usize].as_ref().map(|group| (id, group)))
    }

    /// The plan of a group.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn group(&self, id: GroupId) -> &GroupPlan {
        self.find_group(id).expect("a group of the schedule")
    }

    /// The plan of a group, if there is one of this number.
    pub fn find_group(&self, id: GroupId) -> Option<&GroupPlan> {
        self.groups.get(id.0 as usize)?.as_ref()
    }

    /// The plan of a group, to be changed; begins with nothing.
    pub fn group_mut(&mut self, id: GroupId) -> &mut GroupPlan {
        let at = id.0 as usize;
        if self.groups.len() <= at {
            self.groups.resize_with(at + 1, || None);
        }
        self.groups[at].get_or_insert_default()
    }

    /// The stages in the order of execution.
    pub fn stages(&self) -> impl Iterator<Item = (GroupId, &PlanStage)> {
        self.groups().flat_map(|(id, group)| group.stages.iter().map(move |stage| (id, stage)))
    }

    /// A hash of everything that matters: equal plans have equal fingerprints, however they came about.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let ranks: BTreeMap<GroupId, usize> =
            self.groups().enumerate().map(|(rank, (id, _))| (id, rank)).collect();
        (&self.assignment, self.in_order, self.reducers.len(), self.n_logs).hash(&mut hasher);
        for (_, group) in self.groups() {
            group.participants.hash(&mut hasher);
            for stage in &group.stages {
                (stage.position, stage.kind, stage.region, stage.name).hash(&mut hasher);
                for worker in &stage.workers {
                    (worker.worker, worker.publishes).hash(&mut hasher);
                    for wait in &worker.waits {
                        let Wait { group, position, worker, region, carried, count } = wait;
                        (ranks.get(group), position, worker, region, carried, count).hash(&mut hasher);
                    }
                    // The numbers of tasks are memory; keys tell which they are.
                    for (key, item) in worker.chain.iter() {
                        (key, item.kind, item.discard, item.log, item.first_log).hash(&mut hasher);
                    }
                }
            }
        }
        hasher.finish()
    }

    /// The partial sums of each dot product of the program, by worker: what to place side by side.
    pub fn partial_lines(&self, program: &Program) -> Vec<Vec<DataId>> {
        let mut lines = Vec::new();
        for dot in program.groups().flat_map(|(_, g)| &g.dots) {
            let mut by_worker: Vec<Vec<DataId>> = vec![Vec::new(); self.assignment.workers() as usize];
            for term in dot.terms.iter().filter(|t| t.vectors.is_none()) {
                by_worker[self.assignment.worker(term.object) as usize].push(term.partial);
            }
            lines.extend(by_worker.into_iter().filter(|l| !l.is_empty()));
        }
        lines
    }

    /// Numbers of tasks, by kind.
    pub fn counts(&self, program: &Program) -> PlanCounts {
        let mut counts = PlanCounts { reducer: self.reducers.len(), ..PlanCounts::default() };
        for (id, stage) in self.stages() {
            let mut instances = 0;
            for worker in &stage.workers {
                counts.wait += worker.waits.len();
                counts.signal += usize::from(worker.publishes > 0);
                instances += worker.chain.len();
            }
            let PlanKind::Recorded(kind) = stage.kind else { continue };
            let recorded = program.group(id).stage(stage.position).map_or(0, |s| s.tasks.len());
            counts.compute += recorded;
            match kind {
                StageKind::Own | StageKind::Joint => counts.mirrored += instances - recorded,
                StageKind::Replicated => {}
                _ => counts.loops += stage.workers.len(),
            }
        }
        counts
    }
}

/// Whether several workers may each run a task and keep only the additions to their own objects.
pub fn can_be_mirrored(program: &Program, task: super::TaskId) -> bool {
    let accesses = program.accesses_of(task);
    accesses.iter().all(|a| !a.kind.is_exclusive() && a.kind != AccessKind::Lock)
        && accesses.iter().any(|a| a.kind == AccessKind::Accumulate)
}
