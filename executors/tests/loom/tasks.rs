//! What tasks may ask for beside data: flags, conditions, resources, locks, a worker of their own.
#![allow(unsafe_code, reason = "cells that loom watches")]

use loom::cell::UnsafeCell;
use loom::sync::{Arc, Mutex};
use loom::thread;
use weft_executors::sync::{Countdown, Progress};

type Cell = UnsafeCell<u64>;

// SAFETY, of both: loom checks that no other thread accesses the cell meanwhile.
fn get(cell: &Cell) -> u64 {
    cell.with(|p| unsafe { *p })
}
fn put(cell: &Cell, value: u64) {
    cell.with_mut(|p| unsafe { *p = value });
}

fn wait(word: &Progress, stamp: u64) {
    while word.seen() < stamp {
        thread::yield_now();
    }
}

/// A task of one worker decides by a flag whether a task of another one runs (`when`). A task that does not run is passed as one
/// that does: who waits for its stage sees what it wrote, or what was there before.
#[test]
fn a_task_that_a_flag_leaves_out_is_waited_for_as_any_other() {
    loom::model(|| {
        let shared = Arc::new(([Progress::default(), Progress::default()], [Cell::new(0), Cell::new(0)]));
        let conditional = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (words, [flag, x]) = &*shared;
                for turn in 1..=2 {
                    wait(&words[0], 2 * turn - 1);
                    if get(flag) == 1 {
                        put(x, turn);
                    }
                    words[1].publish(turn);
                }
            })
        };
        let (words, [flag, x]) = &*shared;
        for turn in 1..=2 {
            // Only in the first turn.
            put(flag, u64::from(turn == 1));
            words[0].publish(2 * turn - 1);
            wait(&words[1], turn);
            assert_eq!(get(x), 1);
            words[0].publish(2 * turn);
        }
        conditional.join().unwrap();
    });
}

/// Two streams walk replicas of a conditional region. Each finds the flag, in which both have a share, in a scalar of its own,
/// so both go the same way. What is inside publishes in a region of its own; who goes around it publishes its end alike.
#[test]
fn replicas_of_a_condition_go_the_same_way() {
    const DECIDED: u64 = 1;
    const READ: u64 = 2;
    const END: u64 = 3;

    #[derive(Default)]
    struct Stream {
        part: Cell,
        x: Cell,
        around: Progress,
        inside: Progress,
    }

    fn run(me: usize, threshold: u64, streams: &[Stream; 2]) -> bool {
        let (mine, other) = (&streams[me], &streams[1 - me]);
        put(&mine.part, 1 + me as u64);
        mine.around.publish(DECIDED);
        wait(&other.around, DECIDED);
        let condition = get(&streams[0].part) + get(&streams[1].part) > threshold;
        mine.around.publish(READ);
        if condition {
            put(&mine.x, 10 + me as u64);
            mine.inside.publish(1);
            wait(&other.inside, 1);
            assert_eq!(get(&other.x), 11 - me as u64);
            mine.inside.publish(2);
        }
        mine.around.publish(END);
        // A task behind the region writes what one inside it, or before it, has read: it waits for the region's end.
        wait(&other.around, END);
        put(&mine.part, 7);
        condition
    }

    for threshold in [2, 5] {
        loom::model(move || {
            let streams = Arc::new([Stream::default(), Stream::default()]);
            let other = {
                let streams = streams.clone();
                thread::spawn(move || run(1, threshold, &streams))
            };
            let condition = run(0, threshold, &streams);
            assert_eq!((condition, other.join().unwrap()), (threshold == 2, threshold == 2));
        });
    }
}

/// Tasks of one resource (`exclusive`) on two workers run in recorded order in each of two steps: the resource is a buffer
/// without contents, which each of them updates.
#[test]
fn tasks_of_a_resource_run_in_recorded_order() {
    loom::model(|| {
        let shared = Arc::new(([Progress::default(), Progress::default()], Cell::new(0)));
        let other = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (words, resource) = &*shared;
                for step in 0..2 {
                    wait(&words[0], step + 1);
                    assert_eq!(get(resource), 2 * step + 1);
                    put(resource, 2 * step + 2);
                    words[1].publish(step + 1);
                }
            })
        };
        let (words, resource) = &*shared;
        for step in 0..2 {
            wait(&words[1], step);
            assert_eq!(get(resource), 2 * step);
            put(resource, 2 * step + 1);
            words[0].publish(step + 1);
        }
        other.join().unwrap();
    });
}

/// Tasks of one lock in one stage of two workers never meet, whoever comes first; who waits for the stage sees both.
#[test]
fn tasks_of_a_lock_come_one_after_the_other() {
    fn run(me: usize, shared: &([Progress; 2], Mutex<()>, Cell)) {
        let (words, lock, sum) = shared;
        {
            let _held = lock.lock().unwrap();
            put(sum, get(sum) + 1 + me as u64);
        }
        words[me].publish(1);
        wait(&words[1 - me], 1);
        assert_eq!(get(sum), 3);
    }
    loom::model(|| {
        let words = [Progress::default(), Progress::default()];
        let shared = Arc::new((words, Mutex::new(()), Cell::new(0)));
        let other = {
            let shared = shared.clone();
            thread::spawn(move || run(1, &shared))
        };
        run(0, &shared);
        other.join().unwrap();
    });
}

/// Under `stealing`, who takes a count of predecessors to zero runs what waits for it, and sees what all of them wrote.
#[test]
fn the_last_predecessor_sees_what_all_wrote() {
    fn run(me: usize, shared: &(Countdown, [Cell; 2], Countdown)) {
        let (pending, parts, left) = shared;
        put(&parts[me], 1);
        if pending.arrive() {
            // As the executor does, for the next run of the segment.
            pending.rearm(2);
            assert_eq!(get(&parts[0]) + get(&parts[1]), 2);
            put(&parts[0], 5);
            left.arrive();
        }
    }
    loom::model(|| {
        let shared = Arc::new((Countdown::new(2), [Cell::new(0), Cell::new(0)], Countdown::new(1)));
        let other = {
            let shared = shared.clone();
            thread::spawn(move || run(1, &shared))
        };
        run(0, &shared);
        // As a thread does that finds nothing to do.
        while !shared.2.is_over() {
            thread::yield_now();
        }
        assert_eq!(get(&shared.1[0]), 5);
        other.join().unwrap();
    });
}

/// Under `stealing`, a task that is bound to a thread is handed to it by the thread that finishes its predecessor: it runs there
/// and nowhere else, before either thread leaves. (The queue is crossbeam's; a lock stands for it.)
#[test]
fn a_bound_task_runs_on_its_thread() {
    struct Shared {
        bound: Mutex<Option<u32>>,
        pending: Countdown,
        left: Countdown,
        x: Cell,
    }
    loom::model(|| {
        let shared = Arc::new(Shared {
            bound: Mutex::new(None),
            pending: Countdown::new(1),
            left: Countdown::new(1),
            x: Cell::new(0),
        });
        let bound_to = {
            let shared = shared.clone();
            thread::spawn(move || {
                let mut ran = 0;
                loop {
                    let node = shared.bound.lock().unwrap().take();
                    if node.is_some() {
                        put(&shared.x, 2 * get(&shared.x));
                        ran += 1;
                        shared.left.arrive();
                    } else if shared.left.is_over() {
                        return ran;
                    }
                    thread::yield_now();
                }
            })
        };
        put(&shared.x, 4);
        if shared.pending.arrive() {
            *shared.bound.lock().unwrap() = Some(1);
        }
        while !shared.left.is_over() {
            thread::yield_now();
        }
        assert_eq!(get(&shared.x), 8);
        assert_eq!(bound_to.join().unwrap(), 1);
    });
}
