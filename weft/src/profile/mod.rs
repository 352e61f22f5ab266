//! The profiler: what each worker did in a step, what the step's length hangs on, and who waited for whom.
//!
//! [`Simulation::observe`](crate::simulation::Simulation::observe) switches observation on; after each step,
//! [`Simulation::record`](crate::simulation::Simulation::record) gives a
//! [`StepRecord`](crate::record::StepRecord). Everything from there on is a
//! function of plain data: [`StepAnalysis`] finds the longest chain of dependent tasks and splits each worker's time,
//! [`Accounts`] adds steps up to a [`Profile`].
//!
//! **Source:** the visualizer of LibEE (Watt, Cutler, Powell, Duncan, Hutchinson, Ochs, *LibEE: a multithreaded dependency
//! graph for character animation*, DigiPro 2012): a timeline per thread, the critical path, average concurrency.

mod accounts;
mod amdahl;
mod cause;
mod compare;
mod critical_path;
mod kept;
mod page;
mod path;
mod step;
mod summary;
mod text;
mod trace;
mod waiting;

pub use accounts::Accounts;
pub use amdahl::{Amdahl, Cascade};
pub use cause::Cause;
pub use compare::{Change, changes, comparison};
pub use critical_path::{Chain, Link, critical_path};
pub use kept::Kept;
pub use page::write_page;
pub use path::path_of_step;
pub use step::StepAnalysis;
pub use summary::{FORMAT, PathOfStep, PathRow, Profile, SerialRow, Setting, TaskRow, WaitingRow, WorkerRow};
pub use text::text;
pub use trace::{rows, trace_events};
pub use waiting::{Split, Waiting, waiting};
