//! Work that lasts longer than a step: when its result serves, what cancels it, what failures and snapshots do with it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use weft_engine::data::*;
use weft_engine::exec::{Beside, FailureKind, Job, Sequential};
use weft_engine::graph::{ComponentTag, Recorder, Recording};

const TAG: ComponentTag = ComponentTag(0);
const A: ObjectId = ObjectId(0);

/// A program that begins work now and then, and notes what serves.
struct Setup {
    store: Store,
    clock: StepParameter<u64>,
    work: LongWork<Vec<f64>, Vec<f64>>,
    x: Data<f64>,
    /// What the work gets.
    input: Data<f64>,
    found: Data<f64>,
    recording: Recording,
}

/// The work doubles numbers; it fails for a negative one.
fn setup(after: u32) -> Setup {
    let mut store = Store::new();
    let clock = store.parameter("step", 0_u64);
    let (x, _) = store.create_state("x", A, vec![0.0]);
    let input = store.create("input", A, Role::Parameter, vec![1.0]);
    let found = store.create("found", A, Role::Scratch, vec![0.0; 2]);
    let memory = (vec![0.0], vec![0.0]);
    let work = store.long_work("double", A, Due { clock, after }, memory, |input, output, _| {
        assert!(input[0] >= 0.0, "a negative number");
        output[0] = 2.0 * input[0];
    });
    let mut rec = Recorder::new(&mut store);
    rec.sweep("use");
    rec.own("use", TAG, A, (result_of(work), update(found)), |(result, found)| {
        found[0] = result.map_or(-1.0, |result| result[0]);
    });
    rec.own("begin", TAG, A, (begin_work(work), read(input), update(found)), |(mut start, input, found)| {
        found[1] = f64::from(start.begin(|memory| memory.copy_from_slice(input)));
    });
    let recording = rec.finish();
    Setup { store, clock, work, x, input, found, recording }
}

impl Setup {
    /// Does a step; what served, and whether work was begun.
    fn step(&mut self, step: u64) -> (f64, bool) {
        self.store.set_parameter(self.clock, step);
        self.store.write(self.input)[0] = 1.0 + step as f64;
        Sequential::run_once(&self.recording, &mut self.store).unwrap();
        self.found()
    }

    fn found(&self) -> (f64, bool) {
        let found = self.store.read(self.found);
        (found[0], found[1] != 0.0)
    }
}

#[test]
fn a_result_serves_from_its_step_on_until_the_next_one_does() {
    let mut setup = setup(3);
    let found: Vec<_> = (0..8).map(|step| setup.step(step)).collect();
    let (none, first, second) = (-1.0, 2.0, 8.0);
    let served = [none, none, none, first, first, first, second, second];
    let begun = [true, false, false, true, false, false, true, false];
    assert_eq!(found, served.into_iter().zip(begun).collect::<Vec<_>>());
}

#[test]
fn a_step_that_is_repeated_begins_its_work_again() {
    for is_discarded in [false, true] {
        let mut setup = setup(2);
        let mut found = Vec::new();
        for step in 0..6 {
            for _ in 0..2 {
                // As a step that fails may leave it.
                setup.store.set_parameter(setup.clock, step);
                setup.store.write(setup.input)[0] = 100.0;
                Sequential::run_once(&setup.recording, &mut setup.store).unwrap();
                if is_discarded {
                    setup.store.discard_states();
                }
            }
            found.push(setup.step(step).0);
            setup.store.swap_states();
        }
        assert_eq!(found, [-1.0, -1.0, 2.0, 2.0, 6.0, 6.0], "discarded: {is_discarded}");
    }
}

#[test]
fn a_snapshot_holds_what_was_under_way() {
    let mut setup = setup(3);
    for step in 0..5 {
        setup.step(step);
        setup.store.swap_states();
    }
    let snapshot = setup.store.snapshot();
    let ahead = |setup: &mut Setup| -> Vec<_> { (5..12).map(|step| setup.step(step)).collect() };
    let expected = ahead(&mut setup);
    setup.store.write(setup.x)[0] = 7.0;
    setup.store.restore(&snapshot);
    assert_eq!(setup.store.read(setup.x), [0.0]);
    assert_eq!(ahead(&mut setup), expected);
}

#[test]
fn what_is_cancelled_never_serves() {
    let mut setup = setup(2);
    assert_eq!(setup.step(0), (-1.0, true));
    setup.store.cancel(setup.work);
    assert_eq!(setup.step(1), (-1.0, true));
    assert_eq!(setup.step(2), (-1.0, false));
    assert_eq!(setup.step(3), (4.0, true));
    setup.store.cancel(setup.work);
    assert_eq!(setup.step(9), (4.0, true), "the result before it goes on serving");
}

#[test]
fn work_that_panics_fails_the_step_in_which_its_result_is_due() {
    let mut setup = setup(2);
    setup.store.write(setup.input)[0] = -1.0;
    Sequential::run_once(&setup.recording, &mut setup.store).unwrap();
    assert_eq!(setup.step(1), (-1.0, false));
    setup.store.set_parameter(setup.clock, 2);
    let failure = Sequential::run_once(&setup.recording, &mut setup.store).unwrap_err();
    assert_eq!((failure.kind, failure.task_name), (FailureKind::Panic, "use"));
    assert_eq!(failure.message, "work beside the steps failed: a negative number");
    setup.store.cancel(setup.work);
    assert_eq!(setup.step(3), (-1.0, true));
    assert_eq!(setup.step(5), (8.0, true));
}

#[test]
#[should_panic(expected = "whose result is due in the step in which it begins")]
fn a_result_in_the_same_step_is_refused() {
    setup(0);
}

#[test]
#[should_panic(expected = "a workspace of another store")]
fn work_of_another_store_is_refused() {
    let other = setup(1);
    let mut store = Store::new();
    store.create("x", A, Role::Scratch, vec![0.0]);
    let mut rec = Recorder::new(&mut store);
    rec.own("use", TAG, A, (result_of(other.work),), |(_,)| ());
}

/// Tasks that count by themselves take each result once, in whatever step, also twice in one; what a failed step began is taken back.
#[test]
fn tasks_take_results_when_they_choose() {
    for early in [false, true] {
        let mut store = Store::new();
        let clock = store.parameter("step", 0_u64);
        let (beside, entrusted) = slow();
        store.set_beside(beside);
        let input = store.create("input", A, Role::Parameter, vec![0.0]);
        let found = store.create("found", A, Role::Scratch, vec![0.0; 2]);
        let due = Due { clock, after: Due::BY_TASKS };
        let work = store.long_work("double", A, due, (0.0, Vec::new()), |input, output: &mut Vec<f64>, _| {
            output.clear();
            output.push(2.0 * input);
        });
        let mut rec = Recorder::new(&mut store);
        rec.own(
            "exchange",
            TAG,
            A,
            (begin_work(work), read(input), update(found)),
            |(mut start, input, found)| {
                let mut taken = Vec::new();
                let is_taken =
                    start.exchange(|result| std::mem::swap(result, &mut taken), |memory| *memory = input[0]);
                found.copy_from_slice(&[f64::from(is_taken), taken.first().copied().unwrap_or(-1.0)]);
            },
        );
        let recording = rec.finish();
        let run = |store: &mut Store, step: u64, number: f64| {
            store.set_parameter(clock, step);
            store.write(input)[0] = number;
            Sequential::run_once(&recording, store).unwrap();
            if early {
                entrusted.try_iter().for_each(|job| job.0.run());
            }
            let found = store.read(found);
            (found[0] != 0.0, found[1])
        };
        assert_eq!(run(&mut store, 0, 1.0), (false, -1.0));
        store.swap_states();
        assert_eq!(run(&mut store, 5, 3.0), (true, 2.0));
        assert_eq!(run(&mut store, 5, 4.0), (true, 6.0));
        store.discard_states();
        assert_eq!(run(&mut store, 5, 7.0), (false, -1.0));
        store.swap_states();
        let snapshot = store.snapshot();
        assert_eq!(run(&mut store, 6, 9.0), (true, 14.0));
        store.restore(&snapshot);
        assert_eq!(run(&mut store, 6, 9.0), (true, 14.0), "what was under way is begun again");
        assert_eq!(store.done_beside().count(), usize::from(early));
    }
}

/// Steps that are faster than a thread comes ask it once, so that nothing grows meanwhile; work that it finds is the latest.
#[test]
fn a_thread_that_has_not_come_is_asked_once() {
    let mut setup = setup(1);
    let (beside, entrusted) = slow();
    setup.store.set_beside(beside);
    for step in 0..9 {
        assert!(setup.step(step).1);
    }
    let jobs: Vec<Entrusted> = entrusted.try_iter().collect();
    assert_eq!(jobs.len(), 1);
    assert_eq!(setup.store.done_beside().count(), 0);
    jobs[0].0.run();
    assert_eq!(setup.store.done_beside().count(), 1);
    assert_eq!(setup.step(9).0, 18.0);
    assert_eq!(entrusted.try_iter().count(), 1, "it has come, and is asked again");
}

/// A thread that does what it is told when it is told.
#[derive(Debug)]
struct Slow {
    jobs: Mutex<Sender<Entrusted>>,
}

struct Entrusted(Arc<dyn Job>);

impl Beside for Slow {
    fn take_over(&self, job: Arc<dyn Job>) {
        let _ = self.jobs.lock().unwrap().send(Entrusted(job));
    }
}

fn slow() -> (Arc<Slow>, Receiver<Entrusted>) {
    let (jobs, entrusted) = channel();
    (Arc::new(Slow { jobs: Mutex::new(jobs) }), entrusted)
}

#[test]
fn bits_do_not_depend_on_who_does_the_work_when() {
    for early in [false, true] {
        let mut setup = setup(3);
        let (beside, entrusted) = slow();
        assert!(setup.store.wants_beside());
        setup.store.set_beside(beside);
        assert!(!setup.store.wants_beside());
        for step in 0..8 {
            let (found, _) = setup.step(step);
            let expected = if step < 3 {
                -1.0
            } else if step < 6 {
                2.0
            } else {
                8.0
            };
            assert_eq!(found, expected);
            let jobs: Vec<Entrusted> = if early { entrusted.try_iter().collect() } else { Vec::new() };
            jobs.iter().for_each(|job| job.0.run());
        }
        // What was done, or begun again, meanwhile is not done twice.
        entrusted.try_iter().for_each(|job| job.0.run());
        assert_eq!(setup.step(9).0, 14.0);
    }
}

#[test]
fn work_whose_object_goes_is_told_and_nobody_waits_for_it() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let mut store = Store::new();
    let clock = store.parameter("step", 0_u64);
    let (beside, entrusted) = slow();
    store.set_beside(beside);
    let (begun, has_begun) = channel();
    let begun = Mutex::new(begun);
    let due = Due { clock, after: 1 };
    let work = store.long_work("endless", A, due, ((), 0_u64), move |(), turns, wanted| {
        RUNS.fetch_add(1, Ordering::SeqCst);
        begun.lock().unwrap().send(()).unwrap();
        while wanted.is_wanted() {
            *turns += 1;
            std::thread::yield_now();
        }
    });
    let mut rec = Recorder::new(&mut store);
    rec.own("begin", TAG, A, (begin_work(work),), |(mut start,)| assert!(start.begin(|()| ())));
    let recording = rec.finish();
    Sequential::run_once(&recording, &mut store).unwrap();
    let Entrusted(job) = entrusted.recv().unwrap();
    // The scope is the only one that starts threads here.
    std::thread::scope(|scope| {
        scope.spawn(|| job.run());
        has_begun.recv().unwrap();
        drop(recording);
        store.free_object(A);
    });
    // What nobody has begun is never done.
    job.run();
    drop(store);
    job.run();
    assert_eq!(RUNS.load(Ordering::SeqCst), 1);
}
