//! The only place that names atomics: progress words, the start line with parking, the poison flag, counts of predecessors, a queue to wait at; and what cycles of a game need: queues to steal from, who sleeps, shared ranges, letters for who holds a lock.
//!
//! Under `cfg(loom)` the same types are built on loom's atomics, so that their protocol can be explored.

mod claims;
mod countdown;
#[cfg(not(loom))]
mod crowd;
mod delegated;
mod mark;
mod poison;
mod progress;
mod shelf;
mod sleepers;
mod start_line;
mod todo;

pub use claims::Claims;
pub use countdown::Countdown;
#[cfg(not(loom))]
pub(crate) use crowd::AtWork;
pub use delegated::Delegated;
pub use mark::Mark;
pub use poison::{Poison, PoisonGuard};
pub use progress::Progress;
pub use shelf::{Ranked, Shelf, Stolen};
pub use sleepers::Sleepers;
pub use start_line::StartLine;
pub use todo::Todo;

#[cfg(loom)]
pub(crate) use loom::{
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::{Thread, park, yield_now},
};
#[cfg(not(loom))]
pub(crate) use std::{
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::{Thread, park, yield_now},
};

/// A value on cache lines of its own.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Line<T>(pub T);

/// Polls before a waiter offers its core to others: about a tenth of a millisecond.
///
/// A thread that yields forgoes the rest of its time slice (milliseconds) if another program wants its core, so waits of
/// the usual length, microseconds, must not. Who waits longer waits for a thread without a core, or for much work.
#[cfg(not(loom))]
const PATIENCE: u32 = 4096;

/// The same where more threads of teams are at work than there are cores: whoever is waited for may wait for this core.
#[cfg(not(loom))]
const PATIENCE_IN_A_CROWD: u32 = 64;

/// Waits a moment between two polls: first without leaving the core, then by letting others run.
#[inline]
pub fn relax(polls: &mut u32) {
    *polls = polls.wrapping_add(1);
    #[cfg(not(loom))]
    if *polls < if crowd::is_crowded() { PATIENCE_IN_A_CROWD } else { PATIENCE } {
        std::hint::spin_loop();
        return;
    }
    yield_now();
}
