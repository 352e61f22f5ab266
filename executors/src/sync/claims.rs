//! A range of indices that several threads share out among themselves.

use std::ops::Range;

use super::{AtomicU32, AtomicU64, Ordering, relax};

/// Set when no more helpers may come.
const CLOSED: u32 = 1 << 31;

/// The indices of a loop, claimed in ranges, and how many helpers are at it.
#[derive(Debug)]
pub struct Claims {
    next: AtomicU64,
    end: u64,
    grain: u64,
    helpers: AtomicU32,
}

impl Claims {
    /// Of `0..n`, in ranges of at most `grain` indices.
    pub fn new(n: usize, grain: usize) -> Self {
        let grain = grain.max(1) as u64;
        Self { next: AtomicU64::new(0), end: n as u64, grain, helpers: AtomicU32::new(0) }
    }

    /// Number of ranges.
    pub fn n_ranges(&self) -> usize {
        self.end.div_ceil(self.grain) as usize
    }

    /// The next range that nobody has.
    pub fn claim(&self) -> Option<Range<usize>> {
        // Relaxed: each index is claimed once, since the counter is one word; what bodies read and write is ordered by `enter`, `leave`
        // and `close`.
        let k = self.next.fetch_add(1, Ordering::Relaxed);
        let begin = k.saturating_mul(self.grain);
        (begin < self.end).then(|| begin as usize..begin.saturating_add(self.grain).min(self.end) as usize)
    }

    /// Whether a range is left. Another thread may be faster.
    pub fn has_more(&self) -> bool {
        // Relaxed: a hint.
        self.next.load(Ordering::Relaxed).saturating_mul(self.grain) < self.end
    }

    /// Gives up what nobody has claimed.
    pub fn abandon(&self) {
        // Relaxed: as in `claim`. Far from overflow, should claims go on.
        self.next.store(u64::MAX / 2, Ordering::Relaxed);
    }

    /// A helper comes; not if the loop is closed.
    #[must_use]
    pub fn enter(&self) -> bool {
        let more = |word: u32| (word & CLOSED == 0).then_some(word + 1);
        // Acquire: what the loop's caller wrote is visible, whose list the helper found the loop in.
        self.helpers.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).is_ok()
    }

    /// A helper goes.
    pub fn leave(&self) {
        // Release: partner is the load in `close`; what the body wrote is visible to the caller.
        self.helpers.fetch_sub(1, Ordering::Release);
    }

    /// Lets no more helpers come, and waits for those who are at it: after it none looks at what the loop borrows.
    pub fn close(&self) {
        // Relaxed: the loads below order.
        self.helpers.fetch_or(CLOSED, Ordering::Relaxed);
        let mut polls = 0;
        // Acquire: partner is the Release in `leave`.
        while self.helpers.load(Ordering::Acquire) != CLOSED {
            relax(&mut polls);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_index_is_claimed_once() {
        for (n, grain) in [(0, 1), (1, 1), (7, 3), (9, 3), (5, 0), (3, usize::MAX)] {
            let claims = Claims::new(n, grain);
            let ranges: Vec<_> = std::iter::from_fn(|| claims.claim()).collect();
            assert_eq!(ranges.len(), claims.n_ranges());
            assert_eq!(ranges.into_iter().flatten().collect::<Vec<_>>(), (0..n).collect::<Vec<_>>());
            assert!(!claims.has_more() && claims.claim().is_none());
        }
    }

    #[test]
    fn nobody_enters_a_closed_loop() {
        let claims = Claims::new(10, 1);
        assert!(claims.enter());
        claims.leave();
        claims.abandon();
        assert_eq!(claims.claim(), None);
        claims.close();
        assert!(!claims.enter());
    }
}
