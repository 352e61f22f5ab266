//! All that supplies tasks to a game.

use std::any::Any;

use super::context::{Context, Edits};
use super::cycle::Cycle;
use super::queue::UnorderedQueue;
use super::supplier::{Query, Released, TaskSupplier};
use super::task::Outcome;
use super::tasks::Tasks;
use super::tree::BehaviourTree;

/// Tasks, and what supplies them: trees, a queue, and suppliers of a game's own, asked in this order.
#[derive(Default)]
pub struct Supply {
    /// The tasks.
    pub tasks: Tasks,
    /// Trees of behaviours.
    pub tree: BehaviourTree,
    /// Tasks that know no order.
    pub queue: UnorderedQueue,
    others: Vec<Box<dyn TaskSupplier + Send>>,
}

/// A task that was given out, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// What its supplier released.
    pub released: Released,
    from: u32,
}

impl Supply {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a supplier of a game's own; gives its number among those.
    pub fn add_supplier(&mut self, supplier: impl TaskSupplier + Send + 'static) -> usize {
        self.others.push(Box::new(supplier));
        self.others.len() - 1
    }

    /// Does what a task submitted, in order; whether there was anything.
    pub fn apply(&mut self, edits: &Edits) -> bool {
        let edits = edits.take();
        let any = !edits.is_empty();
        edits.into_iter().for_each(|edit| edit(self));
        any
    }

    fn supplier(&mut self, from: u32) -> Option<&mut dyn TaskSupplier> {
        match from {
            0 => Some(&mut self.tree),
            1 => Some(&mut self.queue),
            other => self.others.get_mut(other as usize - 2).map(|supplier| &mut **supplier as _),
        }
    }

    /// Begins a cycle in all suppliers.
    pub fn begin_cycle(&mut self, cycle: &Cycle) {
        self.tree.begin_cycle(cycle);
        self.queue.begin_cycle(cycle);
        self.others.iter_mut().for_each(|supplier| supplier.begin_cycle(cycle));
    }

    /// Adds one task to the list, or all that may run now, those of the longest chains first among those of one supplier. `buffer` is
    /// memory for suppliers to write to.
    pub fn query(&mut self, many: bool, into: &mut Vec<Given>, buffer: &mut Vec<Released>) -> Query {
        let (before, mut answer) = (into.len(), Query::Empty);
        for from in 0..2 + self.others.len() as u32 {
            let Some(supplier) = self.supplier(from) else { break };
            buffer.clear();
            let said = if many { supplier.query_many(buffer) } else { supplier.query_one(buffer) };
            into.extend(buffer.iter().map(|released| Given { released: *released, from }));
            if said == Query::Busy {
                answer = Query::Busy;
            }
            if !many && into.len() > before {
                break;
            }
        }
        if into.len() > before { Query::Success } else { answer }
    }

    /// Tells the supplier of a task how it ended; whether that made other tasks ready.
    pub fn report(&mut self, given: Given, outcome: Outcome) -> bool {
        self.supplier(given.from).is_some_and(|supplier| supplier.report(given.released, outcome))
    }
}

impl Context<'_> {
    /// Changes what is supplied, when this execution has returned and before its outcome is reported: adds tasks, submits them to the
    /// queue, or trees. Changes of one task are made in order; of the bodies of its loops in any.
    pub fn submit(&self, edit: impl FnOnce(&mut Supply) + Send + 'static) {
        self.edits().push(Box::new(move |supply: &mut dyn Any| {
            if let Some(supply) = supply.downcast_mut() {
                edit(supply);
            }
        }));
    }
}
