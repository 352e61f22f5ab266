//! The flag that tells all workers to leave a run that has failed.

use super::{AtomicBool, Ordering};

/// Set by who fails, polled by who waits; nobody opens gates or fakes stamps.
#[derive(Debug)]
pub struct Poison(AtomicBool);

impl Default for Poison {
    fn default() -> Self {
        Self(AtomicBool::new(false))
    }
}

impl Poison {
    /// Tells all to leave.
    pub fn set(&self) {
        // Release: partner is the Acquire in `is_set`, so that the failure noted before is visible.
        self.0.store(true, Ordering::Release);
    }

    /// Whether all should leave.
    #[inline]
    pub fn is_set(&self) -> bool {
        // Acquire: partner is the Release in `set`.
        self.0.load(Ordering::Acquire)
    }

    /// For who works: whoever leaves without saying that it has done its part, by unwinding say, tells all others to leave.
    #[must_use]
    pub fn guard(&self) -> PoisonGuard<'_> {
        PoisonGuard { poison: self, is_done: false }
    }

    /// Cleared by the caller between runs, when all have left.
    pub fn clear(&self) {
        // Relaxed: no other thread runs; the start line orders this before the next run.
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Sets the flag when dropped, unless its owner has done its part.
#[derive(Debug)]
pub struct PoisonGuard<'a> {
    poison: &'a Poison,
    is_done: bool,
}

impl PoisonGuard<'_> {
    /// The owner has done its part, or has noted why it has not.
    pub fn done(mut self) {
        self.is_done = true;
    }
}

impl Drop for PoisonGuard<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.poison.set();
        }
    }
}
