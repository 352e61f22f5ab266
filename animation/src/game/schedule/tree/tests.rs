//! Tests of trees: kinds of behaviours, submission, files, and random trees beside a plain reference.

mod files;
mod kinds;
mod random;

use super::super::testing::{Log, cycle, run, second, told};
use super::super::{Outcome, TaskId, TaskSupplier, Tasks};
use super::{BehaviourTree, NodeId};

/// Tasks, a tree over them, and what ran.
#[derive(Default)]
struct Bench {
    tasks: Tasks,
    tree: BehaviourTree,
    log: Log,
    n: u64,
}

impl Bench {
    /// A task that ends as told, each time by the next outcome; the last one holds on.
    fn task(&mut self, name: &str, outcomes: &[Outcome]) -> TaskId {
        told(&mut self.tasks, &self.log, name, 1, outcomes)
    }

    /// A leaf of such a task.
    fn leaf(&mut self, name: &str, outcomes: &[Outcome]) -> NodeId {
        let task = self.task(name, outcomes);
        self.tree.task(task)
    }

    fn submit(&mut self, root: NodeId) {
        self.tree.submit(root, &self.tasks).unwrap();
    }

    /// What ran in the next cycle; a cycle is a second.
    fn cycle(&mut self) -> String {
        self.n += 1;
        cycle(&mut self.tasks, &mut self.tree, &self.log, second(self.n))
    }

    /// What runs in the next cycle, in which a tree is submitted.
    fn cycle_with(&mut self, root: NodeId) -> String {
        self.n += 1;
        self.tree.begin_cycle(&second(self.n));
        self.submit(root);
        run(&mut self.tasks, &mut self.tree, &self.log, second(self.n))
    }

    fn cycles(&mut self, n: usize) -> Vec<String> {
        (0..n).map(|_| self.cycle()).collect()
    }
}
