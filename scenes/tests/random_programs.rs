//! Random programs: every executor, number of workers, assignment and way of accumulating gives the bits of the
//! sequential executor, and the schedule passes the validator.

use std::sync::Arc;

use executors::{ForkJoin, Options, Replay, Stealing};
use partition::control::{Accumulation, lower};
use proptest::prelude::*;
use sim_core::data::{
    Data, Move, ObjectId, Role, Scalar, StepParameter, Store, accumulate, gather, part, read, set, update,
    val, write,
};
use sim_core::exec::{Executor, Sequential};
use sim_core::graph::validate::validate;
use sim_core::graph::{Assignment, ComponentTag, Recorder, Recording, Sums};

const TAG: ComponentTag = ComponentTag(0);
const STEPS: u32 = 5;
const LEN: usize = 3;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % n as u64) as usize
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Bounded, so that nothing overflows, and sensitive to the last bit of its argument.
fn squash(v: f64) -> f64 {
    v / (1.0 + v.abs())
}

#[derive(Clone, Copy)]
struct Object {
    id: ObjectId,
    x: Data<f64>,
    x_next: Data<f64>,
    f: Data<f64>,
    q: Data<f64>,
    /// Only joint tasks write it.
    joint: Data<f64>,
}

impl Object {
    fn any(&self, random: &mut Random) -> Data<f64> {
        [self.x, self.f, self.q, self.joint][random.below(4)]
    }
}

struct World {
    objects: Vec<Object>,
    dt: StepParameter<f64>,
}

fn world(store: &mut Store, n: usize) -> World {
    let objects = (0..n)
        .map(|i| {
            let id = ObjectId(i as u32);
            let values: Vec<f64> =
                (0..LEN).map(|k| squash(0.37 * i as f64 + 0.11 * k as f64 - 0.5)).collect();
            let (x, x_next) = store.create_state("x", id, values.clone());
            let mut scratch = |name: &str| store.create(name, id, Role::Scratch, values.clone());
            Object { id, x, x_next, f: scratch("f"), q: scratch("q"), joint: scratch("joint") }
        })
        .collect();
    World { objects, dt: store.parameter("dt", 0.01) }
}

fn two(random: &mut Random, n: usize) -> (usize, usize) {
    let a = random.below(n);
    let b = (a + 1 + random.below(n - 1)) % n;
    (a.min(b), a.max(b))
}

/// One random sweep.
fn sweep(rec: &mut Recorder<'_>, world: &World, random: &mut Random, alpha: Scalar<f64>) {
    let objects = &world.objects;
    let n = objects.len();
    rec.sweep("sweep");
    for _ in 0..1 + random.below(2 * n) {
        let o = objects[random.below(n)];
        let other = objects[random.below(n)];
        let from = other.any(random);
        let c = 0.1 + 0.07 * random.below(9) as f64;
        match random.below(10) {
            0..=2 => {
                let to = [o.f, o.q][random.below(2)];
                if to != from {
                    rec.own(
                        "update",
                        TAG,
                        o.id,
                        (update(to), read(from), val(alpha)),
                        move |(to, from, alpha)| {
                            to.iter_mut().zip(from).for_each(|(t, v)| *t = squash(*t + c * v + 0.01 * alpha));
                        },
                    );
                }
            }
            3 => {
                let to = [o.f, o.q][random.below(2)];
                if to != from {
                    let dt = world.dt;
                    rec.own("write", TAG, o.id, (write(to), read(from), val(dt)), move |(to, from, dt)| {
                        to.iter_mut().zip(from).for_each(|(t, v)| *t = squash(c + v * (1.0 + dt)));
                    });
                }
            }
            4 => {
                if other.f != from {
                    rec.own("add", TAG, o.id, (accumulate(other.f), read(from)), move |(mut f, from)| {
                        (0..LEN).for_each(|i| f.add(i, 0.1 * c * from[i]));
                    });
                }
            }
            5 => {
                let (a, b) = two(random, n);
                let (a, b) = (objects[a], objects[b]);
                rec.joint(
                    "make",
                    TAG,
                    (a.id, b.id),
                    (write(a.joint), read(a.x), read(b.x)),
                    move |(to, xa, xb)| {
                        (0..LEN).for_each(|i| to[i] = squash(xa[i] - c * xb[i]));
                    },
                );
            }
            6 if n > 2 => {
                let (a, b) = two(random, n);
                let (a, b, third) = (objects[a], objects[b], objects[random.below(n)]);
                if third.id != a.id && third.id != b.id {
                    let accesses = (accumulate(a.f), accumulate(b.f), accumulate(third.f), read(third.x));
                    rec.joint("add three", TAG, (a.id, b.id), accesses, move |(mut a, mut b, mut t, x)| {
                        (0..LEN).for_each(|i| {
                            a.add(i, c * x[i]);
                            b.add(i, -c * x[LEN - 1 - i]);
                            t.add(i, 0.3 * c);
                        });
                    });
                }
            }
            _ => {
                let (a, b) = two(random, n);
                let (a, b) = (objects[a], objects[b]);
                let accesses = (accumulate(a.f), accumulate(b.f), read(a.q), read(b.q), val(alpha));
                rec.joint("pair", TAG, (a.id, b.id), accesses, move |(mut fa, mut fb, xa, xb, alpha)| {
                    (0..LEN).for_each(|i| {
                        let v = squash(c * (xa[i] - xb[i]) + 0.1 * alpha);
                        fa.add(i, -v);
                        fa.add(0, 0.3 * v);
                        fb.add(i, v);
                    });
                });
            }
        }
    }
}

/// A dot product, a scalar made of it, and a condition that is true in some iterations.
fn dot(rec: &mut Recorder<'_>, world: &World, random: &mut Random, alpha: Scalar<f64>, stop: Scalar<bool>) {
    let dot = rec.dot("dot");
    rec.sweep("dot");
    for object in &world.objects {
        match random.below(8) {
            0 => {}
            1..=4 => rec.dot_product(dot, TAG, object.id, object.q, object.f),
            _ => rec.own(
                "part",
                TAG,
                object.id,
                (part(dot, object.id), read(object.x), read(object.f)),
                |(p, x, f)| {
                    p[0] = x[0] * f[1] + 0.1;
                },
            ),
        }
    }
    let threshold = 0.6 + 0.1 * random.below(5) as f64;
    rec.scalar("alpha", TAG, (gather(dot), set(alpha), set(stop)), move |(sum, alpha, stop)| {
        *alpha = squash(sum);
        *stop = (sum * 97.0).fract().abs() > threshold;
    });
}

fn block(rec: &mut Recorder<'_>, world: &World, random: &mut Random, alpha: Scalar<f64>, depth: u32) {
    let stop = rec.scalar_value::<bool>();
    for _ in 0..1 + random.below(4) {
        match random.below(6) {
            0 => dot(rec, world, random, alpha, stop),
            1 | 2 if depth < 2 => {
                let limit = rec.scalar_value::<u32>();
                let most = random.below(6) as u32;
                rec.scalar("limit", TAG, (set(limit), val(alpha)), move |(limit, alpha)| {
                    *limit = most + u32::from(alpha > 0.0);
                });
                rec.begin_loop(limit);
                for _ in 0..1 + random.below(3) {
                    sweep(rec, world, random, alpha);
                    if random.chance(50) {
                        dot(rec, world, random, alpha, stop);
                        rec.break_if(stop);
                    }
                    if random.chance(25) {
                        block(rec, world, random, alpha, depth + 1);
                    }
                }
                rec.end_loop();
            }
            _ => sweep(rec, world, random, alpha),
        }
    }
}

fn record(store: &mut Store, world: &World, seed: u64, n_groups: usize) -> Recording {
    let mut random = Random(seed | 1);
    let mut rec = Recorder::new(store);
    if random.chance(20) {
        rec.set_sums(Sums::Sofa);
    }
    let alpha = rec.scalar_value::<f64>();
    sweep(&mut rec, world, &mut random, alpha);
    for _ in 0..n_groups {
        rec.begin_group("group");
        let alpha = rec.scalar_value::<f64>();
        block(&mut rec, world, &mut random, alpha, 0);
        rec.end_group();
        let of_step = rec.scalar_value::<f64>();
        block(&mut rec, world, &mut random, of_step, 0);
    }
    rec.sweep("integrate");
    for object in &world.objects {
        let accesses = (write(object.x_next), read(object.x), read(object.f), read(object.q));
        rec.own("integrate", TAG, object.id, accesses, |(next, x, f, q)| {
            (0..LEN).for_each(|i| next[i] = squash(x[i] + 0.3 * f[i] - 0.2 * q[i]));
        });
        rec.own("damp", TAG, object.id, (update(object.f),), |(f,)| {
            f.iter_mut().for_each(|f| *f = squash(*f))
        });
    }
    rec.finish()
}

fn bits(store: &Store, world: &World) -> Vec<u64> {
    let all = world.objects.iter().flat_map(|o| [o.x, o.f, o.q, o.joint]);
    let values: Vec<f64> = all.flat_map(|d| store.read(d).to_vec()).collect();
    assert!(values.iter().all(|v| v.is_finite()), "equality of non-finite values proves nothing");
    values.into_iter().map(f64::to_bits).collect()
}

/// The bits after each step, and the words of all scalars.
fn simulate(
    exec: &mut dyn Executor,
    recording: Recording,
    schedule: Arc<sim_core::graph::Schedule>,
    store: &mut Store,
    world: &World,
) -> Vec<Vec<u64>> {
    let recording = Arc::new(recording);
    let plan = exec.load_plan(None, recording.clone(), schedule, store).unwrap();
    (0..STEPS)
        .map(|step| {
            store.set_parameter(world.dt, 0.01 * f64::from(step));
            exec.run(plan, store).unwrap();
            store.swap_states();
            let mut all = bits(store, world);
            for (g, group) in recording.program.groups.iter().enumerate() {
                all.extend(
                    (0..group.scalars).map(|i| exec.word(plan, sim_core::graph::GroupId(g as u32), i)),
                );
            }
            all
        })
        .collect()
}

/// As [`simulate`], with buffers moved to other workers' memory before each step, and the plan changed for another
/// assignment half of the time.
fn simulate_moving(
    exec: &mut Replay,
    recording: Recording,
    schedules: &[Arc<sim_core::graph::Schedule>],
    store: &mut Store,
    world: &World,
    random: &mut Random,
) -> Vec<Vec<u64>> {
    let recording = Arc::new(recording);
    let mut plan = None;
    (0..STEPS)
        .map(|step| {
            let schedule = schedules[random.below(schedules.len())].clone();
            let at = exec.load_plan(plan, recording.clone(), schedule.clone(), store).unwrap();
            plan = Some(at);
            let mut moves = Vec::new();
            for data in 0..store.n_data() as u32 {
                if random.chance(60) {
                    let worker = schedule.assignment.worker(store.info(data).object);
                    moves.push(Move { worker, data, node: worker });
                }
            }
            store.relocate(&moves, |copy| exec.on_workers(copy));
            let placed = moves.iter().filter(|m| store.is_movable(m.data));
            assert!(placed.clone().all(|m| store.home(m.data) == Some(m.node)));
            store.set_parameter(world.dt, 0.01 * f64::from(step));
            exec.run(at, store).unwrap();
            store.swap_states();
            bits(store, world)
        })
        .collect()
}

fn check_moving(seed: u64, n: usize, n_groups: usize, workers: u32, mode: Accumulation) {
    let mut store = Store::new();
    let w = world(&mut store, n);
    let recording = record(&mut store, &w, seed, n_groups);
    let schedules: Vec<_> = (0..2)
        .map(|k| Arc::new(lower(&recording.program, &assignment(seed + k, n, workers), mode)))
        .collect();
    let expected = simulate(&mut Sequential::new(), recording, schedules[0].clone(), &mut store, &w);
    let mut store = Store::new();
    let w = world(&mut store, n);
    let recording = record(&mut store, &w, seed, n_groups);
    let mut replay = Replay::new(&Options { threads: 2, ..Options::new(workers) });
    let found = simulate_moving(&mut replay, recording, &schedules, &mut store, &w, &mut Random(seed | 1));
    for (step, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!(
            found[..] == expected[..found.len()],
            "step {step}, seed {seed}, {workers} workers, {mode:?}"
        );
    }
}

fn assignment(seed: u64, n: usize, workers: u32) -> Assignment {
    let mut random = Random(seed.rotate_left(17) | 1);
    let mut assignment = Assignment::new(workers);
    (0..n as u32).for_each(|i| assignment.set(ObjectId(i), random.below(workers as usize) as u32));
    assignment
}

fn check(seed: u64, n: usize, n_groups: usize, workers: u32, mode: Accumulation, threads: &[usize]) {
    let mut store = Store::new();
    let w = world(&mut store, n);
    let recording = record(&mut store, &w, seed, n_groups);
    let schedule = Arc::new(lower(&recording.program, &assignment(seed, n, workers), mode));
    validate(&recording.program, &schedule).unwrap();
    let expected = simulate(&mut Sequential::new(), recording, schedule.clone(), &mut store, &w);
    let fresh = || {
        let mut store = Store::new();
        let w = world(&mut store, n);
        let recording = record(&mut store, &w, seed, n_groups);
        (store, w, recording)
    };
    for &threads in threads {
        for switch_seed in [None, Some(seed)] {
            let (mut store, w, recording) = fresh();
            let options = Options { threads, switch_seed, adapt: false, ..Options::new(workers) };
            let found = simulate(&mut Replay::new(&options), recording, schedule.clone(), &mut store, &w);
            assert!(
                found == expected,
                "replay, seed {seed}, {workers} workers, {threads} threads, {mode:?}, {switch_seed:?}"
            );
        }
    }
    for &threads in threads {
        let (mut store, w, recording) = fresh();
        let options = Options { threads, adapt: false, ..Options::new(workers) };
        let found = simulate(&mut Stealing::new(&options), recording, schedule.clone(), &mut store, &w);
        assert!(found == expected, "stealing, seed {seed}, {threads} threads");
        let (mut store, w, recording) = fresh();
        let found = simulate(&mut ForkJoin::new(&options), recording, schedule.clone(), &mut store, &w);
        assert!(found == expected, "fork-join, seed {seed}, {threads} threads");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_executor_gives_the_bits_of_the_sequential_one(
        seed in any::<u64>(), n in 2usize..7, n_groups in 0usize..3, workers in 1u32..5, logged in any::<bool>(),
    ) {
        let mode = if logged { Accumulation::Reduce } else { Accumulation::Mirror };
        check(seed, n, n_groups, workers, mode, &[1, 2]);
    }

    #[test]
    fn buffers_may_move_between_any_two_steps(
        seed in 0..u64::MAX - 1, n in 2usize..7, n_groups in 0usize..3, workers in 1u32..5, logged in any::<bool>(),
    ) {
        let mode = if logged { Accumulation::Reduce } else { Accumulation::Mirror };
        check_moving(seed, n, n_groups, workers, mode);
    }
}

#[test]
fn a_schedule_is_a_function_of_program_and_assignment() {
    for seed in 1..20 {
        let mut store = Store::new();
        let w = world(&mut store, 5);
        let first = record(&mut store, &w, seed, 2).program;
        let second = record(&mut store, &w, seed, 2).program;
        assert_eq!(first, second);
        let assignment = assignment(seed, 5, 3);
        let (a, b) =
            (lower(&first, &assignment, Accumulation::Auto), lower(&second, &assignment, Accumulation::Auto));
        assert_eq!(a, b);
        assert_eq!(a.fingerprint(), b.fingerprint());
    }
}
