//! Tasks of one resource never run together, whatever the executor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use engine::data::{Data, ObjectId, Role, Store, exclusive, locked, update};
use engine::exec::{Executor, Sequential};
use engine::graph::{Assignment, ComponentTag, Recorder, Recording, Schedule};
use partition::{Accumulation, control::lower};
use weft_executors::{ForkJoin, Options, Replay, Stealing};

const N: u32 = 8;

/// Taken by the task that uses the resource.
static IN_USE: AtomicBool = AtomicBool::new(false);
/// How often it was found taken.
static MET: AtomicU32 = AtomicU32::new(0);

/// Tasks of a resource, or of a lock.
fn record(store: &mut Store, locks: bool) -> (Recording, Vec<Data<f64>>) {
    let objects = (0..N).map(ObjectId);
    let x: Vec<Data<f64>> = objects.map(|o| store.create("x", o, Role::Scratch, vec![1.0; 64])).collect();
    let resource = store.resource("a library that is not reentrant");
    let lock = store.lock();
    let mut rec = Recorder::new(store);
    rec.sweep("use");
    for (x, object) in x.iter().zip((0..N).map(ObjectId)) {
        let tag = ComponentTag(object.0);
        if locks {
            rec.own("use", tag, object, (update(*x), locked(lock)), |(x, _held)| use_it(x));
        } else {
            rec.own("use", tag, object, (update(*x), exclusive(resource)), |(x, ())| use_it(x));
        }
    }
    (rec.finish(), x)
}

fn use_it(x: &mut [f64]) {
    if IN_USE.swap(true, Ordering::SeqCst) {
        MET.fetch_add(1, Ordering::SeqCst);
    }
    for _ in 0..50 {
        x.iter_mut().for_each(|x| *x = x.sqrt() + 0.5);
    }
    IN_USE.store(false, Ordering::SeqCst);
}

#[test]
fn tasks_of_a_resource_or_of_a_lock_never_meet() {
    let mut expected = None;
    for (way, locks) in (0..5).flat_map(|way| [(way, false), (way, true)]) {
        let mut store = Store::new();
        let (recording, x) = record(&mut store, locks);
        let recording = Arc::new(recording);
        let workers = if way < 2 { 1 } else { 2 };
        let mut assignment = Assignment::new(workers);
        (0..N).for_each(|o| assignment.set(ObjectId(o), o % workers));
        let options = Options { threads: workers as usize, ..Options::new(workers) };
        let mut executor: Box<dyn Executor> = match way {
            0 => Box::new(Sequential::new()),
            1 | 2 => Box::new(Replay::new(&options)),
            3 => Box::new(Stealing::new(&options)),
            _ => Box::new(ForkJoin::new(&options)),
        };
        let schedule: Schedule = lower(&recording.program, &assignment, Accumulation::Auto);
        let plan = executor.load_plan(None, recording, Arc::new(schedule), &mut store).expect("it fits");
        for _ in 0..200 {
            executor.run(plan, &mut store).expect("no kernel panics");
        }
        let bits: Vec<u64> = x.iter().flat_map(|x| store.read(*x)).map(|v| v.to_bits()).collect();
        assert_eq!(&bits, expected.get_or_insert_with(|| bits.clone()));
        assert_eq!(MET.load(Ordering::SeqCst), 0, "executor {way}");
    }
}
