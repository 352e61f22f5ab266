//! Workers that have nothing to do sleep, and who makes work wakes them.

use std::sync::PoisonError;
#[cfg(not(loom))]
use std::time::Duration;

use super::{AtomicBool, AtomicU64, Line, Mutex, Ordering, Thread, fence, park};

/// Who sleeps, and a count of what happened.
///
/// A worker reads [`Self::epoch`], searches, and lies down if it finds nothing; that fails if something was announced since. Who makes
/// work announces it and then wakes whom it likes. So no wake-up is lost: see [`Self::lie_down`].
#[derive(Debug)]
pub struct Sleepers {
    epoch: Line<AtomicU64>,
    asleep: Vec<Line<AtomicBool>>,
    /// Who is not to be counted on for what is announced.
    away: Vec<Line<AtomicBool>>,
    threads: Mutex<Vec<Option<Thread>>>,
}

impl Sleepers {
    /// For so many workers, all awake.
    pub fn new(n: usize) -> Self {
        Self {
            epoch: Line(AtomicU64::new(0)),
            asleep: (0..n).map(|_| Line(AtomicBool::new(false))).collect(),
            away: (0..n).map(|_| Line(AtomicBool::new(false))).collect(),
            threads: Mutex::new(vec![None; n]),
        }
    }

    /// Says which thread is a worker's: the one that is woken.
    pub fn attend(&self, worker: usize, thread: Thread) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads[worker] = Some(thread);
    }

    /// How often something was announced, to be read before a search.
    pub fn epoch(&self) -> u64 {
        // Acquire: partner is the fetch_add in `announce`; what was made before is found by the search that follows.
        self.epoch.0.load(Ordering::Acquire)
    }

    /// Says that there is something to find. What wakes comes after it.
    pub fn announce(&self) {
        // Release: partner is the load in `epoch`.
        self.epoch.0.fetch_add(1, Ordering::Release);
        // This fence and the one in `lie_down` make a Dekker pair: see there.
        fence(Ordering::SeqCst);
    }

    /// Says that a worker sleeps, unless something was announced since it read the epoch; whether it sleeps now.
    ///
    /// The announcer raises the epoch and then looks at who sleeps; the worker says that it sleeps and then looks at the epoch. With the
    /// fences between, at least one of them sees the other.
    pub fn lie_down(&self, worker: usize, seen: u64) -> bool {
        // Relaxed: ordered by the fence.
        self.asleep[worker].0.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        // Relaxed: ordered by the fence; who goes on reads the epoch again.
        if self.epoch.0.load(Ordering::Relaxed) == seen {
            return true;
        }
        self.asleep[worker].0.store(false, Ordering::Relaxed);
        false
    }

    /// Whether a worker sleeps and nobody has woken it yet.
    pub fn is_asleep(&self, worker: usize) -> bool {
        // Acquire: partner is the swap in `wake`.
        self.asleep[worker].0.load(Ordering::Acquire)
    }

    /// Sleeps until somebody wakes this worker. It has lain down.
    pub fn sleep(&self, worker: usize) {
        while self.is_asleep(worker) {
            park();
        }
    }

    /// As [`Self::sleep`], for about so long at most; whether somebody woke it.
    #[cfg(not(loom))]
    pub fn sleep_for(&self, worker: usize, at_most: Duration) -> bool {
        let began = std::time::Instant::now();
        while self.is_asleep(worker) {
            let Some(left) = at_most.checked_sub(began.elapsed()) else {
                self.get_up(worker);
                return false;
            };
            std::thread::park_timeout(left);
        }
        true
    }

    /// Says that a worker no longer sleeps, though nobody woke it.
    #[cfg(not(loom))]
    fn get_up(&self, worker: usize) {
        // Relaxed: at worst somebody wakes it for nothing.
        self.asleep[worker].0.store(false, Ordering::Relaxed);
    }

    /// Wakes a worker; whether it slept.
    pub fn wake(&self, worker: usize) -> bool {
        // Relaxed, then AcqRel: most do not sleep, and a look costs less than an exchange. The fence in `announce` orders the look.
        let asleep = &self.asleep[worker].0;
        if !asleep.load(Ordering::Relaxed) || !asleep.swap(false, Ordering::AcqRel) {
            return false;
        }
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = &threads[worker] {
            thread.unpark();
        }
        true
    }

    /// Says that a worker will not search for long, though it does not sleep; whether nothing was announced since it read the epoch. Else
    /// who announced it may have counted on this worker, which must then wake another one.
    #[must_use]
    pub fn go_away(&self, worker: usize, seen: u64) -> bool {
        // Relaxed: ordered by the fence, whose partner is that in `announce`, as in `lie_down`.
        self.away[worker].0.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.epoch.0.load(Ordering::Relaxed) == seen
    }

    /// Says that a worker that was away searches again.
    pub fn come_back(&self, worker: usize) {
        // Relaxed: until it shows, somebody else is woken in its place.
        self.away[worker].0.store(false, Ordering::Relaxed);
    }

    /// How many of the first so many workers neither sleep nor are away. Each of them searches once more for what was announced before this
    /// was called, when it is done with what it is at: the fences in `announce`, `lie_down` and `go_away` order the looks.
    pub fn n_awake(&self, among: usize) -> usize {
        let is_set = |flag: &Line<AtomicBool>| flag.0.load(Ordering::Relaxed);
        let both = self.asleep.iter().zip(&self.away).take(among);
        both.filter(|(asleep, away)| !is_set(asleep) && !is_set(away)).count()
    }

    /// Wakes one of the workers that the caller accepts, the first that sleeps; which one.
    pub fn wake_one(&self, accept: impl Fn(usize) -> bool) -> Option<usize> {
        (0..self.asleep.len()).find(|worker| accept(*worker) && self.wake(*worker))
    }

    /// Wakes all.
    pub fn wake_all(&self) {
        (0..self.asleep.len()).for_each(|worker| {
            self.wake(worker);
        });
    }
}
