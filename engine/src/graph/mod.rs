//! Programs: recorded task graphs as plain data, and what follows from them.
//!
//! Visitors record tasks with a [`Recorder`]; the result is a [`Recording`]: a [`Program`] (ids only: printable,
//! hashable, comparable) and the kernels beside it. The order of a program's tasks is its meaning: every executor
//! gives the results of running them one after the other, loops included. A [`Schedule`] says which worker runs what,
//! and where it waits.

pub mod chain;
mod compare;
mod conditions;
mod conflicts;
mod declarations;
pub mod delta;
pub mod dependence;
mod dot;
mod lowering;
mod program;
mod recorder;
pub mod schedule;
pub mod skeleton;
mod spare;
pub mod splice;
mod task;
mod task_pool;
pub mod turns;
pub mod validate;

pub use delta::Delta;
pub use dot::to_graphviz;
pub use lowering::{Change, Lowering};
pub use program::{
    Group, GroupId, Heading, HeadingKind, LoopId, LoopInfo, MAX_SWEEPS, Program, Recording, Stage, StageKind,
    position, sweep_of,
};
pub use recorder::{Recorder, RecorderMemory, Sums};
pub use schedule::{Assignment, PlanCounts, Schedule};
pub use task::{Base, ComponentTag, Place, Task, TaskId};
