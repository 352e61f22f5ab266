//! All that supplies tasks to a game.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::context::{Context, Edits};
use super::cycle::Cycle;
use super::panicked::Panicked;
use super::queue::UnorderedQueue;
use super::supplier::{Query, Released, TaskSupplier};
use super::task::{Outcome, Task, TaskInfo};
use super::tasks::{TaskId, Tasks};
use super::tree::BehaviourTree;

/// Tasks, and what supplies them: trees, a queue, and suppliers of a game's own, asked in this order.
///
/// A task changes it by its context:
///
/// ```
/// use std::time::Duration;
/// use weft_animation::game::schedule::{Outcome, Supply, TaskInfo};
///
/// let mut supply = Supply::new();
/// supply.submit(TaskInfo::new("gun", Duration::ZERO), |context| {
///     context.submit(|supply| {
///         supply.submit(TaskInfo::new("bullet", Duration::ZERO), |_| Outcome::Progress);
///     });
///     Outcome::Success
/// });
/// assert_eq!((supply.queue.len(), supply.tasks.iter().count()), (1, 1));
/// ```
#[derive(Default)]
pub struct Supply {
    /// The tasks.
    pub tasks: Tasks,
    /// Trees of behaviours.
    pub tree: BehaviourTree,
    /// Tasks that know no order.
    pub queue: UnorderedQueue,
    others: Vec<Box<dyn TaskSupplier + Send>>,
    panicked: Vec<Panicked>,
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

    /// Adds a task and submits it to the queue. It is dropped when it leaves the queue: what is to stay, for a tree say, is added to
    /// [`Self::tasks`] and submitted by [`UnorderedQueue::submit`].
    pub fn submit(
        &mut self,
        info: TaskInfo,
        task: impl FnMut(&Context<'_>) -> Outcome + Send + 'static,
    ) -> TaskId {
        self.submit_task(info, Box::new(task))
    }

    /// The same for a task of any type.
    pub fn submit_task(&mut self, info: TaskInfo, task: Box<dyn Task>) -> TaskId {
        let id = self.tasks.add_task(info, task);
        self.queue.submit_passing(id);
        id
    }

    /// Does what a task submitted, in order; whether there was anything. One that panics keeps the others from nothing.
    pub fn apply(&mut self, edits: &Edits) -> bool {
        let edits = edits.take();
        let any = !edits.is_empty();
        edits.into_iter().for_each(|edit| self.guarded((), |supply| edit(supply)));
        any
    }

    /// Runs what a game may have written itself.
    fn guarded<R>(&mut self, otherwise: R, run: impl FnOnce(&mut Self) -> R) -> R {
        catch_unwind(AssertUnwindSafe(|| run(self))).unwrap_or_else(|payload| {
            self.panicked.push(Panicked { what: None, payload });
            otherwise
        })
    }

    /// What has panicked since it was asked last: behaviours, suppliers, changes. All else went on.
    pub fn take_panicked(&mut self) -> impl Iterator<Item = Panicked> {
        let trees = self.tree.take_panicked();
        std::mem::take(&mut self.panicked).into_iter().chain(trees)
    }

    fn all(&self) -> std::ops::Range<u32> {
        0..2 + self.others.len() as u32
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
        for from in self.all() {
            self.guarded((), |supply| {
                supply.supplier(from).into_iter().for_each(|one| one.begin_cycle(cycle))
            });
        }
    }

    /// Ends a cycle in all suppliers.
    pub fn end_cycle(&mut self) {
        for from in self.all() {
            self.guarded((), |supply| supply.supplier(from).into_iter().for_each(TaskSupplier::end_cycle));
        }
    }

    /// Adds one task to the list, or all that may run now, those of the longest chains first among those of one supplier. `buffer` is
    /// memory for suppliers to write to.
    pub fn query(&mut self, many: bool, into: &mut Vec<Given>, buffer: &mut Vec<Released>) -> Query {
        let (before, mut answer) = (into.len(), Query::Empty);
        for from in self.all() {
            buffer.clear();
            let said = self.guarded(Query::Empty, |supply| match supply.supplier(from) {
                Some(supplier) if many => supplier.query_many(buffer),
                Some(supplier) => supplier.query_one(buffer),
                None => Query::Empty,
            });
            // What it gave out before it panicked is out.
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
        let made_ready = self.guarded(false, |supply| {
            supply.supplier(given.from).is_some_and(|supplier| supplier.report(given.released, outcome))
        });
        while let Some(task) = self.queue.take_gone() {
            // What a task holds is let go with it, and may panic.
            self.guarded(false, |supply| supply.tasks.remove(task));
        }
        made_ready
    }
}

impl Context<'_> {
    /// Changes what is supplied, when this execution has returned and before its outcome is reported: adds tasks, submits them to the
    /// queue, or trees; [`Supply::submit`] is for what is done once. Changes of one task are made in order; of the bodies of its loops in any.
    pub fn submit(&self, edit: impl FnOnce(&mut Supply) + Send + 'static) {
        self.edits().push(Box::new(move |supply: &mut dyn Any| {
            if let Some(supply) = supply.downcast_mut() {
                edit(supply);
            }
        }));
    }
}
