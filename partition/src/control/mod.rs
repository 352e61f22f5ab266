//! From a program and an assignment of objects to a schedule: instances, reducers, loops, signals and waits.

mod loops;
mod lower;
mod placement;
mod reducer;
mod signal_wait;

pub use lower::lower;
pub use placement::Accumulation;
