//! Sleepers, queues to steal from, shared loops, and letters for who holds a lock.
#![allow(unsafe_code, reason = "cells that loom watches")]

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use weft_executors::sync::{Claims, Delegated, Ranked, Shelf, Sleepers, Stolen};

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

/// Brings a number as a worker brings a task back that must not wait: a letter, one attempt at the lock, a late look.
fn bring(supply: &Delegated<usize, usize>, number: usize) {
    supply.leave(number);
    if let Some(mut sum) = supply.try_lock() {
        supply.read(|letter| *sum += letter);
    } else {
        // Whoever has it finds the letter.
        return;
    }
    look_late(supply);
}

fn look_late(supply: &Delegated<usize, usize>) {
    supply.look_late(|sum| supply.read(|letter| *sum += letter));
}

/// Two workers bring what they have while a third one asks, which waits for the lock: when all have gone, nothing is left in the inbox.
#[test]
fn no_letter_is_left() {
    loom::model(|| {
        let supply = Arc::new(Delegated::new(0));
        let workers = [1, 2].map(|number| {
            let supply = supply.clone();
            thread::spawn(move || bring(&supply, number))
        });
        let mut sum = supply.lock();
        supply.read(|letter| *sum += letter);
        drop(sum);
        look_late(&supply);
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        assert_eq!(*supply.lock(), 3);
    });
}

/// A worker brings what ends a cycle while another one is at the supply, and the main worker sleeps: whoever takes the letter in wakes it.
#[test]
fn the_last_report_ends_the_cycle_whoever_takes_it_in() {
    loom::model(|| {
        let shared = Arc::new((Delegated::new(0), Sleepers::new(1)));
        let take_in = |shared: &(Delegated<usize, usize>, Sleepers)| {
            let mut is_over = false;
            shared.0.look_late(|sum| {
                shared.0.read(|letter| *sum += letter);
                is_over |= *sum == 2;
            });
            // After it has let go: else the main worker could find the supply taken and lie down on what was announced.
            if is_over {
                shared.1.announce();
                shared.1.wake(0);
            }
        };
        shared.1.attend(0, thread::current());
        let workers = [1, 1].map(|number| {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.0.leave(number);
                take_in(&shared);
            })
        });
        loop {
            let seen = shared.1.epoch();
            take_in(&shared);
            let is_over = shared.0.try_lock().is_some_and(|sum| *sum == 2);
            // As in `query`: a letter may have come while it was there.
            take_in(&shared);
            if is_over {
                break;
            }
            if shared.1.lie_down(0, seen) {
                shared.1.sleep(0);
            }
        }
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
}

/// Nobody is woken where another one is awake who will look: a worker that goes away in that moment wakes somebody in its place.
#[test]
fn who_is_counted_on_and_goes_away_wakes_another_one() {
    loom::model(|| {
        let shared = Arc::new((Sleepers::new(3), Shelf::<Thing>::default()));
        // As many as have cores: two of three.
        let tell = |shared: &(Sleepers, Shelf<Thing>), me: usize| {
            shared.0.announce();
            if shared.0.n_awake(3) < 2 {
                shared.0.wake_one(|worker| worker != me);
            }
        };
        let goes = {
            let shared = shared.clone();
            thread::spawn(move || {
                let seen = shared.0.epoch();
                if let Some(thing) = shared.1.take() {
                    return thing.0;
                }
                if !shared.0.go_away(1, seen) {
                    tell(&shared, 1);
                }
                0
            })
        };
        let sleeps = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (sleepers, shelf) = &*shared;
                sleepers.attend(2, thread::current());
                for _ in 0..2 {
                    let seen = sleepers.epoch();
                    if let Some(thing) = shelf.take() {
                        return thing.0;
                    }
                    if sleepers.lie_down(2, seen) {
                        // Nobody wakes it if the other one has taken the thing.
                        return if sleepers.is_asleep(2) {
                            0
                        } else {
                            shelf.take().map_or(0, |thing| thing.0)
                        };
                    }
                }
                0
            })
        };
        shared.1.put_and_take([Thing(0), Thing(1)]);
        tell(&shared, 0);
        let (one, other) = (goes.join().unwrap(), sleeps.join().unwrap());
        // Taken; or its taker was woken after it had looked last.
        let left = shared.1.take().map_or(0, |thing| thing.0);
        assert_eq!(one + other + left, 1);
        assert!(left == 0 || !shared.0.is_asleep(2), "a thing is left, and who may take it was not woken");
    });
}
