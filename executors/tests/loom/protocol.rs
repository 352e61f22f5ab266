//! Publish and wait, go and park, poison.
#![allow(unsafe_code, reason = "cells that loom watches")]

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use weft_executors::sync::{Poison, Progress, StartLine};

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

/// Who unwinds poisons the run by its guard and still finishes: the thread that waits for its stamps leaves, the caller that
/// waits for both returns, and finds what was said.
#[test]
fn who_unwinds_poisons_and_finishes() {
    loom::model(|| {
        let shared =
            Arc::new((StartLine::new(1), Progress::default(), Poison::default(), UnsafeCell::new(0u64)));
        let unwinding = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (line, _, poison, said) = &*shared;
                let run = line.wait(0, 0, || true);
                let guard = poison.guard();
                // It unwinds before it publishes anything; what catches it notes why.
                drop(guard);
                // SAFETY: loom checks that no other thread accesses the cell meanwhile.
                said.with_mut(|p| unsafe { *p = 7 });
                line.finish(0, run);
            })
        };
        let handles = [unwinding.thread().clone()];
        let (line, word, poison, said) = &*shared;
        line.start(1, &handles);
        let guard = poison.guard();
        while word.seen() < 1 && !poison.is_set() {
            thread::yield_now();
        }
        guard.done();
        line.wait_all(1, 1);
        // SAFETY: as above.
        said.with(|p| assert_eq!(unsafe { *p }, 7));
        unwinding.join().unwrap();
    });
}

/// Two streams that walk replicas of a loop: each writes its part of a dot product, reads both, and breaks when the sum
/// says so. The sums are equal, so both take the same break. A carried wait keeps the next part behind the other's
/// reading of the last one. What the loop leaves behind is published in the region around it, at the loop's end.
#[test]
fn replicas_of_a_loop_take_the_same_break_and_publish_what_they_leave() {
    /// Stages of the body in a stamp: the parts are written; they were read.
    const WRITTEN: u64 = 1;
    const READ: u64 = 2;
    /// The end of the loop, in the region around it.
    const END: u64 = 3;

    #[derive(Default)]
    struct Stream {
        part: UnsafeCell<u64>,
        left_behind: UnsafeCell<u64>,
        body: Progress,
        around: Progress,
    }

    fn wait(word: &Progress, stamp: u64) {
        while word.seen() < stamp {
            thread::yield_now();
        }
    }

    fn run(me: usize, limit: u64, streams: &[Stream; 2]) -> u64 {
        let (mine, other) = (&streams[me], &streams[1 - me]);
        let mut iterations = 0;
        while iterations < limit {
            let stamp = |stage| ((iterations + 1) << 16) + stage;
            if iterations > 0 {
                wait(&other.body, stamp(READ) - (1 << 16));
            }
            // SAFETY: loom checks that no other thread accesses the cells meanwhile, here and below.
            mine.part.with_mut(|p| unsafe { *p = 10 * iterations + me as u64 });
            mine.left_behind.with_mut(|p| unsafe { *p = iterations });
            mine.body.publish(stamp(WRITTEN));
            wait(&other.body, stamp(WRITTEN));
            // SAFETY: as above.
            let sum: u64 = streams.iter().map(|s| s.part.with(|p| unsafe { *p })).sum();
            mine.body.publish(stamp(READ));
            assert_eq!(sum, 20 * iterations + 1);
            if sum > 20 {
                break;
            }
            iterations += 1;
        }
        mine.around.publish(END);
        wait(&other.around, END);
        // SAFETY: as above.
        let left = other.left_behind.with(|p| unsafe { *p });
        assert_eq!(left, iterations.min(limit - 1));
        iterations
    }

    // Left at the limit, in the first iteration; by the break, in the second.
    for (limit, iterations) in [(1, 1), (3, 1)] {
        loom::model(move || {
            let streams = Arc::new([Stream::default(), Stream::default()]);
            let other = {
                let streams = streams.clone();
                thread::spawn(move || run(1, limit, &streams))
            };
            assert_eq!(run(0, limit, &streams), iterations);
            assert_eq!(other.join().unwrap(), iterations);
        });
    }
}

/// A stream fails in the second iteration of a loop, while the other one waits for it there; the run after that starts on
/// the same words, whose stale stamps are below its own.
#[test]
fn after_poison_in_a_loop_the_next_run_waits_for_new_stamps() {
    loom::model(|| {
        let shared = Arc::new((Progress::default(), Poison::default(), UnsafeCell::new(0u64)));
        let stamp = |run: u64, iteration: u64| (run << 36) + (iteration << 16) + 1;
        for run in 1..=2u64 {
            let failing = {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (word, poison, data) = &*shared;
                    for iteration in 1..=2 {
                        if (run, iteration) == (1, 2) {
                            poison.set();
                            return;
                        }
                        if (run, iteration) == (2, 2) {
                            // SAFETY: loom checks that no other thread accesses the cell meanwhile.
                            data.with_mut(|p| unsafe { *p = 9 });
                        }
                        word.publish(stamp(run, iteration));
                    }
                })
            };
            let (word, poison, data) = &*shared;
            let mut is_poisoned = false;
            while !is_poisoned && word.seen() < stamp(run, 2) {
                is_poisoned = poison.is_set();
                thread::yield_now();
            }
            assert_eq!(is_poisoned, run == 1);
            if run == 2 {
                // SAFETY: as above.
                data.with(|p| assert_eq!(unsafe { *p }, 9));
            }
            failing.join().unwrap();
            poison.clear();
        }
    });
}

/// `--spin 0`: two threads that park as soon as there is nothing to do are all woken, and all waited for.
#[test]
fn threads_that_park_at_once_are_all_woken() {
    loom::model(|| {
        let shared = Arc::new((StartLine::new(2), [UnsafeCell::new(0u64), UnsafeCell::new(0)]));
        let threads = [0, 1].map(|me| {
            let shared = shared.clone();
            thread::spawn(move || {
                let (line, sums) = &*shared;
                let run = line.wait(me, 0, || false);
                // SAFETY: loom checks that no other thread accesses the cell meanwhile.
                sums[me].with_mut(|p| unsafe { *p = run });
                line.finish(me, run);
            })
        });
        let handles = threads.each_ref().map(|t| t.thread().clone());
        let (line, sums) = &*shared;
        line.start(7, &handles);
        line.wait_all(7, 2);
        for sum in sums {
            // SAFETY: as above.
            sum.with(|p| assert_eq!(unsafe { *p }, 7));
        }
        threads.into_iter().for_each(|t| t.join().unwrap());
    });
}

/// The caller starts a run, works, and starts the next one at once, while a thread that parks at once may be anywhere
/// between noticing a run's end and falling asleep; the last run tells it to go home.
#[test]
fn a_thread_that_parks_at_once_goes_home_when_told() {
    loom::model(|| {
        let shared = Arc::new((StartLine::new(1), UnsafeCell::new(0u64)));
        let thread = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (line, job) = &*shared;
                let mut last = 0;
                loop {
                    last = line.wait(0, last, || false);
                    // SAFETY: loom checks that no other thread accesses the cell meanwhile.
                    if job.with(|p| unsafe { *p }) == 0 {
                        return last;
                    }
                    line.finish(0, last);
                }
            })
        };
        let handles = [thread.thread().clone()];
        let (line, job) = &*shared;
        // SAFETY: as above.
        job.with_mut(|p| unsafe { *p = 1 });
        line.start(1, &handles);
        line.wait_all(1, 1);
        job.with_mut(|p| unsafe { *p = 0 });
        line.start(2, &handles);
        assert_eq!(thread.join().unwrap(), 2);
    });
}
