//! The engine's own cost: empty tasks in the shape of a conjugate gradient solve (40 objects, 60 contacts, 50
//! iterations), and building plans. Times are per step; divide by the number of tasks that is printed.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use engine::data::{Data, ObjectId, Role, Store, accumulate, gather, part, read, set, update, val, write};
use engine::exec::{Executor, Sequential};
use engine::graph::{ComponentTag, Recorder, Recording};
use executors::{Options, Replay, Stealing};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};

const TAG: ComponentTag = ComponentTag(0);
const OBJECTS: usize = 40;
const CONTACTS: usize = 60;
const ITERATIONS: u32 = 50;

struct Body {
    id: ObjectId,
    x: Data<f64>,
    v: Data<f64>,
    p: Data<f64>,
    q: Data<f64>,
    r: Data<f64>,
}

fn bodies(store: &mut Store) -> Vec<Body> {
    (0..OBJECTS)
        .map(|i| {
            let id = ObjectId(i as u32);
            let mut data = |name: &str| store.create(name, id, Role::Scratch, vec![0.0; 8]);
            Body { id, x: data("x"), v: data("v"), p: data("p"), q: data("q"), r: data("r") }
        })
        .collect()
}

/// A step of empty kernels; `built` ones keep their parameters alive.
fn record(store: &mut Store, bodies: &[Body]) -> Recording {
    let mut rec = Recorder::new(store);
    rec.begin_group("cg");
    let (limit, rho, alpha, stop) = (
        rec.scalar_value::<u32>(),
        rec.scalar_value::<f64>(),
        rec.scalar_value::<f64>(),
        rec.scalar_value::<bool>(),
    );
    rec.scalar("limit", TAG, (set(limit),), |(limit,)| *limit = ITERATIONS);
    rec.begin_loop(limit);
    let own = |rec: &mut Recorder<'_>, name: &'static str, pick: fn(&Body) -> (Data<f64>, Data<f64>)| {
        rec.sweep(name);
        for body in bodies {
            let (to, from) = pick(body);
            rec.own(name, TAG, body.id, (update(to), read(from), val(alpha)), |params| {
                black_box(params);
            });
        }
    };
    for (name, from) in [("rr", 0), ("pq", 1)] {
        if name == "pq" {
            own(&mut rec, "p", |b| (b.p, b.r));
            rec.sweep("addMDx");
            for body in bodies {
                rec.own("addMDx", TAG, body.id, (write(body.q), read(body.p)), |params| {
                    black_box(params);
                });
            }
            rec.sweep("addDForce");
            for i in 0..CONTACTS {
                let (a, b) = (&bodies[i % OBJECTS], &bodies[(i + 1 + i / OBJECTS) % OBJECTS]);
                let accesses = (accumulate(a.q), accumulate(b.q), read(a.p), read(b.p));
                rec.joint("contact", TAG, (a.id, b.id), accesses, |(mut fa, mut fb, pa, pb)| {
                    fa.add(0, pa[0]);
                    fb.add(0, pb[0]);
                });
            }
            own(&mut rec, "project", |b| (b.q, b.x));
        }
        let dot = rec.dot(name);
        rec.sweep(name);
        for body in bodies {
            let of = if from == 0 { body.r } else { body.q };
            rec.own(name, TAG, body.id, (part(dot, body.id), read(of)), |(out, v)| out[0] = v[0]);
        }
        rec.scalar(name, TAG, (gather(dot), set(rho), set(alpha), set(stop)), |(sum, rho, alpha, stop)| {
            *rho = sum;
            *alpha = sum;
            *stop = sum.is_nan();
        });
        rec.break_if(stop);
    }
    own(&mut rec, "x", |b| (b.v, b.p));
    own(&mut rec, "r", |b| (b.r, b.q));
    rec.end_loop();
    rec.end_group();
    rec.finish()
}

fn planner(workers: u32) -> Planner {
    let accumulation = Accumulation::Auto;
    Planner::new(PlannerOptions { workers, partitioner: Partitioner::Metis, accumulation })
}

fn engine(c: &mut Criterion) {
    let mut store = Store::new();
    let bodies = bodies(&mut store);
    let recording = Arc::new(record(&mut store, &bodies));
    let per_step = (recording.program.n_tasks() - 1) * ITERATIONS as usize;
    println!("{per_step} tasks per step, {} recorded", recording.program.n_tasks());
    let mut group = c.benchmark_group("step_of_empty_tasks");
    group.sample_size(30);
    let mut run = |name: &str, exec: &mut dyn Executor, workers: u32| {
        let schedule = Arc::new(planner(workers).plan(&recording.program, &store).0);
        if workers > 1 {
            println!("{name}: {:?}", schedule.counts(&recording.program));
        }
        let plan = exec.load_plan(None, recording.clone(), schedule, &mut store).expect("a plan that fits");
        group.bench_function(name, |b| b.iter(|| exec.run(plan, &mut store).expect("no failure")));
    };
    run("sequential", &mut Sequential::new(), 1);
    run("replay_1", &mut Replay::new(&Options::new(1)), 1);
    run("replay_2", &mut Replay::new(&Options::new(2)), 2);
    run("replay_4_on_1_thread", &mut Replay::new(&Options { threads: 1, ..Options::new(4) }), 4);
    run("stealing_1", &mut Stealing::new(&Options::new(1)), 1);
    group.finish();
    let mut group = c.benchmark_group("build");
    group.sample_size(30);
    group.bench_function("record", |b| b.iter(|| record(&mut store, &bodies)));
    for workers in [1, 2, 4] {
        let mut planner = planner(workers);
        planner.plan(&recording.program, &store);
        group.bench_function(format!("lower_{workers}"), |b| {
            b.iter(|| planner.plan(&recording.program, &store))
        });
        let schedule = Arc::new(planner.plan(&recording.program, &store).0);
        let mut replay = Replay::new(&Options { threads: 1, ..Options::new(workers) });
        let plan = replay
            .load_plan(None, recording.clone(), schedule.clone(), &mut store)
            .expect("a plan that fits");
        group.bench_function(format!("load_{workers}"), |b| {
            b.iter(|| replay.load_plan(Some(plan), recording.clone(), schedule.clone(), &mut store));
        });
    }
    group.finish();
}

criterion_group!(benches, engine);
criterion_main!(benches);
