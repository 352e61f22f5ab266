//! What it costs to update a plan when a pair begins to touch, beside building the plan anew, for 10 to 1,000 objects; and
//! what it costs when two groups merge and split again; and the memory of a plan per task.
//!
//! `cargo bench -p benches --bench updates` prints a table; numbers of objects may follow `--`. All is done in turns within one run; medians count.

#[path = "updates/bytes.rs"]
mod bytes;

use std::sync::Arc;
use std::time::Instant;

use engine::data::{Data, ObjectId, Role, Store, accumulate, gather, part, read, set, update, val, write};
use engine::exec::{Executor, PlanId};
use engine::graph::splice::SpliceOp;
use engine::graph::{Assignment, ComponentTag, GroupId, Place, Recorder, RecorderMemory, Recording};
use executors::{Options, Replay};
use partition::control::{Accumulation, Ledger, Splice, lower_with_ledger};

const TAG: ComponentTag = ComponentTag(0);
const GROUP: GroupId = GroupId(1);
const OTHER: GroupId = GroupId(2);
const MODE: Accumulation = Accumulation::Mirror;
const ROUNDS: usize = 61;

#[derive(Clone, Copy)]
struct Body {
    id: ObjectId,
    data: [Data<f64>; 5],
}

fn bodies(store: &mut Store, n: usize) -> Vec<Body> {
    let body = |i: usize| {
        let id = ObjectId(i as u32);
        let mut data = |name: &str| store.create(name, id, Role::Scratch, vec![0.1; 8]);
        Body { id, data: [data("x"), data("v"), data("p"), data("q"), data("r")] }
    };
    (0..n).map(body).collect()
}

/// A group in the shape of an implicit step with a conjugate gradient: 13 tasks per object, 2 per pair.
fn record_group(rec: &mut Recorder<'_>, bodies: &[Body], pairs: &[(Body, Body)]) {
    let (limit, rho) = (rec.scalar_value::<u32>(), rec.scalar_value::<f64>());
    let stop = rec.scalar_value::<bool>();
    let own = |rec: &mut Recorder<'_>, name: &'static str, to: usize, from: usize| {
        rec.sweep(name);
        for b in bodies {
            rec.own(
                name,
                TAG,
                b.id,
                (update(b.data[to]), read(b.data[from]), val(rho)),
                |(to, from, rho)| {
                    to[0] += 1e-3 * from[0] * rho;
                },
            );
        }
    };
    let joint = |rec: &mut Recorder<'_>, name: &'static str| {
        rec.sweep(name);
        for b in bodies {
            rec.own(name, TAG, b.id, (write(b.data[3]), read(b.data[2])), |(q, p)| q.copy_from_slice(p));
        }
        for (a, b) in pairs {
            let accesses = (accumulate(a.data[3]), accumulate(b.data[3]), read(a.data[2]), read(b.data[2]));
            rec.joint(name, TAG, (a.id, b.id), accesses, |(mut fa, mut fb, pa, pb)| {
                fa.add(0, 1e-3 * (pb[0] - pa[0]));
                fb.add(0, 1e-3 * (pa[0] - pb[0]));
            });
        }
    };
    let dot = |rec: &mut Recorder<'_>, name: &'static str, of: usize| {
        let dot = rec.dot(name);
        rec.sweep(name);
        for b in bodies {
            rec.own(name, TAG, b.id, (part(dot, b.id), read(b.data[of])), |(out, v)| out[0] = v[0] * v[0]);
        }
        rec.scalar(name, TAG, (gather(dot), set(rho), set(stop)), |(sum, rho, stop)| {
            *rho = sum / (1.0 + sum);
            *stop = sum.is_nan();
        });
        rec.break_if(stop);
    };
    rec.scalar("limit", TAG, (set(limit),), |(limit,)| *limit = 3);
    joint(rec, "add_force");
    own(rec, "right_hand_side", 4, 3);
    own(rec, "begin", 2, 4);
    rec.begin_loop(limit);
    dot(rec, "rr", 4);
    own(rec, "direction", 2, 4);
    joint(rec, "add_d_force");
    own(rec, "project", 3, 0);
    dot(rec, "pq", 3);
    own(rec, "advance_x", 1, 2);
    own(rec, "advance_r", 4, 3);
    rec.end_loop();
    own(rec, "velocity", 1, 2);
    own(rec, "position", 0, 1);
}

/// Objects of a group, its number, and the pairs in it.
type Part<'a> = (GroupId, &'a [Body], &'a [(Body, Body)]);

fn record(
    store: &mut Store,
    parts: &[Part<'_>],
    memory: RecorderMemory,
    own_tasks: bool,
) -> (Recording, RecorderMemory) {
    let mut rec = Recorder::with_memory(store, memory);
    rec.keep_own_tasks(own_tasks);
    for (id, bodies, pairs) in parts {
        rec.begin_group_as(*id, id.0, "group");
        record_group(&mut rec, bodies, pairs);
        rec.end_group();
    }
    rec.finish_with_memory()
}

/// A loaded plan with what is needed to change it.
struct World {
    store: Store,
    bodies: Vec<Body>,
    replay: Replay,
    plan: PlanId,
    ledger: Ledger,
    memory: RecorderMemory,
}

fn assignment(n: usize) -> Assignment {
    let mut assignment = Assignment::new(2);
    (0..n as u32).for_each(|i| assignment.set(ObjectId(i), u32::from(i as usize >= n / 2)));
    assignment
}

impl World {
    /// A chain of `n` objects, of which the last `apart` are a group of their own; half of them on either worker. Also gives
    /// the time of building [ns].
    fn new(n: usize, apart: usize) -> (Self, f64) {
        let mut store = Store::new();
        let bodies = bodies(&mut store, n);
        let (near, far) = bodies.split_at(n - apart);
        let pairs = |of: &[Body]| -> Vec<(Body, Body)> { of.windows(2).map(|w| (w[0], w[1])).collect() };
        let (near_pairs, far_pairs) = (pairs(near), pairs(far));
        let mut parts: Vec<Part<'_>> = vec![(GROUP, near, &near_pairs)];
        if apart > 0 {
            parts.push((OTHER, far, &far_pairs));
        }
        let mut replay = Replay::new(&Options { threads: 1, checked: false, ..Options::new(2) });
        // Twice: only then is all memory there.
        let mut build_ns = 0.0;
        let mut built = None;
        let mut memory = RecorderMemory::default();
        for _ in 0..7 {
            let begin = Instant::now();
            let (recording, kept) = record(&mut store, &parts, memory, true);
            let recording = Arc::new(recording);
            let (schedule, ledger) = lower_with_ledger(&recording.program, &assignment(n), MODE);
            let replaced = built.take().map(|(plan, _)| plan);
            let plan =
                replay.load_plan(replaced, recording, Arc::new(schedule), &mut store).expect("it fits");
            build_ns = begin.elapsed().as_nanos() as f64;
            memory = kept;
            built = Some((plan, ledger.expect("it can be updated")));
        }
        let (plan, ledger) = built.expect("built above");
        (Self { store, bodies, replay, plan, ledger, memory }, build_ns)
    }

    /// Drops the plan; what it held [bytes]: recording, schedule, ledger, and what replay loaded.
    fn drop_plan(self) -> usize {
        let Self { mut replay, plan, ledger, .. } = self;
        let before = bytes::held();
        replay.unload(plan);
        drop(ledger);
        before - bytes::held()
    }

    /// Does operations with parts that are recorded for them; the time [ns].
    fn update(&mut self, parts: &[Part<'_>], ops: &[SpliceOp]) -> f64 {
        let begin = Instant::now();
        let (parts, memory) = record(&mut self.store, parts, std::mem::take(&mut self.memory), false);
        let Self { store, replay, plan, ledger, .. } = self;
        let edit = &mut |recording: &mut Recording, schedule: &mut _, delta: &mut _| {
            let mut splice = Splice::new(recording, schedule, Some(&mut *ledger), delta, MODE);
            splice.apply(ops, &parts);
            splice.finish().expect("a change that can be spliced");
        };
        replay.update_plan(*plan, store, edit).expect("nobody else holds the plan");
        self.memory = memory;
        self.memory.take_back(parts);
        begin.elapsed().as_nanos() as f64
    }

    /// A pair comes and goes; the times [ns].
    fn pair(&mut self, a: usize, b: usize) -> (f64, f64) {
        let (first, second) = (self.bodies[a], self.bodies[b]);
        let place = Place::Joint(first.id, second.id);
        let came = self.update(
            &[(GROUP, &[first, second], &[(first, second)])],
            &[SpliceOp::Adopt { group: GROUP, place }],
        );
        let went = self.update(&[], &[SpliceOp::Remove { group: GROUP, place }]);
        (came, went)
    }

    /// The last `apart` objects join the others' group, and leave again; the times [ns].
    fn merge(&mut self, apart: usize) -> (f64, f64) {
        let n = self.bodies.len();
        let far: Vec<Body> = self.bodies[n - apart..].to_vec();
        let near = self.bodies[0];
        let units: Vec<Place> = far
            .iter()
            .map(|b| Place::Own(b.id))
            .chain(far.windows(2).map(|w| Place::Joint(w[0].id, w[1].id)))
            .collect();
        let transfers = |from, to| units.iter().map(move |&place| SpliceOp::Transfer { from, to, place });
        let mut ops: Vec<SpliceOp> = transfers(OTHER, GROUP).collect();
        ops.push(SpliceOp::RemoveGroup { group: OTHER });
        ops.push(SpliceOp::Renew { group: GROUP, order: GROUP.0 });
        let merged = self.update(&[(GROUP, &[near], &[])], &ops);
        let mut ops = vec![SpliceOp::AddGroup { group: OTHER, order: OTHER.0 }];
        ops.extend(transfers(GROUP, OTHER));
        ops.push(SpliceOp::Renew { group: GROUP, order: GROUP.0 });
        ops.push(SpliceOp::Renew { group: OTHER, order: OTHER.0 });
        let split = self.update(&[(GROUP, &[near], &[]), (OTHER, &far[..1], &[])], &ops);
        (merged, split)
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    println!(
        "{:>7} {:>10} {:>8} {:>10}  {:>9} {:>9} {:>7}  {:>9} {:>9} {:>7}  {:>10} {:>10}",
        "objects",
        "build us",
        "ns/task",
        "bytes/task",
        "uncut+ us",
        "uncut- us",
        "share",
        "cut+ us",
        "cut- us",
        "share",
        "merge us",
        "split us"
    );
    let asked: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![10, 30, 100, 200, 300, 1000] } else { asked };
    for n in sizes {
        let (mut world, _) = World::new(n, 0);
        let mut builds = Vec::new();
        let (mut uncut, mut cut) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            if round % 10 == 0 {
                builds.push(World::new(n, 0).1);
            }
            let k = round % (n / 2 - 3);
            uncut.push(world.pair(k, k + 2));
            cut.push(world.pair(k, n - 1 - k));
        }
        let apart = (n / 10).max(2);
        let (mut world_of_two, _) = World::new(n, apart);
        let moves: Vec<(f64, f64)> = (0..ROUNDS).map(|_| world_of_two.merge(apart)).collect();
        let build = median(builds);
        let of = |all: &[(f64, f64)], came: bool| {
            median(all.iter().map(|t| if came { t.0 } else { t.1 }).collect()) / 1e3
        };
        let tasks = world.replay.recording(world.plan).program.n_tasks();
        let share = |us: f64| format!("{:.2} %", 100.0 * us * 1e3 / build);
        println!(
            "{n:>7} {:>10.0} {:>8.0} {:>10.0}  {:>9.1} {:>9.1} {:>7}  {:>9.1} {:>9.1} {:>7}  {:>10.1} {:>10.1}",
            build / 1e3,
            build / tasks as f64,
            World::new(n, 0).0.drop_plan() as f64 / tasks as f64,
            of(&uncut, true),
            of(&uncut, false),
            share(of(&uncut, true)),
            of(&cut, true),
            of(&cut, false),
            share(of(&cut, true)),
            of(&moves, true),
            of(&moves, false),
        );
    }
    println!("(share: of building anew; merge and split: a tenth of the objects changes its group)");
}
