//! The stages of a program as bundles: lists of tasks that one thread runs in recorded order, beside other bundles.
//!
//! The tasks of an object make a bundle. Additions to a buffer come from one bundle, in recorded order; where tasks of
//! several bundles add to it, a task of a pair is run in the bundles of both its objects, each of which keeps its own
//! side, and additions of others are logged and replayed when the stage is over.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use engine::data::{AccessKind, Addition, DataId, EnvArena, Instances, ObjectId, Op};
use engine::graph::schedule::can_be_mirrored;
use engine::graph::{Group, GroupId, Place, Program, StageKind, TaskId};

use crate::checks::Checks;

/// An op, the task to blame if it panics, and of a reducer the object whose buffer it adds to.
pub(super) type TaskOp = (Op, TaskId, Option<ObjectId>);

/// Tasks that one thread runs in this order: a range of [`Stages::ops`].
pub(super) type Bundle = Range<usize>;

/// What a stage runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Forks {
    /// Run side by side: a range of [`Stages::bundles`].
    pub bundles: Range<usize>,
    /// Run side by side when these are done: reducers, one per bundle.
    pub reducers: Range<usize>,
}

/// All stages of a group, ready to be run.
#[derive(Default)]
pub(super) struct Stages {
    pub ops: Vec<TaskOp>,
    pub bundles: Vec<Bundle>,
    /// By bundle: the thread that its object is bound to.
    pub threads: Vec<Option<u32>>,
    /// By number of the stage; empty for loop control.
    pub forks: Vec<Forks>,
}

/// An instance of a task in a bundle: what becomes of its additions, by position of the access.
type Instance = (TaskId, Vec<(usize, Addition)>);

/// Where the additions of a stage to one buffer are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// In place, in the bundle of this object.
    In(u32),
    /// Each is logged.
    Logged,
}

/// A log: the task and position of the access that writes it, and its number.
type Log = (usize, usize, u32);

impl Stages {
    /// For `threads` threads; a single one needs neither mirrors nor logs.
    pub fn new(
        program: &Program,
        (id, group): (GroupId, &Group),
        threads: usize,
        n_logs: &mut u32,
        instances: &mut Instances<'_>,
        (arena, checks): (&mut EnvArena, &mut Checks),
    ) -> Self {
        let mut stages = Self::default();
        for stage in &group.stages {
            let tasks = stage.tasks.blocks().flatten().copied().collect::<Vec<TaskId>>().into_iter();
            let (bundles, logs) = match stage.kind {
                StageKind::Own | StageKind::Joint if threads > 1 => split(program, tasks, n_logs),
                _ => (vec![tasks.map(|t| (t, Vec::new())).collect()], BTreeMap::new()),
            };
            let first = stages.bundles.len();
            for bundle in bundles.iter().filter(|b| !b.is_empty()) {
                let begin = stages.ops.len();
                for (task, additions) in bundle {
                    let op = instances.task(task.0 as usize, additions, arena);
                    let op = checks.task(op, (program, instances.store()), id, *task, additions);
                    stages.ops.push((op, *task, None));
                }
                stages.bundles.push(begin..stages.ops.len());
                let bound = bundle.iter().find_map(|(task, _)| match program.task(*task).place {
                    Place::Own(object) => instances.store().bound_worker(object, threads as u32),
                    Place::Joint(..) | Place::Replicated => None,
                });
                stages.threads.push(bound);
            }
            let middle = stages.bundles.len();
            for (target, logs) in logs {
                let begin = stages.ops.len();
                let first = TaskId(logs[0].0 as u32);
                let object = program.accesses_of(first)[logs[0].1].object;
                let op = instances.reducer(target, &logs, arena);
                let op = checks.reducer(op, instances.store(), target, &logs);
                stages.ops.push((op, first, Some(object)));
                stages.bundles.push(begin..begin + 1);
                stages.threads.push(None);
            }
            stages.forks.push(Forks { bundles: first..middle, reducers: middle..stages.bundles.len() });
        }
        stages
    }
}

/// The object in whose bundle a task runs if it runs once.
fn home(program: &Program, task: TaskId) -> u32 {
    match program.task(task).place {
        Place::Own(object) | Place::Joint(object, _) => object.0,
        Place::Replicated => 0,
    }
}

/// Deals the tasks of a stage out to bundles; the logs that are written, by target.
fn split(
    program: &Program,
    tasks: impl Iterator<Item = TaskId> + Clone,
    n_logs: &mut u32,
) -> (Vec<Vec<Instance>>, BTreeMap<DataId, Vec<Log>>) {
    let ways = ways(program, tasks.clone());
    let mut bundles: BTreeMap<u32, Vec<Instance>> = BTreeMap::new();
    let mut logs: BTreeMap<DataId, Vec<Log>> = BTreeMap::new();
    for task in tasks {
        let home = home(program, task);
        let adds = || {
            let accesses = program.accesses_of(task).iter().enumerate();
            accesses.filter(|(_, a)| a.kind == AccessKind::Accumulate).map(|(k, a)| (k, a.id, ways[&a.id]))
        };
        let mut objects: BTreeSet<u32> = adds()
            .map(|(_, _, way)| match way {
                Way::In(object) => object,
                Way::Logged => home,
            })
            .collect();
        if objects.is_empty() {
            objects.insert(home);
        }
        for &object in &objects {
            let mut additions = Vec::new();
            for (position, target, way) in adds() {
                match way {
                    Way::In(at) if at == object => {}
                    Way::Logged if object == home => {
                        logs.entry(target).or_default().push((task.0 as usize, position, *n_logs));
                        additions.push((position, Addition::Log(*n_logs)));
                        *n_logs += 1;
                    }
                    _ => additions.push((position, Addition::Discard)),
                }
            }
            bundles.entry(object).or_default().push((task, additions));
        }
    }
    (bundles.into_values().collect(), logs)
}

/// What becomes of the additions to each buffer that the tasks of a stage add to.
fn ways(program: &Program, tasks: impl Iterator<Item = TaskId>) -> BTreeMap<DataId, Way> {
    /// Tasks that add to a buffer: the one bundle that all are at home in, and whether all can be mirrored.
    struct Adders {
        object: u32,
        home: Option<u32>,
        mirrored: bool,
    }
    let mut adders: BTreeMap<DataId, Adders> = BTreeMap::new();
    for task in tasks {
        let home = home(program, task);
        let joint = matches!(program.task(task).place, Place::Joint(..));
        let mirrored = joint && can_be_mirrored(program, task);
        for access in program.accesses_of(task).iter().filter(|a| a.kind == AccessKind::Accumulate) {
            let known = adders.entry(access.id).or_insert(Adders {
                object: access.object.0,
                home: Some(home),
                mirrored: true,
            });
            known.home = known.home.filter(|h| *h == home);
            known.mirrored &= mirrored;
        }
    }
    let way = |a: Adders| match a.home {
        Some(home) => Way::In(home),
        None if a.mirrored => Way::In(a.object),
        None => Way::Logged,
    };
    adders.into_iter().map(|(id, a)| (id, way(a))).collect()
}
