//! The only place that names atomics: progress words, the start line with parking, the poison flag.
//!
//! Under `cfg(loom)` the same types are built on loom's atomics, so that their protocol can be explored.

mod poison;
mod progress;
mod start_line;

pub use poison::Poison;
pub use progress::Progress;
pub use start_line::StartLine;

#[cfg(loom)]
pub(crate) use loom::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering, fence},
    thread::{Thread, park, yield_now},
};
#[cfg(not(loom))]
pub(crate) use std::{
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence},
    thread::{Thread, park, yield_now},
};

/// A value on cache lines of its own.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Line<T>(pub T);

/// Waits a moment between two polls: first without leaving the core, then by letting others run.
pub fn relax(polls: &mut u32) {
    *polls = polls.wrapping_add(1);
    #[cfg(not(loom))]
    if *polls < 256 || !polls.is_multiple_of(32) {
        std::hint::spin_loop();
        return;
    }
    yield_now();
}
