//! What gives tasks to workers.

use std::time::Duration;

use super::cycle::Cycle;
use super::task::Outcome;
use super::tasks::TaskId;

/// A task that a supplier gave out and whose outcome it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Released {
    /// The task.
    pub task: TaskId,
    /// How long the longest chain of tasks is that begins with it, by the costs given: what has more of it should run first. Zero where
    /// the supplier knows of no order.
    pub path: Duration,
    /// Where it stands in its supplier.
    pub place: u32,
}

/// The answer to a worker that asks for tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// A task, or several if many were asked for.
    Success,
    /// None now; the outcome of a task that is out may release more in this cycle.
    Busy,
    /// None any more in this cycle, unless something is submitted.
    Empty,
}

/// What gives tasks to workers in cycles.
///
/// ```
/// use std::time::Duration;
/// use weft_animation::game::schedule::{Cycle, Outcome, Query, Released, Supply, TaskId, TaskSupplier};
///
/// /// Gives a task out once in a cycle.
/// struct Once {
///     task: TaskId,
///     is_due: bool,
/// }
///
/// impl TaskSupplier for Once {
///     fn begin_cycle(&mut self, _: &Cycle) {
///         self.is_due = true;
///     }
///     fn query_one(&mut self, into: &mut Vec<Released>) -> Query {
///         if !std::mem::take(&mut self.is_due) {
///             return Query::Empty;
///         }
///         into.push(Released { task: self.task, path: Duration::ZERO, place: 0 });
///         Query::Success
///     }
///     fn query_many(&mut self, into: &mut Vec<Released>) -> Query {
///         self.query_one(into)
///     }
///     fn report(&mut self, _: Released, _: Outcome) -> bool {
///         false
///     }
/// }
///
/// let mut supply = Supply::new();
/// let task = supply.tasks.add(Default::default(), |_| Outcome::Success);
/// supply.add_supplier(Once { task, is_due: false });
/// ```
pub trait TaskSupplier {
    /// Begins a cycle: what reported [`Outcome::Progress`] before is there again. Tasks that are still out stay so.
    fn begin_cycle(&mut self, cycle: &Cycle);

    /// Ends a cycle: what is submitted from now on belongs to the next one. Outcomes of tasks that last longer may still come.
    fn end_cycle(&mut self) {}

    /// Adds one task to the list, or none.
    fn query_one(&mut self, into: &mut Vec<Released>) -> Query;

    /// Adds all tasks that may run now to the list.
    fn query_many(&mut self, into: &mut Vec<Released>) -> Query;

    /// Hears how a task that it gave out ended; whether that made other tasks ready. Each task given out is to be reported once; a
    /// report of one that is not out changes nothing.
    fn report(&mut self, released: Released, outcome: Outcome) -> bool;
}
