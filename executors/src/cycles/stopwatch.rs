//! Time since a beginning.

use std::time::{Duration, Instant};

/// Tells the time since it was made.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Default for Stopwatch {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Stopwatch {
    /// The time since it was made.
    pub fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
