//! Checked ops catch a plan that lacks a wait, and a kernel that does not overwrite what it says.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::data::{Data, ObjectId, Role, Store, read, update, write};
use engine::exec::{Executor, FailureKind, RunFailure, Sequential};
use engine::graph::{Assignment, ComponentTag, Recorder, Recording, Schedule};
use partition::{Accumulation, control::lower};
use weft_executors::{Options, Replay};

/// How long each of the slow tasks takes [ms].
static LENGTH_MS: AtomicU64 = AtomicU64::new(20);

fn take_long() {
    std::thread::sleep(Duration::from_millis(LENGTH_MS.load(Ordering::Relaxed)));
}

fn two_buffers(store: &mut Store) -> [Data<f64>; 2] {
    [0, 1].map(|o| store.create("x", ObjectId(o), Role::Scratch, vec![1.0; 4]))
}

/// One object is written at length, then the other one reads it at length.
fn slow(store: &mut Store, [a, b]: [Data<f64>; 2]) -> Recording {
    let mut rec = Recorder::new(store);
    rec.sweep("produce");
    rec.own("produce", ComponentTag(0), ObjectId(0), (update(a),), |(a,)| {
        take_long();
        a.iter_mut().for_each(|a| *a += 1.0);
    });
    rec.sweep("consume");
    rec.own("consume", ComponentTag(1), ObjectId(1), (update(b), read(a)), |(b, a)| {
        take_long();
        b.copy_from_slice(a);
    });
    rec.finish()
}

fn run(replay: &mut Replay, spoil: fn(&mut Schedule)) -> Result<(), RunFailure> {
    let mut store = Store::new();
    let buffers = two_buffers(&mut store);
    let recording = Arc::new(slow(&mut store, buffers));
    let mut assignment = Assignment::new(2);
    assignment.set(ObjectId(1), 1);
    let mut schedule = lower(&recording.program, &assignment, Accumulation::Auto);
    spoil(&mut schedule);
    let plan = replay.load_plan(None, recording, Arc::new(schedule), &mut store).unwrap();
    replay.run(plan, &mut store)?;
    assert_eq!(store.read(buffers[1]), [2.0; 4]);
    Ok(())
}

#[test]
fn a_missing_wait_is_caught() {
    let options = Options { checked: true, adapt: false, ..Options::new(2) };
    let mut replay = Replay::new(&options);
    if replay.n_threads() < 2 {
        // One thread runs one op at a time: nothing can meet.
        return;
    }
    for _ in 0..3 {
        run(&mut replay, |_| ()).unwrap();
    }
    let without_waits = |schedule: &mut Schedule| {
        let stages = schedule.groups.iter_mut().flatten().flat_map(|g| &mut g.stages);
        let workers = stages.flat_map(|s| &mut s.workers);
        workers.for_each(|w| w.waits.clear());
    };
    // The two tasks meet unless the system keeps one thread off its core for as long as the other one's task lasts: where
    // other programs make it do so, tasks that take longer meet.
    let failure = (0..10).find_map(|attempt| {
        LENGTH_MS.store(20 << attempt, Ordering::Relaxed);
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&mut replay, without_waits))) {
            Ok(Err(failure)) => Some(failure),
            // It went by in the right order, or in the wrong one: what was read is then not what was to be.
            Ok(Ok(())) | Err(_) => None,
        }
    });
    let failure = failure.expect("the tasks meet in one of several runs, each longer than the one before");
    assert_eq!(failure.kind, FailureKind::Panic);
    assert!(failure.message.contains("a wait is missing"), "{failure}");
}

/// Overwrites all elements of a buffer, or all but the last.
fn partial(store: &mut Store, x: Data<f64>, n: usize) -> Recording {
    let mut rec = Recorder::new(store);
    rec.sweep("write");
    rec.own("write some", ComponentTag(7), ObjectId(0), (write(x),), move |(x,)| x[..n].fill(3.0));
    rec.finish()
}

#[test]
fn what_a_task_does_not_overwrite_is_found() {
    for n in [4, 3] {
        let mut store = Store::new();
        let [x, _] = two_buffers(&mut store);
        let recording = Arc::new(partial(&mut store, x, n));
        let schedule = Arc::new(lower(&recording.program, &Assignment::new(1), Accumulation::Auto));
        let mut sequential = Sequential::new();
        let plan = sequential.load_plan(None, recording.clone(), schedule.clone(), &mut store).unwrap();
        sequential.run(plan, &mut store).expect("nobody looks");
        for checked in [false, true] {
            let mut replay = Replay::new(&Options { checked, ..Options::new(1) });
            let plan = replay.load_plan(None, recording.clone(), schedule.clone(), &mut store).unwrap();
            let outcome = replay.run(plan, &mut store);
            if n == 4 || !checked {
                outcome.unwrap();
                assert_eq!(store.read(x)[..n], [3.0; 4][..n]);
            } else {
                let failure = outcome.unwrap_err();
                assert_eq!(failure.component, Some(ComponentTag(7)));
                assert!(failure.message.contains("leaves element 3"), "{failure}");
            }
        }
    }
}
