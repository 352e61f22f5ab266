//! What stamps count: sweeps of a group, and runs.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Role, Store, read, update};
use engine::exec::{Executor, LoadError, Sequential};
use engine::graph::{Assignment, ComponentTag, MAX_SWEEPS, Recorder, Recording};
use partition::{Accumulation, control::lower};
use weft_executors::{Options, Replay};

/// Two objects that read each other in turn: each sweep waits for the one before.
fn record(store: &mut Store, sweeps: usize) -> (Recording, [Data<f64>; 2]) {
    let both = [0, 1].map(|o| store.create("x", ObjectId(o), Role::Scratch, vec![f64::from(o)]));
    let mut rec = Recorder::new(store);
    rec.begin_group("group");
    for k in 0..sweeps {
        rec.sweep("sweep");
        let (me, other) = (k % 2, 1 - k % 2);
        let accesses = (update(both[me]), read(both[other]));
        rec.own("own", ComponentTag(0), ObjectId(me as u32), accesses, |(me, other)| {
            me[0] = 0.5 * me[0] - 0.25 * other[0] + 0.1;
        });
    }
    rec.end_group();
    (rec.finish(), both)
}

/// The values after some runs.
fn run(mut exec: impl Executor, workers: u32, sweeps: usize, runs: usize) -> Vec<u64> {
    let mut store = Store::new();
    let (recording, both) = record(&mut store, sweeps);
    let mut assignment = Assignment::new(workers);
    (0..2).for_each(|o| assignment.set(ObjectId(o), o % workers));
    let schedule = Arc::new(lower(&recording.program, &assignment, Accumulation::Auto));
    let plan = exec.load_plan(None, Arc::new(recording), schedule, &mut store).expect("it is taken");
    for _ in 0..runs {
        exec.run(plan, &mut store).expect("it runs");
    }
    both.iter().map(|x| store.read(*x)[0].to_bits()).collect()
}

fn replay(threads: usize) -> Replay {
    Replay::new(&Options { threads, ..Options::new(2) })
}

#[test]
fn a_group_of_many_sweeps_runs_on_two_workers() {
    let sweeps = 20_000;
    let expected = run(Sequential::new(), 1, sweeps, 3);
    for threads in [1, 2] {
        assert_eq!(run(replay(threads), 2, sweeps, 3), expected, "{threads} threads");
    }
}

#[test]
fn runs_go_on_when_stamps_start_again_from_zero() {
    let runs = 4096 + 5;
    let expected = run(Sequential::new(), 1, 5, runs);
    for threads in [1, 2] {
        assert_eq!(run(replay(threads), 2, 5, runs), expected, "{threads} threads");
    }
}

#[test]
fn more_sweeps_than_positions_are_refused() {
    let mut store = Store::new();
    let x = store.create("x", ObjectId(0), Role::Scratch, vec![0.0]);
    let mut rec = Recorder::new(&mut store);
    rec.begin_group("group");
    (0..=MAX_SWEEPS).for_each(|_| rec.sweep("sweep"));
    rec.own("own", ComponentTag(0), ObjectId(0), (update(x),), |(x,)| x[0] += 1.0);
    rec.end_group();
    let recording = rec.finish();
    let schedule = Arc::new(lower(&recording.program, &Assignment::new(1), Accumulation::Auto));
    let refused = replay(1).load_plan(None, Arc::new(recording), schedule, &mut store);
    let expected = MAX_SWEEPS + 1;
    assert!(
        matches!(refused, Err(LoadError::TooManySweeps { sweeps, most: MAX_SWEEPS }) if sweeps == expected)
    );
}
