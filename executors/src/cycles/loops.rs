//! Parallel loops whose helpers are whoever is idle.
#![allow(unsafe_code, reason = "a loop's body is borrowed by its helpers until the loop returns")]

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sync::Claims;

/// What a loop does with a range of its indices: called with the number of the worker.
pub type LoopBody<'b> = &'b (dyn Fn(usize, Range<usize>) + Sync);

/// A loop that runs.
pub struct Loop {
    claims: Claims,
    body: LoopBody<'static>,
    main_helps: bool,
    panicked: Mutex<Option<Box<dyn Any + Send>>>,
}

impl std::fmt::Debug for Loop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loop").field("claims", &self.claims).finish_non_exhaustive()
    }
}

impl Loop {
    /// Works at it as a helper until nothing is left.
    pub fn help(&self, worker: usize) {
        if !self.claims.enter() {
            return;
        }
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| self.work(worker))) {
            self.claims.abandon();
            self.panicked.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
        }
        self.claims.leave();
    }

    /// Whether the main worker may help.
    pub fn main_helps(&self) -> bool {
        self.main_helps
    }

    fn work(&self, worker: usize) {
        while let Some(range) = self.claims.claim() {
            (self.body)(worker, range);
        }
    }
}

/// The loops that run and may have helpers.
#[derive(Debug, Default)]
pub struct Loops(Mutex<Vec<Arc<Loop>>>);

impl Loops {
    fn list(&self) -> MutexGuard<'_, Vec<Arc<Loop>>> {
        // Nothing panics while the lock is held but the list's growth, which leaves it as it was.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A loop that has something left, the latest first: inner loops before outer ones.
    pub fn find(&self, is_main: bool) -> Option<Arc<Loop>> {
        let list = self.list();
        let fits = |one: &&Arc<Loop>| one.claims.has_more() && (one.main_helps || !is_main);
        list.iter().rev().find(fits).cloned()
    }

    /// Runs a loop over `0..n` in ranges of at most `grain` indices, on the calling worker and on those who help, and returns when it is
    /// done. `main_helps` says whether the main worker may help. `opened` is called with the number of helpers that would find something.
    ///
    /// # Panics
    /// If the body panics, on whichever worker.
    pub fn run(
        &self,
        worker: usize,
        n: usize,
        grain: usize,
        main_helps: bool,
        body: LoopBody<'_>,
        opened: impl FnOnce(usize),
    ) {
        let claims = Claims::new(n, grain);
        let helpers = claims.n_ranges().saturating_sub(1);
        if helpers == 0 {
            if n > 0 {
                body(worker, 0..n);
            }
            return;
        }
        // SAFETY: lifetime only. Helpers call the body between `enter` and `leave` alone, `enter` fails after `close`, and `close`, which
        // is reached however the body ends, waits for all that have entered.
        let body = unsafe { std::mem::transmute::<LoopBody<'_>, LoopBody<'static>>(body) };
        let one = Arc::new(Loop { claims, body, main_helps, panicked: Mutex::new(None) });
        let own = catch_unwind(AssertUnwindSafe(|| {
            self.list().push(one.clone());
            opened(helpers);
            one.work(worker);
        }));
        if own.is_err() {
            one.claims.abandon();
        }
        self.list().retain(|other| !Arc::ptr_eq(other, &one));
        one.claims.close();
        let helpers = one.panicked.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = own.err().or(helpers) {
            resume_unwind(payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Runs a loop with so many helpers that come when it opens.
    fn with_helpers(loops: &Loops, n: usize, grain: usize, body: LoopBody<'_>) {
        std::thread::scope(|scope| {
            loops.run(0, n, grain, true, body, |_| {
                for worker in 1..3 {
                    scope.spawn(move || {
                        while let Some(one) = loops.find(false) {
                            one.help(worker);
                        }
                    });
                }
            });
        });
    }

    #[test]
    fn each_index_once_nested_or_not() {
        let loops = Loops::default();
        for (n, grain) in [(0, 1), (1, 1), (2, 5), (100, 7), (64, 1)] {
            let counts: Vec<AtomicU64> = (0..n * 8).map(|_| AtomicU64::new(0)).collect();
            let outer = |worker: usize, range: Range<usize>| {
                for k in range {
                    let inner = |_: usize, range: Range<usize>| {
                        range.for_each(|j| {
                            counts[k * 8 + j].fetch_add(1, Ordering::Relaxed);
                        });
                    };
                    loops.run(worker, 8, 3, true, &inner, |_| {});
                }
            };
            with_helpers(&loops, n, grain, &outer);
            assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1), "{n} by {grain}");
        }
        assert!(loops.find(false).is_none());
    }

    #[test]
    fn a_panic_of_any_range_reaches_the_caller() {
        for at in [0, 50, 99] {
            let loops = Loops::default();
            let body = |_: usize, range: Range<usize>| assert!(!range.contains(&at), "index {at}");
            let ended = catch_unwind(AssertUnwindSafe(|| with_helpers(&loops, 100, 1, &body)));
            let said = ended.unwrap_err();
            assert_eq!(said.downcast_ref::<String>().map(String::as_str), Some(&*format!("index {at}")));
            assert!(loops.find(false).is_none());
        }
    }

    #[test]
    fn the_main_worker_helps_where_it_may() {
        let loops = Loops::default();
        loops.run(1, 2, 1, false, &|_, _| {}, |_| {
            assert!(loops.find(true).is_none() && loops.find(false).is_some())
        });
    }
}
