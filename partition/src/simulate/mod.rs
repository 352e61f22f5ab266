//! What-if: the time that a plan would take on a machine that need not be here.
//!
//! The plans are those that the executor replays: stages, chains, waits, loops. [`StaticPlan`] holds one with a cost for
//! each stage of each worker, [`Machine`] says what signals and remote data cost, and [`simulate`] gives every thread a
//! clock and lets it walk its streams as a thread of the executor does. Nothing runs in parallel here, and nothing but the
//! inputs decides the result.
//!
//! What is not predicted: work stealing, threads that lose their core, cores that change their clock rate, caches that
//! are too small (but for the bandwidth of memory), and kernels that get slower or faster for reasons of their own.
//!
//! **Source:** the plan is deterministic and waits point backward, so that one clock per stream is enough; no general
//! event queue is needed. The machine's figures are as in LogP (Culler et al., 1993): latency, overhead, bandwidth.

mod locality;
mod machine;
mod measured;
mod memory;
mod outcome;
mod plan;
mod streams;
mod walk;

pub use machine::{Machine, MachineError};
pub use measured::Measured;
pub use outcome::{Deed, Event, Outcome, StageTime, Stuck, WorkerTime};
pub use plan::{Action, Entry, LoopRun, RemoteRead, StageInfo, StaticPlan, Stream, StreamWait};
pub use streams::Streams;
pub use walk::{simulate, simulate_events};
