//! How many threads of teams are at work in this process, all executors together.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::affinity::n_cores;

static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// Whether more threads are at work than there are cores. It decides how waits pass their time, and nothing else.
pub(super) fn is_crowded() -> bool {
    // Relaxed: nothing depends on the order.
    AT_WORK.load(Ordering::Relaxed) > n_cores()
}

/// Some threads at work, as long as this lives.
pub(crate) struct AtWork(usize);

impl AtWork {
    pub fn new(n: usize) -> Self {
        AT_WORK.fetch_add(n, Ordering::Relaxed);
        Self(n)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        AT_WORK.fetch_sub(self.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_cores_are_a_crowd_while_they_work() {
        let crowd = AtWork::new(n_cores() + 1);
        assert!(is_crowded());
        drop(crowd);
    }
}
