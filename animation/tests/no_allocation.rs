//! A replayed frame allocates nothing.
//!
//! A program of its own without the test harness, so that nothing else allocates meanwhile.

#[path = "../../engine/tests/support/counting.rs"]
mod counting;

use std::sync::Arc;

use counting::counted;
use engine::data::Store;
use engine::exec::{Executor, Sequential};
use executors::background::Background;
use executors::{Options, Replay};
use partition::control::Upkeep;
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};
use weft_animation::Backend;
use weft_animation::event::generate::{scene_1, scene_2, scene_3};
use weft_animation::event::nodes::BuiltIn;
use weft_animation::event::runtime::{EventGraph, EventOptions, Mode, Next, Strategy};
use weft_animation::skeleton::{
    Clip, Crowd, Drawn, Influences, Interpolation, Joint, Mesh, Skeleton, Skin, Track, Transform,
};

/// Models of two joints that turn, with a skin on both.
fn crowd(workers: u32) -> Crowd {
    let joint =
        |k: u32| Joint { name: format!("j{k}"), parent: k.checked_sub(1), rest: Transform::default() };
    let skeleton = Arc::new(Skeleton::new((0..2).map(joint).collect()).unwrap().0);
    let keys = vec![[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.6, 0.8]];
    let track = Track::rotation(1, vec![0.0, 1.0], keys, Interpolation::Linear).unwrap();
    let clip = Arc::new(Clip::new("turn", 2, (vec![], vec![track], vec![]), vec![]).unwrap());
    let weights = vec![[0.5, 0.5, 0.0, 0.0]; 100];
    let influences = Influences::new(100, 2, &[(vec![[0, 1, 0, 0]; 100], weights)]).unwrap();
    let mesh = Mesh { skin: Some((0, influences)), positions: vec![[0.0, 1.0, 0.0]; 100], ..Mesh::default() };
    let drawn = Drawn { skins: vec![Skin::new(vec![0, 1], vec![], 2).unwrap()], meshes: vec![mesh] };
    // A team that rests has the plan laid out for one thread, when it may be.
    let options = Options { adapt: false, ..Options::new(workers) };
    let (executor, lower) = (Box::new(Replay::new(&options)), Box::new(Upkeep::new(Accumulation::Auto)));
    let backend = Backend { executor, lower, workers };
    Crowd::drawn(&skeleton, Some(&clip), (&[0.0; 20], 2), &Arc::new(drawn), backend).unwrap()
}

/// Frames of a crowd, beside the host and not, before and after models have come and gone.
fn crowds() {
    for (workers, beside) in [(1, false), (2, false), (1, true), (2, true)] {
        let mut crowd = crowd(workers);
        if beside {
            crowd.compute_beside(Some(Arc::new(Background::new(1))));
        }
        for round in 0..2 {
            let mut frames = |from: u64, to: u64, is_awaited: bool| {
                for frame in from..to {
                    let pending = crowd.begin(1000 * round + frame, 0.01 * frame as f64);
                    // Else the host might do it all while the thread beside begins, which allocates.
                    while is_awaited && !pending.is_over() {
                        std::thread::yield_now();
                    }
                    let seen: f32 = pending.shown().matrices(3).iter().map(|m| m[0][0]).sum();
                    assert!(seen.is_finite());
                    assert!(pending.finish().unwrap() >= 9);
                }
            };
            frames(0, 30, beside);
            let ((), n) = counted(|| frames(30, 60, false));
            assert_eq!(n, 0, "a crowd of {workers} workers, beside: {beside}, round {round}");
            crowd.add(0.5).unwrap();
            crowd.add(0.7).unwrap();
            crowd.remove(4).unwrap();
        }
    }
}

fn main() {
    crowds();
    let levels = EventOptions { mode: Mode::Levels(Strategy::LoopStatic), ..EventOptions::default() };
    for scene in [scene_1(), scene_2(), scene_3(20)] {
        for (options, workers) in [(EventOptions::default(), 1), (EventOptions::default(), 2), (levels, 1)] {
            let mut store = Store::new();
            let mut graph = EventGraph::new(scene.clone(), Box::<BuiltIn>::default(), options);
            graph.begin_frame(&mut store, 0.0);
            let recording = Arc::new(graph.record(&mut store));
            let (partitioner, accumulation) = (Partitioner::Metis, Accumulation::Auto);
            let mut planner = Planner::new(PlannerOptions { workers, partitioner, accumulation });
            let schedule = Arc::new(planner.plan(&recording.program, &store).0);
            let mut executor: Box<dyn Executor> = if workers == 1 {
                Box::new(Sequential::new())
            } else {
                Box::new(Replay::new(&Options::new(workers)))
            };
            let plan = executor.load_plan(None, recording, schedule, &mut store).unwrap();
            let mut frame = |number: u32| {
                graph.begin_frame(&mut store, 0.01 * f64::from(number));
                executor.run(plan, &mut store).unwrap();
                assert_eq!(graph.proceed(&mut store), Next::Done);
                graph.end_frame(&mut store);
            };
            (0..10).for_each(&mut frame);
            let ((), n) = counted(|| (10..30).for_each(frame));
            assert_eq!(n, 0, "{options:?}, {workers} workers");
            assert!(graph.n_deliveries(&store) > 100);
        }
    }
}
