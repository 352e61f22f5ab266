//! Who uses a buffer at this moment, for checks of plans.

use super::{AtomicU32, Ordering};

const WRITER: u32 = u32::MAX;

/// Counts the readers of a buffer, or notes its writer. It orders nothing, so that it hides no missing wait.
#[derive(Debug, Default)]
pub struct Mark(AtomicU32);

impl Mark {
    /// Enters as a reader or the writer; fails if that conflicts with somebody who is there.
    pub fn enter(&self, writes: bool) -> bool {
        // Relaxed, here and below: the mark stands for itself, no other memory is reached through it.
        let next = |users: u32| match (writes, users) {
            (true, 0) => Some(WRITER),
            (false, users) if users < WRITER - 1 => Some(users + 1),
            _ => None,
        };
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }

    /// Leaves, after having entered in the same way.
    pub fn leave(&self, writes: bool) {
        if writes {
            self.0.store(0, Ordering::Relaxed);
        } else {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn readers_share_and_a_writer_does_not() {
        let mark = Mark::default();
        assert!(mark.enter(false) && mark.enter(false) && !mark.enter(true));
        mark.leave(false);
        assert!(!mark.enter(true));
        mark.leave(false);
        assert!(mark.enter(true) && !mark.enter(true) && !mark.enter(false));
        mark.leave(true);
        assert!(mark.enter(false));
    }
}
