//! The start line: threads wait here between runs, first polling, then parked.

use super::{AtomicBool, AtomicU64, Line, Ordering, Thread, fence, park, relax};

/// Starts a team of threads and waits for them to finish.
#[derive(Debug)]
pub struct StartLine {
    go: Line<AtomicU64>,
    done: Vec<Line<AtomicU64>>,
    sleeping: Vec<Line<AtomicBool>>,
}

impl StartLine {
    /// For `n` threads beside the caller's.
    pub fn new(n: usize) -> Self {
        Self {
            go: Line(AtomicU64::new(0)),
            done: (0..n).map(|_| Line(AtomicU64::new(0))).collect(),
            sleeping: (0..n).map(|_| Line(AtomicBool::new(false))).collect(),
        }
    }

    /// Starts run number `run` (counted from 1), waking those who sleep.
    pub fn start(&self, run: u64, threads: &[Thread]) {
        // Release: partner is the Acquire in `wait`; the job written before is visible.
        self.go.0.store(run, Ordering::Release);
        // This fence and the one in `wait` make a Dekker pair: of the two sides, each of which stores one word and then
        // loads the other's, at least one sees the other's store, so no wake-up is lost.
        fence(Ordering::SeqCst);
        for (flag, thread) in self.sleeping.iter().zip(threads) {
            // Relaxed: ordered by the fence.
            if flag.0.load(Ordering::Relaxed) {
                thread.unpark();
            }
        }
    }

    /// Waits, as thread `me`, for a run after `last`; polls while `keep_polling` says so, then parks.
    pub fn wait(&self, me: usize, last: u64, mut keep_polling: impl FnMut() -> bool) -> u64 {
        let mut polls = 0;
        while keep_polling() {
            // Acquire: partner is the store in `start`; the job written before it is visible.
            let run = self.go.0.load(Ordering::Acquire);
            if run != last {
                return run;
            }
            relax(&mut polls);
        }
        // Relaxed: ordered by the fence, see `start`.
        self.sleeping[me].0.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        loop {
            // Acquire: as above.
            let run = self.go.0.load(Ordering::Acquire);
            if run != last {
                // Relaxed: at worst an unpark too many, which the loop above absorbs.
                self.sleeping[me].0.store(false, Ordering::Relaxed);
                return run;
            }
            park();
        }
    }

    /// Says, as thread `me`, that its part of a run is over.
    pub fn finish(&self, me: usize, run: u64) {
        // Release: partner is the Acquire in `wait_all`; all that this thread wrote is visible to the caller.
        self.done[me].0.store(run, Ordering::Release);
    }

    /// Waits for the first `n` threads to finish a run.
    pub fn wait_all(&self, run: u64, n: usize) {
        for done in &self.done[..n] {
            let mut polls = 0;
            // Acquire: partner is the Release in `finish`.
            while done.0.load(Ordering::Acquire) != run {
                relax(&mut polls);
            }
        }
    }
}
