//! The simulator against the executor, in virtual time: kernels that count instead of computing.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Role, Store, accumulate, gather, part, read, set, update, val, write};
use engine::exec::{Activity, Deed as Did, Executor, Observation};
use engine::graph::schedule::ItemKind;
use engine::graph::{Assignment, ComponentTag, Recorder, Recording, Schedule};
use executors::{Options, Replay};
use partition::Accumulation;
use partition::control::lower;
use partition::simulate::{Deed, Machine, simulate_events};
use weft::predict::{GraphSample, walk};
use weft::record::Phase;

const TAG: ComponentTag = ComponentTag(0);

fn object(i: usize) -> ObjectId {
    ObjectId(i as u32)
}

/// A small generator of numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % n as u64) as usize
    }
}

/// Replays a recording once on some workers and takes it in as `weft predict` does.
fn replayed(
    recording: Recording,
    store: &mut Store,
    assignment: &Assignment,
    mode: Accumulation,
) -> (GraphSample, Observation) {
    let recording = Arc::new(recording);
    let schedule = Arc::new(lower(&recording.program, assignment, mode));
    let mut executor = Replay::new(&Options::new(assignment.workers()));
    let plan =
        executor.load_plan(None, recording.clone(), schedule.clone(), store).expect("a valid schedule");
    executor.observe(true);
    // Observed for the second time, all stages are stamped as they are in later runs.
    for _ in 0..2 {
        executor.run(plan, store).expect("nothing fails");
    }
    let mut seen = Observation::default();
    executor.observation(plan, &mut seen);
    let word = |group, index| executor.word(plan, group, index);
    let code = (Arc::new(recording.program.clone()), schedule);
    let sample = GraphSample::new(Phase::Integration, code, &seen, word, 0.0, store);
    (sample, seen)
}

fn spread(n: usize, workers: u32, random: &mut Random) -> Assignment {
    let mut assignment = Assignment::new(workers);
    (0..n).for_each(|i| assignment.set(object(i), random.below(workers as usize) as u32));
    assignment
}

/// Each task takes the later of two earlier times and adds its own cost: the times that a worker per object would need.
/// The executor computes them, however many workers it has; the simulator must predict the last.
#[test]
fn the_simulator_agrees_with_clocks_that_the_executor_computes() {
    const STAGES: usize = 12;
    for seed in 1..40 {
        let mut random = Random(seed * 7919);
        let n = 2 + random.below(7);
        let mut store = Store::new();
        let times: Vec<Vec<Data<f64>>> = (0..=STAGES)
            .map(|_| (0..n).map(|i| store.create("t", object(i), Role::Scratch, vec![0.0])).collect())
            .collect();
        let mut rec = Recorder::new(&mut store);
        for stage in 1..=STAGES {
            rec.sweep("stage");
            for i in 0..n {
                let other = times[random.below(stage)][random.below(n)];
                let (before, now) = (times[stage - 1][i], times[stage][i]);
                let cost = 1.0 + random.below(100) as f64;
                let accesses = (write(now), read(before), read(other));
                rec.own("later", TAG, object(i), accesses, move |(now, before, other)| {
                    now[0] = before[0].max(other[0]) + cost;
                });
            }
        }
        let recording = rec.finish();
        let assignment = spread(n, 3, &mut random);
        let (mut sample, _) = replayed(recording, &mut store, &assignment, Accumulation::Auto);
        let last = times[STAGES].iter().map(|t| store.read(*t)[0]).fold(0.0, f64::max);
        assert!(last > STAGES as f64);
        // The tasks' costs as counted: the difference between a task's time and the later of what it read.
        for (number, _) in sample.program.tasks() {
            let accesses = sample.program.accesses_of(number);
            let time = |k: usize| {
                let data = times.iter().flatten().find(|t| t.id() == accesses[k].id).expect("its own");
                store.read(*data)[0]
            };
            sample.task_ns[number.0 as usize] = time(0) - time(1).max(time(2));
        }
        sample.beside_ns = 0.0;
        let mut alone = Assignment::new(n as u32);
        (0..n).for_each(|i| alone.set(object(i), i as u32));
        let schedule = lower(&sample.program, &alone, Accumulation::Auto);
        let walked = walk(&sample, &schedule, &Machine::ideal(n as u32)).expect("it ends");
        assert_eq!(walked.outcome.ns, last, "seed {seed}");
    }
}

/// Forces of objects and pairs, a loop with a dot product, left at a break or at its limit; the kernels count.
fn solver(store: &mut Store, n: usize, pairs: &[(usize, usize)], limit_to: u32, stop_at: f64) -> Recording {
    let data: Vec<(Data<f64>, Data<f64>)> = (0..n)
        .map(|i| {
            let mut make = |name: &str| store.create(name, object(i), Role::Scratch, vec![0.0; 3]);
            (make("f"), make("x"))
        })
        .collect();
    let mut rec = Recorder::new(store);
    let forces = |rec: &mut Recorder<'_>| {
        rec.sweep("forces");
        for (i, &(f, x)) in data.iter().enumerate() {
            rec.own("own", TAG, object(i), (update(f), read(x)), |(f, _)| f[0] += 1.0);
        }
        for &(a, b) in pairs {
            let ((fa, xa), (fb, xb)) = (data[a], data[b]);
            let accesses = (accumulate(fa), accumulate(fb), read(xa), read(xb));
            rec.joint("pair", TAG, (object(a), object(b)), accesses, |(mut fa, mut fb, _, _)| {
                fa.add(1, 1.0);
                fb.add(1, 1.0);
            });
        }
    };
    rec.begin_group("solver");
    let (limit, stop, passed) =
        (rec.scalar_value::<u32>(), rec.scalar_value::<bool>(), rec.scalar_value::<f64>());
    rec.scalar("limit", TAG, (set(limit),), move |(limit,)| *limit = limit_to);
    forces(&mut rec);
    rec.begin_loop(limit);
    forces(&mut rec);
    let dot = rec.dot("ones");
    rec.sweep("ones");
    for (i, &(f, _)) in data.iter().enumerate() {
        rec.own("one", TAG, object(i), (part(dot, object(i)), read(f)), |(one, _)| one[0] = 1.0);
    }
    rec.scalar("count", TAG, (gather(dot), val(passed), set(stop)), move |(ones, passed, stop)| {
        *stop = passed + ones >= stop_at;
    });
    rec.break_if(stop);
    rec.scalar("pass", TAG, (gather(dot), set(passed)), |(ones, passed)| *passed += ones);
    rec.sweep("x");
    for (i, &(f, x)) in data.iter().enumerate() {
        rec.own("move", TAG, object(i), (update(x), read(f)), |(x, f)| x[0] += f[0]);
    }
    rec.end_loop();
    rec.end_group();
    rec.finish()
}

/// What a worker does, task by task: the stage's name and the task, or the first logged task of a reducer.
type Steps = Vec<(&'static str, u32)>;

/// The tasks of a stage's worker, in the order of its chain.
fn tasks_of(schedule: &Schedule, stage: u32, worker: u32) -> Steps {
    let (_, stage) = schedule.stages().nth(stage as usize).expect("a stage of the schedule");
    let part = stage.workers.iter().find(|w| w.worker == worker).expect("it takes part");
    let of_item = |(_, item): (_, &engine::graph::schedule::Item)| match item.kind {
        ItemKind::Task => (stage.name, item.index),
        ItemKind::Reducer => ("reducer", schedule.reducers[item.index as usize].logs[0].0),
    };
    part.chain.iter().map(of_item).collect()
}

/// The executor runs exactly the tasks that the simulator says, in its order, on every worker; and where a worker waited,
/// the simulator has a wait for that worker's stage just there.
#[test]
fn executor_and_simulator_walk_the_same_stages_and_waits() {
    let (mut broken, mut exhausted, mut waited) = (0, 0, 0);
    for seed in 1..60 {
        let mut random = Random(seed * 104_729);
        let n = 2 + random.below(6);
        let mut pairs: Vec<(usize, usize)> =
            (0..random.below(8)).map(|_| (random.below(n), random.below(n))).filter(|(a, b)| a < b).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut store = Store::new();
        let (limit, stop_at) = (random.below(7) as u32, (random.below(6 * n) + 1) as f64);
        let recording = solver(&mut store, n, &pairs, limit, stop_at);
        let mode = [Accumulation::Mirror, Accumulation::Reduce][random.below(2)];
        let workers = 1 + random.below(4) as u32;
        let assignment = spread(n, workers, &mut random);
        let (sample, seen) = replayed(recording, &mut store, &assignment, mode);
        if sample.loops[0].broken_at.is_some() {
            broken += 1
        } else {
            exhausted += 1
        }

        let walked = walk(&sample, &sample.schedule, &Machine::ideal(workers)).expect("it ends");
        let outcome = simulate_events(&walked.plan, &Machine::ideal(workers)).expect("it ends");
        for worker in 0..workers {
            let mut events = outcome.events.iter().filter(|e| e.worker == worker).peekable();
            let done: Vec<&Activity> = seen.activities.iter().filter(|a| a.worker == worker).collect();
            let (mut expected, mut ahead) = (Steps::new(), Steps::new().into_iter());
            for activity in done {
                let step = match activity.deed {
                    Did::Task { task, .. } => task.0,
                    Did::Reducer { first, .. } => first.0,
                    Did::Wait(wait) => {
                        assert_eq!(ahead.len(), 0, "a wait amid the tasks of a stage");
                        // The next wait for that worker, with no task before it.
                        let found = events.by_ref().find_map(|e| {
                            let Deed::Waited(number) = e.deed else {
                                assert!(
                                    tasks_of(&sample.schedule, e.stage, worker).is_empty(),
                                    "seed {seed}"
                                );
                                return None;
                            };
                            let of_worker = walked.plan.streams.iter().filter(|s| s.worker == worker);
                            let entry = of_worker.flat_map(|s| &s.entries).find(|x| x.stage == e.stage)?;
                            let on = entry.waits[number as usize].worker;
                            (wait.worker.is_none_or(|w| w == on)).then_some(e.stage)
                        });
                        let stage = found.expect("a wait that the simulator has too");
                        let (_, stage) = sample.schedule.stages().nth(stage as usize).expect("a stage");
                        assert_eq!(stage.name, wait.at, "seed {seed}");
                        waited += 1;
                        continue;
                    }
                };
                if ahead.len() == 0 {
                    let more = events.by_ref().filter(|e| e.deed == Deed::Ran);
                    let mut stages = more.map(|e| tasks_of(&sample.schedule, e.stage, worker));
                    ahead = stages.find(|t| !t.is_empty()).unwrap_or_default().into_iter();
                }
                expected.extend(ahead.next());
                assert_eq!(expected.last().map(|s| s.1), Some(step), "seed {seed}, worker {worker}");
            }
            let rest = events
                .filter(|e| e.deed == Deed::Ran)
                .flat_map(|e| tasks_of(&sample.schedule, e.stage, worker));
            assert_eq!((ahead.len(), rest.count()), (0, 0), "seed {seed}: the executor did less");
        }
    }
    assert!(broken > 5 && exhausted > 5 && waited > 20, "{broken} {exhausted} {waited}");
}

/// Nodes in one task or in several, as an event graph puts its nodes together by what they cost.
fn nodes(n: usize, workers: u32) -> GraphSample {
    let mut store = Store::new();
    let data: Vec<Data<f64>> =
        (0..n).map(|i| store.create("x", object(i), Role::Scratch, vec![0.0])).collect();
    let mut rec = Recorder::new(&mut store);
    rec.sweep("nodes");
    for (i, &x) in data.iter().enumerate() {
        rec.own("nodes", TAG, object(i), (update(x),), |(x,)| x[0] += 1.0);
    }
    let recording = rec.finish();
    let mut assignment = Assignment::new(workers);
    (0..n).for_each(|i| assignment.set(object(i), i as u32 % workers));
    replayed(recording, &mut store, &assignment, Accumulation::Auto).0
}

#[test]
fn a_graph_that_is_put_together_otherwise_on_more_workers_is_walked_with_its_own_tasks() {
    let (mut one, mut two) = (nodes(1, 1), nodes(2, 2));
    one.task_ns = vec![600.0];
    one.beside_ns = 7.0;
    two.task_ns = vec![100.0, 200.0];
    let walked = walk(&one.with_tasks_of(&two), &two.schedule, &Machine::ideal(2)).expect("it ends");
    // Two thirds of one worker's 600, and what is beside its tasks.
    assert_eq!(walked.outcome.ns, 407.0);
    // The same tasks: one worker's costs.
    two.task_ns = vec![50.0, 60.0];
    let mut same = nodes(2, 2);
    (same.task_ns, same.beside_ns) = (vec![1.0, 2.0], 0.0);
    assert_eq!(same.with_tasks_of(&two).task_ns, [1.0, 2.0]);
}
