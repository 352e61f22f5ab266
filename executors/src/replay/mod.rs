//! Replay: each worker walks a static stream of stages; waits and publications are words of memory.

mod code;
mod executor;
mod observe;
mod plan;
mod stream;
mod watch;
mod words;

pub use executor::Replay;
