//! Which workers run which task.

use sim_core::data::{AccessDecl, AccessKind};
use sim_core::graph::schedule::{Item, can_be_mirrored};
use sim_core::graph::{Assignment, Place, Program, TaskId};

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

/// The instances of all tasks but the replicated ones.
pub(super) struct Placement {
    /// Where the instances of a task begin; one more entry at the end.
    start: Vec<u32>,
    /// Worker of each instance.
    pub workers: Vec<u32>,
    /// What each instance does.
    pub items: Vec<Item>,
}

impl Placement {
    pub fn new(program: &Program, assignment: &Assignment, mode: Accumulation) -> Self {
        let n = program.tasks.len();
        let mut placement = Self {
            start: Vec::with_capacity(n + 1),
            workers: Vec::with_capacity(n + n / 4),
            items: Vec::with_capacity(n + n / 4),
        };
        for (number, task) in program.tasks.iter().enumerate() {
            placement.start.push(placement.workers.len() as u32);
            let id = TaskId(number as u32);
            match task.place {
                Place::Replicated => {}
                Place::Own(object) => placement.add(number, assignment.worker(object)),
                Place::Joint(a, b) => {
                    let accesses = program.accesses_of(id);
                    let (wa, wb) = (assignment.worker(a), assignment.worker(b));
                    if let Some(exclusive) = accesses.iter().find(|a| a.kind.is_exclusive()) {
                        placement.add(number, assignment.worker(exclusive.object));
                    } else if !can_be_mirrored(program, id) {
                        placement.add(number, wa);
                    } else if mode == Accumulation::Reduce {
                        // The two owners take turns, by pair.
                        placement.add(number, if (a.0 ^ b.0) & 1 == 0 { wa } else { wb });
                    } else {
                        placement.mirror(number, accesses, assignment);
                    }
                }
            }
        }
        placement.start.push(placement.workers.len() as u32);
        placement
    }

    /// The range of a task's instances.
    pub fn of(&self, task: usize) -> std::ops::Range<usize> {
        self.start[task] as usize..self.start[task + 1] as usize
    }

    /// The instance of a task on a worker.
    pub fn instance(&self, task: usize, worker: u32) -> Option<usize> {
        self.of(task).find(|&i| self.workers[i] == worker)
    }

    fn add(&mut self, task: usize, worker: u32) {
        self.workers.push(worker);
        self.items.push(Item::task(task as u32));
    }

    /// One instance on each owner of a target, which drops the additions to others' targets.
    fn mirror(&mut self, task: usize, accesses: &[AccessDecl], assignment: &Assignment) {
        let begin = self.workers.len();
        for target in accesses.iter().filter(|a| a.kind == AccessKind::Accumulate) {
            let owner = assignment.worker(target.object);
            if !self.workers[begin..].contains(&owner) {
                self.add(task, owner);
            }
        }
        self.workers[begin..].sort_unstable();
        for i in begin..self.workers.len() {
            for (position, access) in accesses.iter().enumerate() {
                if access.kind == AccessKind::Accumulate
                    && assignment.worker(access.object) != self.workers[i]
                {
                    self.items[i].discard |= 1 << position;
                }
            }
        }
    }
}
