//! A replayed frame allocates nothing.
//!
//! A program of its own without the test harness, whose main thread allocates when it has begun a test.
#![allow(unsafe_code, reason = "a counting allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::data::Store;
use engine::exec::{Executor, Sequential};
use executors::{Options, Replay};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};
use weft_animation::event::generate::{scene_1, scene_2, scene_3};
use weft_animation::event::nodes::BuiltIn;
use weft_animation::event::runtime::{EventGraph, EventOptions, Mode, Next, Strategy};

struct Counting;
static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: forwards to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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
            let mut before = 0;
            for frame in 0..30 {
                if frame == 10 {
                    before = COUNT.load(Ordering::Relaxed);
                }
                graph.begin_frame(&mut store, 0.01 * f64::from(frame));
                executor.run(plan, &mut store).unwrap();
                assert_eq!(graph.proceed(&mut store), Next::Done);
                graph.end_frame(&mut store);
            }
            let n = COUNT.load(Ordering::Relaxed) - before;
            assert_eq!(n, 0, "{options:?}, {workers} workers");
            assert!(graph.n_deliveries(&store) > 100);
        }
    }
}
