//! Which tasks run in a cycle of a game's loop: tasks, and what supplies them.
//!
//! A cycle begins, workers ask a [`TaskSupplier`] for tasks and report their outcomes, and the cycle ends when every task that it
//! released has come back. An [`UnorderedQueue`] supplies tasks that are independent of each other.
//!
//! **Source:** Zettersten, *A parallel architecture for real-time games*, KTH 2010, section 3.1.

mod queue;
mod supplier;
mod task;
mod tasks;
#[cfg(test)]
mod testing;

pub use queue::{OnFailure, UnorderedQueue};
pub use supplier::{Query, Released, TaskSupplier};
pub use task::{Cycle, Group, Outcome, Task, TaskInfo};
pub use tasks::{TaskId, Tasks};
