//! An emitter that knows nothing of mechanics, on the engine alone: an event graph, replayed by each executor.
//!
//! Sensors count what happens. A router, which stands for a library that is not reentrant, turns counts into events. Actors that
//! an event reaches settle in a loop, unless nobody looks, and ask for a plan that takes longer than a step. The window is bound
//! to the caller's thread.

use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use engine::data::{
    Data, DataList, Due, LongWork, ObjectId, Resource, Role, StepParameter, Store, begin_work, exclusive,
    gather, part, read, read_all, result_of, set, update, val, when, write,
};
use engine::exec::{Executor, Sequential};
use engine::graph::{ComponentTag, Recorder, Recording};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};
use weft_executors::{ForkJoin, Options, Replay, Stealing};

const ACTORS: u32 = 6;
const WINDOW: ObjectId = ObjectId(ACTORS);
const STEPS: u64 = 40;
/// Steps until a plan is there.
const AHEAD: u32 = 4;

/// Where the window was drawn.
static DRAWN: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());

#[derive(Clone, Copy)]
struct Actor {
    id: ObjectId,
    pose: Data<f64>,
    next: Data<f64>,
    target: Data<f64>,
    count: Data<u32>,
    has_event: Data<bool>,
    plan: LongWork<[f64; 2], Vec<f64>>,
}

struct Graph {
    store: Store,
    clock: StepParameter<u64>,
    actors: Vec<Actor>,
    poses: DataList<f64>,
    picture: Data<f64>,
    router: Resource,
}

fn graph() -> Graph {
    let mut store = Store::new();
    let clock = store.parameter("step", 0_u64);
    let actor = |store: &mut Store, k: u32| {
        let id = ObjectId(k);
        let (pose, next) = store.create_state("pose", id, vec![f64::from(k), 0.0, 1.0]);
        let due = Due { clock, after: AHEAD };
        let plan = store.long_work("plan", id, due, ([0.0; 2], vec![0.0; 3]), |[from, to], way, wanted| {
            for (turn, way) in (0..3).zip(way) {
                if !wanted.is_wanted() {
                    return;
                }
                // Long enough to last longer than a step, now and then.
                *way = (0..2000).fold(*from, |at, _| at + 1e-3 * (to - at) * f64::from(turn + 1));
            }
        });
        Actor {
            id,
            pose,
            next,
            target: store.create("target", id, Role::Scratch, vec![0.0]),
            count: store.create("count", id, Role::Scratch, vec![0]),
            has_event: store.create("event", id, Role::Scratch, vec![false]),
            plan,
        }
    };
    let actors: Vec<Actor> = (0..ACTORS).map(|k| actor(&mut store, k)).collect();
    let poses = store.list(&actors.iter().map(|a| a.pose).collect::<Vec<_>>());
    let picture = store.create("picture", WINDOW, Role::Scratch, vec![0.0; ACTORS as usize]);
    let router = store.resource("router");
    store.bind_to_worker(WINDOW, 0);
    Graph { store, clock, actors, poses, picture, router }
}

fn record(graph: &mut Graph) -> Recording {
    let Graph { store, clock, actors, poses, picture, router } = graph;
    let (clock, router) = (*clock, *router);
    let mut rec = Recorder::new(store);
    rec.begin_group("events");
    let tag = |a: &Actor| ComponentTag(a.id.0);
    rec.sweep("sense");
    for a in &*actors {
        let k = u64::from(a.id.0);
        rec.own("sense", tag(a), a.id, (update(a.count), val(clock)), move |(count, step)| {
            count[0] += u32::from((step * (k + 3)).is_multiple_of(7));
        });
        let accesses = (write(a.has_event), read(a.count), exclusive(router));
        rec.own("route", tag(a), a.id, accesses, |(event, count, ())| event[0] = count[0] % 3 == 1);
    }
    rec.sweep("receive");
    for a in &*actors {
        let accesses = (update(a.target), read(a.count), when(a.has_event));
        rec.own("receive", tag(a), a.id, accesses, |(target, count, ())| {
            target[0] = f64::from(count[0]).sin();
        });
        let accesses = (begin_work(a.plan), read(a.pose), read(a.target), when(a.has_event));
        rec.own("plan", tag(a), a.id, accesses, |(mut start, pose, target, ())| {
            start.begin(|input| *input = [pose[0], target[0]]);
        });
    }
    rec.sweep("stay");
    for a in &*actors {
        rec.own("stay", tag(a), a.id, (write(a.next), read(a.pose)), |(next, pose)| {
            next.copy_from_slice(pose);
        });
    }
    // Nobody looks in every fourth step.
    let looks = rec.scalar_value::<bool>();
    let accesses = (set(looks), val(clock));
    rec.scalar("looks", ComponentTag(90), accesses, |(looks, step)| *looks = step % 4 != 3);
    rec.begin_if(looks);
    let (most, is_settled) = (rec.scalar_value::<u32>(), rec.scalar_value::<bool>());
    rec.scalar("most", ComponentTag(91), (set(most),), |(most,)| *most = 12);
    rec.begin_loop(most);
    rec.sweep("settle");
    for a in &*actors {
        let accesses = (update(a.next), read(a.target), result_of(a.plan));
        rec.own("settle", tag(a), a.id, accesses, |(next, target, plan)| {
            let ahead = plan.as_deref().map_or(0.0, |plan| plan[2]);
            next[0] += 0.3 * (target[0] + 0.1 * ahead - next[0]);
            next[1] = 0.5 * (next[1] + next[0]);
        });
    }
    let motion = rec.dot("motion");
    rec.sweep("measure");
    for a in &*actors {
        let accesses = (part(motion, a.id), read(a.next), read(a.target));
        rec.own("measure", tag(a), a.id, accesses, |(sum, next, target)| {
            sum[0] = (next[0] - target[0]).powi(2);
        });
    }
    let accesses = (gather(motion), set(is_settled));
    rec.scalar("settled", ComponentTag(92), accesses, |(sum, is_settled)| *is_settled = sum < 1e-2);
    rec.break_if(is_settled);
    rec.end_loop();
    rec.end_if();
    rec.end_group();
    rec.sweep("draw");
    rec.own("draw", ComponentTag(93), WINDOW, (update(*picture), read_all(*poses)), |(picture, poses)| {
        DRAWN.lock().unwrap().push(std::thread::current().id());
        for (picture, pose) in picture.iter_mut().zip(poses.iter()) {
            *picture = 0.5 * *picture + pose[0] + pose[1];
        }
    });
    rec.finish()
}

/// The bits of poses and picture after each step, and those of the scalars.
fn simulate(exec: &mut dyn Executor, workers: u32) -> Vec<Vec<u64>> {
    let mut graph = graph();
    let recording = Arc::new(record(&mut graph));
    let (partitioner, accumulation) = (Partitioner::Metis, Accumulation::Auto);
    let mut planner = Planner::new(PlannerOptions { workers, partitioner, accumulation });
    let schedule = planner.plan(&recording.program, &graph.store).0;
    let plan = exec.load_plan(None, recording.clone(), Arc::new(schedule), &mut graph.store).unwrap();
    let Graph { mut store, clock, actors, picture, .. } = graph;
    (0..STEPS)
        .map(|step| {
            store.set_parameter(clock, step);
            exec.run(plan, &mut store).unwrap();
            store.swap_states();
            let buffers = actors.iter().map(|a| a.pose).chain([picture]);
            let mut bits: Vec<u64> = buffers.flat_map(|b| store.read(b)).map(|v| v.to_bits()).collect();
            for (id, group) in recording.program.groups() {
                bits.extend((0..group.scalars.len() as u32).map(|k| exec.word(plan, id, k)));
            }
            bits
        })
        .collect()
}

#[test]
fn an_event_graph_runs_with_the_same_bits_everywhere() {
    let expected = simulate(&mut Sequential::new(), 1);
    let (first, last) = (&expected[AHEAD as usize], &expected[STEPS as usize - 1]);
    assert!(first != last, "something happens");
    for workers in [1, 2, 3] {
        let options = Options { threads: workers.min(2) as usize, ..Options::new(workers) };
        let switching = Options { switch_seed: Some(7), ..options.clone() };
        let all: [Box<dyn Executor>; 4] = [
            Box::new(Replay::new(&options)),
            Box::new(Replay::new(&switching)),
            Box::new(Stealing::new(&options)),
            Box::new(ForkJoin::new(&options)),
        ];
        for mut exec in all {
            DRAWN.lock().unwrap().clear();
            let found = simulate(&mut *exec, workers);
            assert!(found == expected, "{}, {workers} workers", exec.name());
            let me = std::thread::current().id();
            assert!(DRAWN.lock().unwrap().iter().all(|thread| *thread == me), "{}", exec.name());
        }
    }
}
