//! Counts of what is still to be done before something may begin.

use super::{AtomicU32, Ordering};

/// How many predecessors are not done yet.
#[derive(Debug, Default)]
pub struct Countdown(AtomicU32);

impl Countdown {
    /// For so many predecessors.
    pub fn new(n: u32) -> Self {
        Self(AtomicU32::new(n))
    }

    /// Begins to count anew, while none of the predecessors runs that are counted next: what starts them orders this before
    /// their ends.
    pub fn rearm(&self, n: u32) {
        // Relaxed: see above.
        self.0.store(n, Ordering::Relaxed);
    }

    /// One predecessor is done; whether it was the last one.
    #[inline]
    pub fn arrive(&self) -> bool {
        // AcqRel: what each predecessor wrote is visible to who goes on after the last one.
        self.0.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Whether all are done.
    #[inline]
    pub fn is_over(&self) -> bool {
        // Acquire: partner is the AcqRel in `arrive`; what all have written is visible.
        self.0.load(Ordering::Acquire) == 0
    }
}
