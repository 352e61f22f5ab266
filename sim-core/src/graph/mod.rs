//! Programs: recorded task graphs as plain data, and what follows from them.
//!
//! Visitors record tasks with a [`Recorder`]; the result is a [`Recording`]: a [`Program`] (ids only: printable,
//! hashable, comparable) and the kernels beside it. The order of a program's tasks is its meaning: every executor
//! gives the results of running them one after the other, loops included.

mod dot;
mod program;
mod recorder;
mod task;

pub use dot::to_graphviz;
pub use program::{GroupId, GroupInfo, LoopId, LoopInfo, Program, Recording, Stage, StageKind};
pub use recorder::{Recorder, Sums};
pub use task::{ComponentTag, Place, Task, TaskId};
