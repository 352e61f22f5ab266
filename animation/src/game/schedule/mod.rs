//! Which tasks run in a cycle of a game's loop: tasks, and what supplies them.
//!
//! A cycle begins, workers ask a [`TaskSupplier`] for tasks and report their outcomes, and the cycle ends when every task that it
//! released has come back. An [`UnorderedQueue`] supplies tasks that are independent of each other, a
//! [`BehaviourTree`](tree::BehaviourTree) those of trees that say what follows what.
//!
//! **Source:** Zettersten, *A parallel architecture for real-time games*, KTH 2010, section 3.1.

mod context;
mod cycle;
mod panicked;
mod queue;
mod supplier;
mod supply;
mod task;
mod tasks;
#[cfg(test)]
mod testing;
pub mod tree;

pub use context::{Alone, Body, Context, Edits, Workers};
pub use cycle::{Cycle, FixedStep};
pub use panicked::Panicked;
pub use queue::{OnFailure, UnorderedQueue};
pub use supplier::{Query, Released, TaskSupplier};
pub use supply::{Given, Supply};
pub use task::{Group, Outcome, Task, TaskInfo};
pub use tasks::{NotTaken, Taken, TaskId, Tasks};
