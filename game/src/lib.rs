//! Cycles of games: a scheduler that a host's loop calls once a frame.
//!
//! A game is tasks, and what says when they run: a queue, trees of behaviours, suppliers of its own ([`Supply`]). [`CycleScheduler`]
//! runs them: the caller's thread is its main worker. What tasks share is in [`attributes`] and [`events`].
//!
//! - [`WorkerKind`] is how workers find tasks: one by one, by stealing, by stealing with groups that are locked to workers.
//! - Tasks that may last longer than a cycle ([`TaskInfo::long_term`]) never run on the main worker, and no cycle waits for them.
//! - [`Context::parallel_for`] shares a loop of a task with workers that are idle.
//! - [`Profile`] says what each worker did with its time.
//! - [`VirtualScheduler`] does all this in a time of its own, with more workers than there are cores.
//!
#![doc = include_str!("examples.md")]
//!
//! **Source:** Zettersten, *A parallel architecture for real-time games*, KTH 2010.

mod core;
mod failure;
mod groups;
mod handles;
#[cfg(test)]
mod interleavings;
mod item;
mod options;
mod overheads;
mod profile;
mod scheduler;
mod shared;
mod virtual_time;
mod waking;
mod watch;
mod worker;

pub use animation::game::schedule::{
    Alone, Body, Context, Cycle, Edits, FixedStep, Given, Group, NotTaken, OnFailure, Outcome, Panicked,
    Query, Released, Supply, Taken, Task, TaskId, TaskInfo, TaskSupplier, Tasks, UnorderedQueue, Workers,
    tree,
};
pub use animation::game::{Entities, EntityId, InTurn, ParallelFor, attributes, events, flock};
pub use failure::{CycleFailure, LockError, TaskFailure};
pub use handles::{Monitor, Submitter};
pub use options::{Options, Parsing, WhenAlone, WorkerKind};
pub use overheads::Overheads;
pub use profile::{CycleReport, Profile, State, WorkerProfile};
pub use scheduler::CycleScheduler;
pub use virtual_time::VirtualScheduler;
