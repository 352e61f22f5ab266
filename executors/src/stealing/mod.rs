//! Stealing: tasks run where a thread is free. For few, long tasks, and as a comparison with replay.
//!
//! A *unit* is a run of stages of one group; units wait for earlier units that they share data with, so groups
//! interleave. Loop control cuts a unit into *segments*; inside a segment each task counts the tasks that it still waits
//! for. Who finishes the last task of a segment runs the control flow and hands out the next segment's first tasks.

mod executor;
mod network;

pub use executor::Stealing;
