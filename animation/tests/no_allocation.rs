//! A replayed frame allocates nothing.
//!
//! A program of its own without the test harness, so that nothing else allocates meanwhile.

#[path = "../../engine/tests/support/counting.rs"]
mod counting;

use std::sync::Arc;

use counting::counted;
use engine::data::Store;
use engine::exec::{Executor, Sequential};
use executors::{Options, Replay};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};
use weft_animation::event::generate::{scene_1, scene_2, scene_3};
use weft_animation::event::nodes::BuiltIn;
use weft_animation::event::runtime::{EventGraph, EventOptions, Mode, Next, Strategy};

fn main() {
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
