//! Panics in kernels: every worker leaves, the failure names the task, and the next run is as if nothing had been.

use std::sync::Arc;

use engine::data::{
    Data, ObjectId, Role, StepParameter, Store, accumulate, gather, part, read, set, update, val, write,
};
use engine::exec::{Deed, Executor, FailureKind, Observation, Sequential};
use engine::graph::{Assignment, ComponentTag, Recorder, Recording, TaskId};
use partition::{Accumulation, control::lower};
use weft_executors::{ForkJoin, Options, Replay, Stealing};

const N: usize = 8;

struct World {
    x: Vec<(Data<f64>, Data<f64>)>,
    f: Vec<Data<f64>>,
    /// Panics in this iteration (of the present step).
    when: StepParameter<u32>,
    /// Panics in the task of this object.
    victim: StepParameter<u32>,
}

fn world(store: &mut Store) -> World {
    let objects = || (0..N as u32).map(ObjectId);
    World {
        x: objects().map(|o| store.create_state("x", o, vec![0.5 + f64::from(o.0); 4])).collect(),
        f: objects().map(|o| store.create("f", o, Role::Scratch, vec![0.0; 4])).collect(),
        when: store.parameter("when", u32::MAX),
        victim: store.parameter("victim", 0),
    }
}

fn record(store: &mut Store, world: &World) -> Recording {
    let mut rec = Recorder::new(store);
    rec.begin_group("group");
    let (limit, stop, sum) =
        (rec.scalar_value::<u32>(), rec.scalar_value::<bool>(), rec.scalar_value::<f64>());
    rec.scalar("limit", ComponentTag(0), (set(limit),), |(limit,)| *limit = 50);
    let the_loop = rec.begin_loop(limit);
    let count = rec.loop_count(the_loop);
    let (when, victim) = (world.when, world.victim);
    rec.sweep("sweep");
    for (i, &f) in world.f.iter().enumerate() {
        let accesses = (update(f), val(count), val(when), val(victim));
        let me = i as u32;
        rec.own("own", ComponentTag(me), ObjectId(me), accesses, move |(f, count, when, victim)| {
            assert!(!(count == when && victim == me), "told to panic");
            f.iter_mut().for_each(|f| *f = *f / (1.0 + f.abs()) + 0.1);
        });
    }
    for i in 1..N {
        let (a, b) = (world.f[i - 1], world.f[i]);
        let objects = (ObjectId(i as u32 - 1), ObjectId(i as u32));
        let accesses = (accumulate(a), accumulate(b), read(world.x[i - 1].0), read(world.x[i].0));
        rec.joint("pair", ComponentTag(100), objects, accesses, |(mut fa, mut fb, xa, xb)| {
            fa.add(0, 0.1 * (xa[0] - xb[1]));
            fb.add(1, 0.1 * xb[0]);
        });
    }
    let dot = rec.dot("dot");
    for (i, &f) in world.f.iter().enumerate() {
        let object = ObjectId(i as u32);
        rec.own("part", ComponentTag(0), object, (part(dot, object), read(f)), |(p, f)| p[0] = f[0] * f[1]);
    }
    rec.scalar("sum", ComponentTag(0), (gather(dot), set(sum), set(stop)), |(dot, sum, stop)| {
        *sum = dot;
        *stop = dot > 1e9;
    });
    rec.break_if(stop);
    rec.end_loop();
    rec.sweep("integrate");
    for (i, &(x, next)) in world.x.iter().enumerate() {
        let accesses = (write(next), read(x), read(world.f[i]), val(sum));
        rec.own("integrate", ComponentTag(0), ObjectId(i as u32), accesses, |(next, x, f, sum)| {
            (0..4).for_each(|i| next[i] = 0.9 * x[i] + 0.01 * f[i] + 1e-3 * sum);
        });
    }
    rec.end_group();
    rec.finish()
}

fn state(store: &Store, world: &World) -> Vec<u64> {
    let values: Vec<f64> = world.x.iter().flat_map(|&(x, _)| store.read(x).to_vec()).collect();
    assert!(values.iter().all(|v| v.is_finite()));
    values.into_iter().map(f64::to_bits).collect()
}

fn executors(workers: u32) -> Vec<Box<dyn Executor>> {
    let options = |threads| Options { threads, ..Options::new(workers) };
    let mut all: Vec<Box<dyn Executor>> = vec![Box::new(Sequential::new())];
    for threads in [1, workers as usize] {
        all.push(Box::new(Replay::new(&options(threads))));
        all.push(Box::new(Stealing::new(&options(threads))));
        all.push(Box::new(ForkJoin::new(&options(threads))));
    }
    all
}

#[test]
fn a_panic_anywhere_stops_the_run_without_deadlock_and_leaves_the_state() {
    for workers in 1..=4 {
        for mut exec in executors(workers) {
            let mut store = Store::new();
            let world = world(&mut store);
            let recording = record(&mut store, &world);
            let mut assignment = Assignment::new(workers);
            (0..N as u32).for_each(|i| assignment.set(ObjectId(i), i % workers));
            let schedule = Arc::new(lower(&recording.program, &assignment, Accumulation::Auto));
            let plan = exec.load_plan(None, Arc::new(recording), schedule, &mut store).unwrap();
            exec.run(plan, &mut store).unwrap();
            store.swap_states();
            let before = state(&store, &world);
            for victim in 0..N as u32 {
                for when in [0, 1, 7, 40] {
                    store.set_parameter(world.when, when);
                    store.set_parameter(world.victim, victim);
                    let failure = exec.run(plan, &mut store).unwrap_err();
                    assert_eq!(
                        (failure.kind, failure.component),
                        (FailureKind::Panic, Some(ComponentTag(victim)))
                    );
                    assert!(failure.message.contains("told to panic"), "{failure}");
                    store.swap_states();
                    assert_eq!(state(&store, &world), before);
                }
            }
            store.set_parameter(world.when, u32::MAX);
            exec.run(plan, &mut store).unwrap();
            store.swap_states();
            assert_ne!(state(&store, &world), before);
        }
    }
}

/// What a kernel panicked with, which panics again when it is dropped: outside of what catches the kernels' panics.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("the bomb goes off");
    }
}

/// A worker that unwinds while others wait for what it would have computed ends the run with a failure, on all of them.
#[test]
fn a_worker_that_unwinds_takes_nobody_along() {
    for workers in 1..=4 {
        for mut exec in executors(workers).into_iter().skip(1) {
            let mut store = Store::new();
            let world = world(&mut store);
            let victim = world.victim;
            let mut rec = Recorder::new(&mut store);
            for _ in 0..20 {
                rec.sweep("own");
                for (i, &f) in world.f.iter().enumerate() {
                    let me = i as u32;
                    rec.own(
                        "own",
                        ComponentTag(me),
                        ObjectId(me),
                        (update(f), val(victim)),
                        move |(f, victim)| {
                            if victim == me {
                                std::panic::panic_any(Bomb);
                            }
                            f[0] += 1.0;
                        },
                    );
                }
                rec.sweep("pairs");
                for i in 1..N {
                    let objects = (ObjectId(i as u32 - 1), ObjectId(i as u32));
                    let accesses = (accumulate(world.f[i - 1]), accumulate(world.f[i]));
                    rec.joint("pair", ComponentTag(100), objects, accesses, |(mut a, mut b)| {
                        a.add(1, 1.0);
                        b.add(1, -1.0);
                    });
                }
            }
            let recording = rec.finish();
            let mut assignment = Assignment::new(workers);
            (0..N as u32).for_each(|i| assignment.set(ObjectId(i), i % workers));
            let schedule = Arc::new(lower(&recording.program, &assignment, Accumulation::Auto));
            let plan = exec.load_plan(None, Arc::new(recording), schedule, &mut store).unwrap();
            for unlucky in 0..N as u32 {
                store.set_parameter(victim, unlucky);
                let failure = exec.run(plan, &mut store).unwrap_err();
                assert!(matches!(failure.kind, FailureKind::Panic | FailureKind::Internal), "{failure}");
            }
            store.set_parameter(victim, u32::MAX);
            world.f.iter().for_each(|&f| store.write(f).fill(0.0));
            exec.run(plan, &mut store).unwrap();
            assert!(world.f.iter().all(|&f| store.read(f)[0] == 20.0), "{} on {workers}", exec.name());
        }
    }
}

#[test]
fn several_plans_share_an_executor_and_survive_reloading() {
    let mut store = Store::new();
    let world = world(&mut store);
    let mut exec = Replay::new(&Options::new(2));
    let assignments: Vec<Assignment> = (0..2)
        .map(|shift| {
            let mut assignment = Assignment::new(2);
            (0..N as u32).for_each(|i| assignment.set(ObjectId(i), (i + shift) % 2));
            assignment
        })
        .collect();
    let mut plans = Vec::new();
    for assignment in &assignments {
        let recording = record(&mut store, &world);
        let schedule = Arc::new(lower(&recording.program, assignment, Accumulation::Auto));
        plans.push(exec.load_plan(None, Arc::new(recording), schedule, &mut store).unwrap());
    }
    for round in 0..200 {
        for &plan in &plans {
            exec.run(plan, &mut store).unwrap();
            store.swap_states();
        }
        if round % 50 == 0 {
            let recording = record(&mut store, &world);
            let schedule =
                Arc::new(lower(&recording.program, &assignments[round / 50 % 2], Accumulation::Reduce));
            exec.load_plan(Some(plans[0]), Arc::new(recording), schedule, &mut store).unwrap();
        }
    }
    let costs = exec.costs(plans[1]);
    assert!(costs.objects.iter().all(|&ns| ns > 0.0) && costs.pairs.len() == N - 1);
    let mut seen = Observation::default();
    exec.observation(plans[1], &mut seen);
    assert_eq!(seen, Observation::default(), "nothing was to be observed");
    exec.observe(true);
    exec.run(plans[1], &mut store).unwrap();
    exec.observation(plans[1], &mut seen);
    let program = &exec.recording(plans[1]).program;
    let ran = |task: &TaskId| {
        seen.activities.iter().any(|a| matches!(a.deed, Deed::Task { task: t, .. } if t == *task))
    };
    assert!(program.tasks().all(|(task, _)| ran(&task)));
    assert_eq!(seen.visits.iter().map(|v| v.0).collect::<Vec<_>>(), [0]);
    let last = seen.activities.iter().map(|a| a.iteration).max();
    assert_eq!(last, Some(seen.visits[0].1 - 1));
    let other_store = Store::new();
    assert!(!exec.recording(plans[0]).table.belongs_to(&other_store));
}
