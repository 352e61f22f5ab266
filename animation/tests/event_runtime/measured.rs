//! Costs as measured, names of tasks, and the share of bringing events.

use std::sync::Arc;

use engine::data::{ObjectId, Store};
use engine::exec::{Costs, Executor, Observation, Sequential};
use weft_animation::event::FieldId;
use weft_animation::event::field::Value;
use weft_animation::event::generate::scene_3;
use weft_animation::event::nodes::BuiltIn;
use weft_animation::event::runtime::{EventGraph, EventOptions, Mode, Next, Strategy, amdahl, cascade_share};

use crate::player::{Kind, Machine};

#[test]
fn nodes_that_cost_more_than_thought_get_smaller_chunks() {
    let mut store = Store::new();
    let mut graph = EventGraph::new(scene_3(40), Box::<BuiltIn>::default(), EventOptions::default());
    let mut machine = Machine::new(Kind::Sequential, 1);
    graph.frame(&mut store, &mut machine, 0.0).unwrap();
    let before = graph.n_tasks();
    let costs = |n: usize, ns: f64| Costs { objects: vec![ns; n + 1], ..Costs::default() };
    // Each task takes four times as long as it should.
    assert!(graph.calibrate(&costs(before, 140_000.0)) && graph.is_stale());
    graph.frame(&mut store, &mut machine, 0.1).unwrap();
    let after = graph.n_tasks();
    assert!(after > 2 * before, "{before} tasks become {after}");
    // Now they last as long as wanted.
    assert!(!graph.calibrate(&costs(after, 35_000.0)));
    let names: Vec<_> = (1..3).filter_map(|k| graph.describe_task(ObjectId(k))).collect();
    assert!(names[0].starts_with("H0_limbs and "), "{names:?}");
    assert_eq!(graph.describe_task(ObjectId(0)), None);
}

#[test]
fn the_share_of_bringing_events_is_measured() {
    let options =
        EventOptions { mode: Mode::Levels(Strategy::PoolStatic), workers: 2, ..EventOptions::default() };
    let mut store = Store::new();
    let mut graph = EventGraph::new(scene_3(30), Box::<BuiltIn>::default(), options);
    graph.begin_frame(&mut store, 0.0);
    let recording = Arc::new(graph.record(&mut store));
    let mut executor = Sequential::new();
    executor.observe(true);
    let plan = executor.load(None, recording.clone(), &store);
    executor.run(plan, &mut store).unwrap();
    assert_eq!(graph.proceed(&mut store), Next::Done);
    let mut seen = Observation::default();
    executor.observation(plan, &mut seen);
    let share = cascade_share(&recording.program, &seen);
    assert!(share > 0.0 && share < 0.9, "{share}");
    assert!(amdahl(1.0 - share, 2.0) < 2.0);
    assert_eq!(graph.n_levels(), 3);
}

#[test]
fn fractions_that_are_no_numbers_are_said_with_and_without_kernels() {
    for kernels in [true, false] {
        let mut store = Store::new();
        let options = EventOptions { kernels, ..EventOptions::default() };
        let scene = scene_3(1);
        let limbs = scene.nodes.iter().position(|n| n.def.as_deref() == Some("H0_limbs")).unwrap();
        let limbs = weft_animation::event::NodeId(limbs as u32);
        let fraction = scene.node(limbs).node_type.field("fraction_changed").unwrap();
        let mut graph = EventGraph::new(scene, Box::<BuiltIn>::default(), options);
        let mut machine = Machine::new(Kind::Sequential, 1);
        for frame in 0..3 {
            graph.emit_from(limbs, fraction, Value::SFFloat(f32::NAN)).unwrap();
            graph.frame(&mut store, &mut machine, 0.1 * f64::from(frame)).unwrap();
        }
        let complaints = graph.take_complaints();
        assert_eq!(complaints.len(), 54, "{kernels}");
        assert!(complaints.iter().all(|c| c.message.contains("not a number")));
        assert_eq!(graph.value(&store, limbs, FieldId(0)), Some(Value::SFBool(true)));
    }
}
