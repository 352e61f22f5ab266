//! Progress words: how far a worker has come in a region.

use super::{AtomicU64, Line, Ordering};

/// One word that its owner raises and others poll. Stamps only grow; nothing is ever reset.
#[derive(Debug)]
pub struct Progress(Line<AtomicU64>);

impl Default for Progress {
    fn default() -> Self {
        Self(Line(AtomicU64::new(0)))
    }
}

impl Progress {
    /// Publishes that everything up to `stamp` is done.
    #[inline(always)]
    pub fn publish(&self, stamp: u64) {
        // Release: partner is the Acquire in `seen`; what this worker wrote before becomes visible with the stamp.
        self.0.0.store(stamp, Ordering::Release);
    }

    /// The latest stamp that is visible here.
    #[inline(always)]
    pub fn seen(&self) -> u64 {
        // Acquire: partner is the Release in `publish`.
        self.0.0.load(Ordering::Acquire)
    }
}
