//! Sleepers, queues to steal from, and shared loops.
#![allow(unsafe_code, reason = "cells that loom watches")]

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use weft_executors::sync::{Claims, Ranked, Shelf, Sleepers, Stolen};

/// A thing without an order.
struct Thing(usize);

impl Ranked for Thing {
    fn rank(&self) -> u64 {
        0
    }
}

/// Who searches, finds nothing and lies down is woken by who makes something, however the two meet.
#[test]
fn no_wake_up_is_lost() {
    loom::model(|| {
        let shared = Arc::new((Sleepers::new(2), Shelf::<Thing>::default()));
        let worker = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (sleepers, shelf) = &*shared;
                sleepers.attend(1, thread::current());
                loop {
                    let seen = sleepers.epoch();
                    if let Some(thing) = shelf.take() {
                        return thing.0;
                    }
                    if sleepers.lie_down(1, seen) {
                        sleepers.sleep(1);
                    }
                }
            })
        };
        let (sleepers, shelf) = &*shared;
        // Two things: the first of them is taken out at once.
        shelf.put_and_take([Thing(1), Thing(2)]);
        sleepers.announce();
        sleepers.wake_one(|worker| worker == 1);
        assert_eq!(worker.join().unwrap(), 2);
    });
}

/// Two workers take in turn from the owner's side and from the thief's: nothing is lost, nothing is taken twice.
#[test]
fn what_is_stolen_is_stolen_once() {
    loom::model(|| {
        let shared = Arc::new((Shelf::<Thing>::default(), AtomicUsize::new(0)));
        let first = shared.0.put_and_take([Thing(1), Thing(2), Thing(4), Thing(8)]).0.map_or(0, |one| one.0);
        let thief = {
            let shared = shared.clone();
            thread::spawn(move || {
                let mut stolen = Vec::new();
                while shared.0.steal(&mut stolen) == Stolen::Busy {
                    thread::yield_now();
                }
                let sum: usize = stolen.iter().map(|one| one.0).sum();
                shared.1.fetch_add(sum, Ordering::Relaxed);
            })
        };
        let mut sum = first;
        while let Some(one) = shared.0.take() {
            sum += one.0;
        }
        thief.join().unwrap();
        // What the thief left while the owner looked is still there: here, nothing.
        assert_eq!(sum + shared.1.load(Ordering::Relaxed), 15);
    });
}

/// A worker's chain of waking: one is woken for two things, takes one, and wakes the next one.
#[test]
fn who_finds_more_than_it_needs_wakes_the_next_one() {
    loom::model(|| {
        let shared = Arc::new((Sleepers::new(3), Shelf::<Thing>::default()));
        let serve = |me: usize| {
            let shared = shared.clone();
            thread::spawn(move || {
                let (sleepers, shelf) = &*shared;
                sleepers.attend(me, thread::current());
                loop {
                    let seen = sleepers.epoch();
                    if let Some(thing) = shelf.take() {
                        if !shelf.is_empty() {
                            sleepers.announce();
                            sleepers.wake_one(|worker| worker != me);
                        }
                        return thing.0;
                    }
                    if sleepers.lie_down(me, seen) {
                        sleepers.sleep(me);
                    }
                }
            })
        };
        let workers = [serve(1), serve(2)];
        let (sleepers, shelf) = &*shared;
        shelf.put_and_take([Thing(0), Thing(1), Thing(2)]);
        sleepers.announce();
        sleepers.wake_one(|worker| worker > 0);
        let sum: usize = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
        assert_eq!(sum, 3);
    });
}

/// After `close` no helper looks at what the loop borrows, and what helpers wrote is visible.
#[test]
fn a_closed_loop_has_no_helpers() {
    loom::model(|| {
        let shared = Arc::new((Claims::new(2, 1), [UnsafeCell::new(0_u32), UnsafeCell::new(0)]));
        let helper = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (claims, cells) = &*shared;
                if !claims.enter() {
                    return;
                }
                while let Some(range) = claims.claim() {
                    // SAFETY: loom checks that no other thread accesses the cell meanwhile.
                    range.for_each(|k| cells[k].with_mut(|p| unsafe { *p += 1 }));
                }
                claims.leave();
            })
        };
        let (claims, cells) = &*shared;
        while let Some(range) = claims.claim() {
            // SAFETY: as above.
            range.for_each(|k| cells[k].with_mut(|p| unsafe { *p += 1 }));
        }
        claims.close();
        for cell in cells {
            // SAFETY: as above.
            cell.with(|p| assert_eq!(unsafe { *p }, 1));
        }
        helper.join().unwrap();
    });
}
