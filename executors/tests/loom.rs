//! The protocol's small types under all interleavings: publish and wait, go and park, poison.
//!
//! `RUSTFLAGS="--cfg loom" LOOM_MAX_PREEMPTIONS=2 cargo test -p executors --release --test loom`
#![cfg(loom)]
#![allow(unsafe_code, reason = "cells that loom watches")]

use executors::sync::{Poison, Progress, StartLine};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

/// Two workers, two iterations: each writes its word, publishes, waits for the other's, and reads it; a carried wait
/// keeps the next write behind the other's read.
#[test]
fn what_was_written_before_a_stamp_is_visible_after_the_wait() {
    fn run(me: usize, data: &[UnsafeCell<u64>; 2], words: &[Progress; 2]) {
        let wait = |need: u64| {
            while words[1 - me].seen() < need {
                thread::yield_now();
            }
        };
        for iteration in 0..2u64 {
            let stamp = iteration << 16;
            if iteration > 0 {
                // Carried: the other has read my word of the iteration before.
                wait(stamp - (1 << 16) + 2);
            }
            // SAFETY: loom checks that no other thread accesses the cell meanwhile.
            data[me].with_mut(|p| unsafe { *p = iteration + 1 });
            words[me].publish(stamp + 1);
            wait(stamp + 1);
            // SAFETY: as above.
            data[1 - me].with(|p| assert_eq!(unsafe { *p }, iteration + 1));
            words[me].publish(stamp + 2);
        }
    }
    loom::model(|| {
        let shared = Arc::new((
            [UnsafeCell::new(0u64), UnsafeCell::new(0u64)],
            [Progress::default(), Progress::default()],
        ));
        let other = {
            let shared = shared.clone();
            thread::spawn(move || run(1, &shared.0, &shared.1))
        };
        run(0, &shared.0, &shared.1);
        other.join().unwrap();
    });
}

/// A thread that may park at any moment sees each start, and the caller sees its results.
#[test]
fn no_start_is_lost_however_the_thread_falls_asleep() {
    for polls in 0..2 {
        loom::model(move || {
            let line = Arc::new(StartLine::new(1));
            let job = Arc::new(UnsafeCell::new(0u64));
            let thread = {
                let (line, job) = (line.clone(), job.clone());
                thread::spawn(move || {
                    let mut last = 0;
                    for _ in 0..2 {
                        let mut left = polls;
                        last = line.wait(0, last, || {
                            left -= 1;
                            left >= 0
                        });
                        // SAFETY: loom checks that no other thread accesses the cell meanwhile.
                        job.with_mut(|p| unsafe { *p += last });
                        line.finish(0, last);
                    }
                })
            };
            let handles = [thread.thread().clone()];
            for run in 1..=2 {
                line.start(run, &handles);
                line.wait_all(run, 1);
                // SAFETY: as above.
                job.with(|p| assert_eq!(unsafe { *p }, run * (run + 1) / 2));
            }
            thread.join().unwrap();
        });
    }
}

/// Who leaves because of poison sees the failure that was noted before.
#[test]
fn poison_frees_who_waits_for_a_stamp_that_never_comes() {
    loom::model(|| {
        let shared = Arc::new((Progress::default(), Poison::default(), UnsafeCell::new(0)));
        let waiter = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (word, poison, failure) = &*shared;
                while word.seen() < 1 {
                    if poison.is_set() {
                        // SAFETY: loom checks that no other thread writes the cell meanwhile.
                        failure.with(|p| assert_eq!(unsafe { *p }, 7));
                        return;
                    }
                    thread::yield_now();
                }
            })
        };
        // SAFETY: as above.
        shared.2.with_mut(|p| unsafe { *p = 7 });
        shared.1.set();
        waiter.join().unwrap();
    });
}
