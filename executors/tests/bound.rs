//! The tasks of an object that is bound to a worker run on its thread, under every executor; worker 0 is the caller's.

use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use engine::data::{Data, ObjectId, Role, Store, accumulate, update};
use engine::exec::{Executor, LoadError, Sequential};
use engine::graph::{Assignment, ComponentTag, Recorder, Recording};
use partition::control::lower;
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};
use weft_executors::{ForkJoin, Options, Replay, Stealing};

const N: u32 = 8;
/// Bound to the caller's thread.
const MINE: u32 = 6;
/// Bound to the second worker.
const OTHER: u32 = 1;

/// Where the tasks of each object ran.
static SEEN: Mutex<Vec<(u32, ThreadId)>> = Mutex::new(Vec::new());

fn record(store: &mut Store) -> (Recording, Vec<Data<f64>>) {
    let objects = (0..N).map(ObjectId);
    let x: Vec<Data<f64>> = objects.map(|o| store.create("x", o, Role::Scratch, vec![1.0; 8])).collect();
    store.bind_to_worker(ObjectId(MINE), 0);
    store.bind_to_worker(ObjectId(OTHER), 1);
    let mut rec = Recorder::new(store);
    for turn in 0..3 {
        rec.sweep("own");
        for (x, object) in x.iter().zip(0..N) {
            rec.own("own", ComponentTag(object), ObjectId(object), (update(*x),), move |(x,)| {
                SEEN.lock().unwrap().push((object, std::thread::current().id()));
                x.iter_mut().for_each(|x| *x = 0.7 * *x + f64::from(turn));
            });
        }
        rec.sweep("pairs");
        for k in 1..N {
            let accesses = (accumulate(x[k as usize - 1]), accumulate(x[k as usize]));
            rec.joint("pair", ComponentTag(k), (ObjectId(k - 1), ObjectId(k)), accesses, |(mut a, mut b)| {
                a.add(0, 0.1);
                b.add(1, -0.3);
            });
        }
    }
    (rec.finish(), x)
}

fn executor(way: u32, workers: u32) -> (Box<dyn Executor>, u32) {
    let options = Options { threads: workers.min(2) as usize, ..Options::new(workers) };
    let switching = Options { switch_seed: Some(9), ..options.clone() };
    match way {
        0 => (Box::new(Sequential::new()), 1),
        1 => (Box::new(Replay::new(&options)), workers),
        2 => (Box::new(Replay::new(&switching)), workers),
        3 => (Box::new(Stealing::new(&options)), workers),
        4 => (Box::new(Stealing::new(&switching)), workers),
        _ => (Box::new(ForkJoin::new(&options)), workers),
    }
}

fn planner(workers: u32) -> Planner {
    let (partitioner, accumulation) = (Partitioner::Metis, Accumulation::Auto);
    Planner::new(PlannerOptions { workers, partitioner, accumulation })
}

#[test]
fn bound_objects_stay_on_their_threads() {
    let mut expected = None;
    let has_two_cores = std::thread::available_parallelism().is_ok_and(|n| n.get() > 1);
    for (way, workers) in (0..6).flat_map(|way| [(way, 1), (way, 2), (way, 4)]) {
        let mut store = Store::new();
        let (recording, x) = record(&mut store);
        let recording = Arc::new(recording);
        let (mut executor, planned) = executor(way, workers);
        let schedule = planner(planned).plan(&recording.program, &store).0;
        let plan = executor.load_plan(None, recording, Arc::new(schedule), &mut store).expect("it fits");
        SEEN.lock().unwrap().clear();
        for _ in 0..100 {
            executor.run(plan, &mut store).expect("no kernel panics");
        }
        let seen = std::mem::take(&mut *SEEN.lock().unwrap());
        let of = |object| {
            let mut threads: Vec<ThreadId> = seen.iter().filter(|s| s.0 == object).map(|s| s.1).collect();
            threads.sort_unstable_by_key(|id| format!("{id:?}"));
            threads.dedup();
            threads
        };
        let me = std::thread::current().id();
        assert_eq!(of(MINE), [me], "executor {way}, {workers} workers");
        assert_eq!(of(OTHER).len(), 1, "executor {way}, {workers} workers");
        // Worker 1 of 4 on two threads is the caller's too.
        if way > 0 && has_two_cores && (workers == 2 || (workers > 2 && way > 2)) {
            assert_ne!(of(OTHER), [me], "executor {way}, {workers} workers");
        }
        let bits: Vec<u64> = x.iter().flat_map(|x| store.read(*x)).map(|v| v.to_bits()).collect();
        assert_eq!(&bits, expected.get_or_insert_with(|| bits.clone()));
    }
}

#[test]
fn a_schedule_that_puts_a_bound_object_elsewhere_is_refused() {
    let mut store = Store::new();
    let (recording, _) = record(&mut store);
    let mut assignment = Assignment::new(2);
    assignment.set(ObjectId(MINE), 1);
    assignment.set(ObjectId(OTHER), 1);
    let schedule = lower(&recording.program, &assignment, Accumulation::Auto);
    let mut replay = Replay::new(&Options::new(2));
    let refused = replay.load_plan(None, Arc::new(recording), Arc::new(schedule), &mut store);
    assert_eq!(refused, Err(LoadError::Bound { object: ObjectId(MINE), to: 0, on: 1 }));
}
