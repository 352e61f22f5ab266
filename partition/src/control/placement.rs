//! Which workers run which task.

use engine::data::{AccessDecl, AccessKind};
use engine::graph::schedule::{Item, can_be_mirrored};
use engine::graph::{Assignment, Place, Program, TaskId};

/// What becomes of a joint task whose objects are on several workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Accumulation {
    /// Mirrored where that is possible, else logged.
    #[default]
    Auto,
    /// As `Auto`.
    Mirror,
    /// One worker runs it and logs the additions; reducers replay them.
    Reduce,
}

/// The instances of a task that is not replicated, appended to `instances` with their workers, ascending; nothing is
/// logged yet.
pub(super) fn place(
    program: &Program,
    id: TaskId,
    assignment: &Assignment,
    mode: Accumulation,
    instances: &mut Vec<(u32, Item)>,
) {
    let item = Item::task(id.0);
    match program.task(id).place {
        Place::Replicated => {}
        Place::Own(object) => instances.push((assignment.worker(object), item)),
        Place::Joint(a, b) => {
            let accesses = program.accesses_of(id);
            let (wa, wb) = (assignment.worker(a), assignment.worker(b));
            if let Some(exclusive) = accesses.iter().find(|a| a.kind.is_exclusive() && !a.is_resource()) {
                instances.push((assignment.worker(exclusive.object), item));
            } else if !can_be_mirrored(program, id) {
                instances.push((wa, item));
            } else if mode == Accumulation::Reduce {
                // The two owners take turns, by pair.
                instances.push((if (a.0 ^ b.0) & 1 == 0 { wa } else { wb }, item));
            } else {
                mirror(item, accesses, assignment, instances);
            }
        }
    }
}

/// One instance on each owner of a target, which drops the additions to others' targets.
fn mirror(item: Item, accesses: &[AccessDecl], assignment: &Assignment, instances: &mut Vec<(u32, Item)>) {
    let begin = instances.len();
    for target in accesses.iter().filter(|a| a.kind == AccessKind::Accumulate) {
        let owner = assignment.worker(target.object);
        if !instances[begin..].iter().any(|i| i.0 == owner) {
            instances.push((owner, item));
        }
    }
    instances[begin..].sort_unstable_by_key(|i| i.0);
    for (worker, item) in &mut instances[begin..] {
        for (position, access) in accesses.iter().enumerate() {
            if access.kind == AccessKind::Accumulate && assignment.worker(access.object) != *worker {
                item.discard |= 1 << position;
            }
        }
    }
}

/// Whether additions of a task go to a worker that has no instance of it, so that they must be logged.
pub(super) fn needs_logs(program: &Program, id: TaskId, assignment: &Assignment, on: &[(u32, Item)]) -> bool {
    let remote = |a: &AccessDecl| {
        a.kind == AccessKind::Accumulate && !on.iter().any(|i| i.0 == assignment.worker(a.object))
    };
    program.accesses_of(id).iter().any(remote)
}

/// The instances of all tasks but the replicated ones.
pub(super) struct TaskInstances {
    /// Range of each task's instances, by number of the task.
    ranges: Vec<(u32, u32)>,
    instances: Vec<(u32, Item)>,
}

impl TaskInstances {
    pub fn new(program: &Program, assignment: &Assignment, mode: Accumulation) -> Self {
        let n = program.n_task_ids();
        let mut placement = Self { ranges: vec![(0, 0); n], instances: Vec::with_capacity(n + n / 4) };
        for (id, _) in program.tasks() {
            let begin = placement.instances.len() as u32;
            place(program, id, assignment, mode, &mut placement.instances);
            placement.ranges[id.0 as usize] = (begin, placement.instances.len() as u32);
        }
        placement
    }

    /// The instances of a task with their workers.
    pub fn of(&self, task: TaskId) -> &[(u32, Item)] {
        let (begin, end) = self.ranges[task.0 as usize];
        &self.instances[begin as usize..end as usize]
    }

    /// The number of the instance of a task on a worker.
    pub fn on(&self, task: TaskId, worker: u32) -> Option<usize> {
        let begin = self.ranges[task.0 as usize].0 as usize;
        self.of(task).iter().position(|i| i.0 == worker).map(|k| begin + k)
    }

    /// The number of the first instance of a task.
    pub fn first(&self, task: TaskId) -> usize {
        self.ranges[task.0 as usize].0 as usize
    }

    /// An instance by number, to be changed.
    pub fn item_mut(&mut self, instance: usize) -> &mut Item {
        &mut self.instances[instance].1
    }
}
