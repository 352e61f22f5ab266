//! The task engine: a program records tasks over typed data once, and executors replay them, as often as wanted, with the
//! same bits for any number of workers.
//!
//! It knows nothing of mechanics: whoever has work that repeats with the same structure can emit tasks.
//! - [`data`]: handles to buffers, the store behind them, and the accesses that tasks declare (`data/access.rs`);
//! - [`graph`]: the [`Recorder`](graph::Recorder) (`graph/recorder.rs`), the [`Program`](graph::Program) that it yields, the
//!   [`Schedule`](graph::Schedule) that a planner makes of it, and who waits for whom (`graph/dependence.rs`);
//! - [`exec`]: what an [`Executor`](exec::Executor) is, and the sequential one, which defines what all others compute
//!   (`exec/sequential.rs`).
//!
//! **Source:** Hermann, Raffin, Faure, *Interactive Physical Simulation on Multicore Architectures*, EGPGV 2009.

pub mod data;
pub mod exec;
pub mod graph;
mod sync;
