//! The paper's scenes.

use engine::data::Store;
use weft_animation::event::field::Value;
use weft_animation::event::generate::{Nesting, scene_1, scene_2, scene_3, scene_3_as};
use weft_animation::event::nodes::BuiltIn;
use weft_animation::event::runtime::{EventGraph, EventOptions, Mode, Player, Strategy};
use weft_animation::event::scene::EventScene;
use weft_animation::event::{FieldId, NodeId};

use crate::player::{Kind, Machine, play_in_all_ways};

fn count(scene: EventScene) -> (u64, u32) {
    let mut store = Store::new();
    let mut graph = EventGraph::new(scene, Box::<BuiltIn>::default(), EventOptions::default());
    let mut machine = Machine::new(Kind::Sequential, 1);
    for frame in 1..4 {
        graph.frame(&mut store, &mut machine, 0.1 * f64::from(frame)).unwrap();
    }
    assert_eq!(graph.rebuilds(), 1);
    (graph.n_deliveries(&store), graph.n_levels())
}

#[test]
fn events_are_as_many_as_the_paper_counts() {
    assert_eq!(count(scene_1()), (8_896, 3));
    assert_eq!(count(scene_2()), (252, 3));
    assert_eq!(count(scene_3(1000)), (110_000, 3));
}

#[test]
fn humanoids_move_the_same_everywhere() {
    let played =
        play_in_all_ways(&scene_3(7), || Box::<BuiltIn>::default(), EventOptions::default(), 5, |_, _| {});
    assert!(played.values[1] != played.values[2]);
    assert!(played.complaints.is_empty());
}

#[test]
fn shapes_deform_the_same_everywhere() {
    play_in_all_ways(&scene_2(), || Box::<BuiltIn>::default(), EventOptions::default(), 3, |_, _| {});
}

#[test]
fn borders_change_no_value_and_no_event() {
    let play = |nesting| {
        let scene = scene_3_as(6, nesting);
        let rotations: Vec<NodeId> = (0..scene.nodes.len() as u32)
            .map(NodeId)
            .filter(|n| scene.node(*n).def.as_deref().is_some_and(|d| d.starts_with('H')))
            .collect();
        let holders: Vec<NodeId> = (0..scene.nodes.len() as u32)
            .map(NodeId)
            .filter(|n| scene.node(*n).node_type.is_prototype)
            .collect();
        let mut store = Store::new();
        let options = EventOptions { log: true, ..EventOptions::default() };
        let mut graph = EventGraph::new(scene, Box::<BuiltIn>::default(), options);
        let mut machine = Machine::new(Kind::Replay, 2);
        let mut seen = Vec::new();
        for frame in 1..5 {
            graph.frame(&mut store, &mut machine, 0.1 * f64::from(frame)).unwrap();
            let fields = |n: &NodeId| (0..3).map(|f| graph.value(&store, *n, FieldId(f))).collect::<Vec<_>>();
            seen.extend(rotations.iter().flat_map(fields));
            seen.extend(graph.frame_log().deliveries.iter().map(|d| Some(d.value.clone())));
        }
        // A field of an instance is that of its body.
        for &holder in &holders {
            graph.send(holder, FieldId(0), Value::SFTime(7.0)).unwrap();
        }
        graph.frame(&mut store, &mut machine, 0.6).unwrap();
        for &holder in &holders {
            assert!(graph.value(&store, holder, FieldId(0)).is_some());
        }
        (seen, graph.n_levels())
    };
    let flat = play(Nesting::Flat);
    for nesting in [Nesting::Prototypes, Nesting::Inlines, Nesting::Nested] {
        assert!(play(nesting) == flat, "{nesting:?}");
    }
}

/// `cargo test --release -p weft-animation --test event_runtime -- --ignored --nocapture time_of_scene_3`
#[test]
#[ignore = "a measurement"]
#[expect(clippy::disallowed_methods, reason = "measures")]
fn time_of_scene_3() {
    use std::time::Instant;
    let n = 1000;
    let base = EventOptions::default();
    let cases = [
        ("sequential", base, Kind::Sequential, 1),
        ("behaviours", EventOptions { kernels: false, ..base }, Kind::Sequential, 1),
        ("replay 1", base, Kind::Replay, 1),
        ("replay 2", base, Kind::Replay, 2),
        ("stealing 2", base, Kind::Stealing, 2),
        ("fork-join 2", base, Kind::ForkJoin, 2),
        ("levels 1", EventOptions { mode: Mode::Levels(Strategy::LoopStatic), ..base }, Kind::Sequential, 1),
        (
            "levels loop-static 2",
            EventOptions { mode: Mode::Levels(Strategy::LoopStatic), workers: 2, ..base },
            Kind::ForkJoin,
            2,
        ),
    ];
    let scene = scene_3(n);
    let wanted = std::env::var("CASE").unwrap_or_default();
    for (name, options, kind, workers) in cases.into_iter().filter(|c| c.0.contains(&wanted)) {
        let mut store = Store::new();
        let begin = Instant::now();
        let mut graph = EventGraph::new(scene.clone(), Box::<BuiltIn>::default(), options);
        let mut machine = Machine::new(kind, workers);
        let made = begin.elapsed();
        graph.begin_frame(&mut store, 0.01);
        let built = begin.elapsed() - made;
        machine.load(graph.record(&mut store), &mut store).unwrap();
        let loaded = begin.elapsed() - made - built;
        let mut times = Vec::new();
        let cpu = cpu_ms();
        for frame in 1..200 {
            let begin = Instant::now();
            graph.frame(&mut store, &mut machine, 0.01 * f64::from(frame)).unwrap();
            times.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        // Of this thread only: what other programs on the machine do is not in it.
        let cpu = (cpu_ms() - cpu) / 199.0;
        times.sort_by(f64::total_cmp);
        println!(
            "{name}: min {:.2} median {:.2} ms, {cpu:.2} ms on this thread's core; {} tasks; new {:.0} ms, build {:.0}, record and plan {:.0}",
            times[0],
            times[times.len() / 2],
            graph.n_tasks(),
            made.as_secs_f64() * 1e3,
            built.as_secs_f64() * 1e3,
            loaded.as_secs_f64() * 1e3
        );
    }
}

/// What this thread has had of a core \[ms\].
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-6
}

/// `cargo test --release -p weft-animation --test event_runtime -- --ignored --nocapture time_of_an_edit`
#[test]
#[ignore = "a measurement"]
#[expect(clippy::disallowed_methods, reason = "measures")]
fn time_of_an_edit() {
    let scene = scene_3(1000);
    let mut store = Store::new();
    let mut graph = EventGraph::new(scene, Box::<BuiltIn>::default(), EventOptions::default());
    let mut machine = Machine::new(Kind::Sequential, 1);
    graph.frame(&mut store, &mut machine, 0.0).unwrap();
    let route = graph.route(0).unwrap().clone();
    let (begin, cpu) = (std::time::Instant::now(), cpu_ms());
    for frame in 0..10 {
        if frame % 2 == 0 {
            graph.delete_route(route.from, route.to).unwrap();
        } else {
            graph.add_route(route.from, route.to).unwrap();
        }
        graph.begin_frame(&mut store, 0.1 * f64::from(frame));
        if graph.is_stale() {
            machine.load(graph.record(&mut store), &mut store).unwrap();
        }
    }
    println!(
        "an edit: {:.1} ms, {:.1} ms on this thread's core",
        begin.elapsed().as_secs_f64() * 100.0,
        (cpu_ms() - cpu) / 10.0
    );
}
