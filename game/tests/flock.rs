//! The flocking game moves with the same bits on every scheduler.

use std::sync::Arc;
use std::time::Duration;

use animation::game::flock::{Batching, Flock, FlockOptions, Key, Play, Posting, Propagation};
use weft_game::{CycleScheduler, Options, Overheads, VirtualScheduler, WorkerKind};

const CYCLES: u64 = 30;

type Motion = Vec<([f64; 3], [f64; 3])>;

fn options(posting: Posting) -> FlockOptions {
    let thinking = Batching { preferred: 3000.0, ..Batching::default() };
    let physics = Batching { preferred: 1000.0, ..FlockOptions::default().physics };
    FlockOptions {
        entities: 120,
        space: 25.0,
        spawn: 7,
        posting,
        thinking,
        physics,
        ..FlockOptions::default()
    }
}

fn press(flock: &Flock, frame: u64) {
    match frame {
        4 | 5 => flock.press(Key::Spawn),
        11 => flock.press(Key::Remove),
        17 => flock.press(Key::Slower),
        _ => {}
    }
}

fn expected() -> Motion {
    let flock = Flock::new(&options(Posting::Deferred)).expect("sound options");
    for frame in 0..CYCLES {
        press(&flock, frame);
        flock.cycle().expect("nothing is wrong");
    }
    assert_eq!(flock.len(), 127);
    flock.motion()
}

/// Lets the game begin with what a scheduler supplies, and play.
fn played(
    posting: Posting,
    propagation: Propagation,
    kind: WorkerKind,
    edit: impl FnOnce(&Arc<Flock>, Propagation, bool) -> Arc<Play>,
    mut cycle: impl FnMut(&Play, Duration),
) -> Motion {
    let flock = Arc::new(Flock::new(&options(posting)).expect("sound options"));
    // Other kinds know no groups.
    let play = edit(&flock, propagation, kind == WorkerKind::Locking);
    for frame in 0..CYCLES {
        assert_eq!(flock.frame(), frame);
        press(&flock, frame);
        cycle(&play, Duration::from_secs_f64(flock.time()));
        play.result().expect("nothing is wrong");
    }
    flock.motion()
}

#[test]
fn every_kind_number_of_workers_and_synchronization_has_the_bits_of_one_loop() {
    let expected = expected();
    for kind in WorkerKind::ALL {
        for workers in [1, 2, 3, 8] {
            for (posting, propagation) in [
                (Posting::Deferred, Propagation::Serial),
                (Posting::Deferred, Propagation::Parallel),
                (Posting::Immediate, Propagation::Serial),
            ] {
                let scheduler =
                    std::cell::RefCell::new(CycleScheduler::new(Options::new(workers).kind(kind)));
                let motion = played(
                    posting,
                    propagation,
                    kind,
                    |flock, how, groups| {
                        let begin = |supply: &mut _| Play::begin(flock, supply, how, groups);
                        scheduler.borrow_mut().edit(begin).expect("the tree fits")
                    },
                    |_, time| {
                        scheduler.borrow_mut().cycle(time).expect("a cycle");
                    },
                );
                assert!(motion == expected, "{kind:?}, {workers} workers, {posting:?}, {propagation:?}");
            }
        }
    }
}

#[test]
fn virtual_time_has_them_too_and_more_workers_take_less() {
    let expected = expected();
    let mut before = Duration::MAX;
    for workers in [1, 2, 4] {
        let scheduler = VirtualScheduler::new(Options::new(workers), Overheads::default());
        let scheduler = std::cell::RefCell::new(scheduler);
        let motion = played(
            Posting::Deferred,
            Propagation::Serial,
            WorkerKind::Locking,
            |flock, how, groups| {
                let begin = |supply: &mut _| Play::begin(flock, supply, how, groups);
                scheduler.borrow_mut().edit(begin).expect("the tree fits")
            },
            |_, time| {
                scheduler.borrow_mut().cycle(time).expect("a cycle");
            },
        );
        assert!(motion == expected, "{workers} workers");
        let took = scheduler.borrow().now();
        assert!(took < before, "{workers} workers: {took:?} and {before:?}");
        before = took;
    }
}
