//! How much a Script may do.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::world::FaultKind;

/// Limits of Scripts. But for the time they are counted, not measured: a Script reaches them at the same place in each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Loops and calls in one call of a Script's function; what it asks of the graph counts a thousand each, and functions of the
    /// language count what they go through. Counted by the ten thousand.
    pub steps: u64,
    /// What all Scripts of a runtime may hold \[bytes\].
    pub memory: usize,
    /// How deep they may call \[bytes\].
    pub stack: usize,
    /// How long one call of a Script's function may last, whatever it counts. Far more than its steps take: no Script that ends
    /// within them meets it, so that what a run yields does not depend on the clock.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 20_000_000, memory: 64 << 20, stack: 256 << 10, time: Duration::from_secs(30) }
    }
}

/// A wish that Scripts end which go on for long: what a program that is told to end says to a frame that does not.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Mutex<bool>>);

impl Stop {
    /// From now on.
    pub fn ask(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
    /// Whether it was asked.
    pub fn is_asked(&self) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a Script may go on that is to stop: most end by themselves before, and their frame is as it would have been.
const TIME_TO_END: Duration = Duration::from_millis(500);

/// What is left of one call's limits.
#[derive(Clone)]
pub(super) struct Budget(Arc<Mutex<Left>>);

struct Left {
    steps: u64,
    time: Duration,
    began: Instant,
    stop: Stop,
    spent: Option<FaultKind>,
}

impl Budget {
    /// Without limits, until it is set.
    pub(super) fn new(stop: Stop) -> Self {
        let left = Left { steps: u64::MAX, time: Duration::MAX, began: now(), stop, spent: None };
        Self(Arc::new(Mutex::new(left)))
    }

    /// A call begins.
    pub(super) fn set(&self, limits: &Limits) {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (left.steps, left.time, left.began, left.spent) = (limits.steps, limits.time, now(), None);
    }

    /// Spends some; whether nothing is left.
    pub(super) fn spend(&self, steps: u64) -> bool {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        left.steps = left.steps.saturating_sub(steps);
        if left.spent.is_none() {
            let past = now().saturating_duration_since(left.began);
            left.spent = match () {
                () if left.steps == 0 => Some(FaultKind::Steps),
                () if past > left.time => Some(FaultKind::Time),
                () if past > TIME_TO_END && left.stop.is_asked() => Some(FaultKind::Stopped),
                () => None,
            };
        }
        left.spent.is_some()
    }

    /// Why nothing is left, if so.
    pub(super) fn spent(&self) -> Option<FaultKind> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).spent
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a call that lasts too long is stopped; nothing is computed of it"
)]
fn now() -> Instant {
    Instant::now()
}
