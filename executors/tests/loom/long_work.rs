//! Work beside the steps: its meeting place, and the queue at which threads for it wait.
#![allow(unsafe_code, reason = "cells that loom watches")]

use engine::exec::Meeting;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use weft_executors::sync::Todo;

/// One piece of work at a time, as `LongWork` has it.
#[derive(Default)]
struct Desk {
    meeting: Meeting,
    input: UnsafeCell<u64>,
    output: UnsafeCell<u64>,
}

impl Desk {
    fn work(&self) {
        // SAFETY: loom checks that no other thread accesses the cells meanwhile, here and below.
        let input = self.input.with(|p| unsafe { *p });
        self.output.with_mut(|p| unsafe { *p = 2 * input });
    }

    /// As a thread beside the steps does.
    fn serve(&self) {
        if self.meeting.claim() {
            self.work();
            self.meeting.finish();
        }
    }

    fn offer(&self, input: u64) {
        // SAFETY: as above.
        self.input.with_mut(|p| unsafe { *p = input });
        self.meeting.offer();
    }

    fn result(&self) -> u64 {
        self.meeting.attend(|| self.work());
        // SAFETY: as above.
        self.output.with(|p| unsafe { *p })
    }
}

/// The owner begins work twice, and uses each result, however far the thread beside it has come.
#[test]
fn a_result_is_there_whoever_did_the_work() {
    loom::model(|| {
        let desk = Arc::new(Desk::default());
        let beside = {
            let desk = desk.clone();
            thread::spawn(move || (0..2).for_each(|_| desk.serve()))
        };
        for input in [3, 5] {
            desk.offer(input);
            assert_eq!(desk.result(), 2 * input);
        }
        beside.join().unwrap();
    });
}

/// Two workers need a result that a third thread may be at.
#[test]
fn several_wait_for_one_result() {
    loom::model(|| {
        let desk = Arc::new(Desk::default());
        desk.offer(4);
        let others = [0, 1].map(|who| {
            let desk = desk.clone();
            thread::spawn(move || if who == 0 { desk.serve() } else { assert_eq!(desk.result(), 8) })
        });
        assert_eq!(desk.result(), 8);
        others.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

/// A step that is repeated takes work back and begins it with another input: the result is of that one.
#[test]
fn what_was_taken_back_leaves_no_trace() {
    loom::model(|| {
        let desk = Arc::new(Desk::default());
        let beside = {
            let desk = desk.clone();
            thread::spawn(move || (0..2).for_each(|_| desk.serve()))
        };
        desk.offer(1);
        desk.meeting.withdraw();
        desk.offer(6);
        assert_eq!(desk.result(), 12);
        beside.join().unwrap();
    });
}

/// Work that goes on until it is told that nobody wants it ends when its owner goes, who waits for nobody.
#[test]
fn who_works_for_nobody_is_told() {
    loom::model(|| {
        let desk = Arc::new(Desk::default());
        desk.meeting.offer();
        let beside = {
            let desk = desk.clone();
            thread::spawn(move || {
                if desk.meeting.claim() {
                    while desk.meeting.is_wanted() {
                        thread::yield_now();
                    }
                    desk.meeting.finish();
                }
            })
        };
        desk.meeting.abandon();
        beside.join().unwrap();
    });
}

/// Threads that wait for things to do get each of them once, and go home when the queue is closed.
#[test]
fn what_comes_is_taken_once_and_all_go_home() {
    loom::model(|| {
        let shared = Arc::new((Todo::default(), Desk::default()));
        let threads = [0, 1].map(|_| {
            let shared = shared.clone();
            thread::spawn(move || {
                let mut taken = 0;
                while let Some(()) = shared.0.next() {
                    shared.1.serve();
                    taken += 1;
                }
                taken
            })
        });
        shared.1.offer(7);
        shared.0.push(());
        assert_eq!(shared.1.result(), 14);
        shared.0.close();
        let taken: u32 = threads.map(|thread| thread.join().unwrap()).iter().sum();
        assert!(taken <= 1);
    });
}
