//! Programs: recorded task graphs as plain data, and what follows from them.
//!
//! Visitors record tasks with a [`Recorder`]; the result is a [`Recording`]: a [`Program`] (ids only: printable,
//! hashable, comparable) and the kernels beside it. The order of a program's tasks is its meaning: every executor
//! gives the results of running them one after the other, loops included. A [`Schedule`] says which worker runs what,
//! and where it waits.

pub mod chain;
pub mod dependence;
mod dot;
mod program;
mod recorder;
pub mod schedule;
pub mod skeleton;
mod task;
pub mod validate;

pub use dot::to_graphviz;
pub use program::{GroupId, GroupInfo, LoopId, LoopInfo, Program, Recording, Stage, StageKind};
pub use recorder::{Recorder, Sums};
pub use schedule::{Assignment, PlanCounts, Schedule};
pub use task::{ComponentTag, Place, Task, TaskId};
