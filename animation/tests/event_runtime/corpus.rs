//! Loops, fan-in, aliases, panics, and graphs at their limits.

use weft_animation::event::field::{Access, Value};
use weft_animation::event::generate::{SceneBuilder, interpolator, moving, node_type, time_sensor};
use weft_animation::event::runtime::{EventGraph, EventOptions};
use weft_animation::event::scene::{Alias, EventScene, NodeType};
use weft_animation::event::{FieldId, NodeId};

use crate::player::{Kind, Machine, Played, play_in_all_ways};
use crate::toys::{Toys, adder, beat, trap};

fn play(scene: &EventScene, frames: u32) -> Played {
    play_in_all_ways(scene, || Box::<Toys>::default(), EventOptions::default(), frames, |_, _| {})
}

/// A beat in each `every`-th frame, and passive nodes.
fn loops(n: u32, every: &[i32]) -> (SceneBuilder, Vec<NodeId>, Vec<NodeId>) {
    let mut b = SceneBuilder::new();
    let beats = every.iter().enumerate().map(|(k, &every)| {
        let beat = b.node(&beat(), format!("B{k}"));
        b.set(beat, "every", Value::SFInt32(every));
        beat
    });
    let beats = beats.collect();
    let adders = (0..n).map(|k| b.node(&adder(), format!("A{k}"))).collect();
    (b, beats, adders)
}

#[test]
fn a_self_loop_ends() {
    let (mut b, beats, a) = loops(1, &[1]);
    b.route(beats[0], "count", a[0], "x");
    b.route(a[0], "x", a[0], "x");
    let played = play(&b.scene, 2);
    assert_eq!(
        played.log,
        ["1 B0.count>A0.x 1.0", "1 A0.x>A0.x 1.0 dropped", "2 B0.count>A0.x 2.0", "2 A0.x>A0.x 2.0 dropped"]
    );
}

#[test]
fn a_loop_of_two_takes_events_wherever_they_enter() {
    // T3 and T4 of the paper's fault: frames enter at one, at the other, or at both.
    let (mut b, beats, a) = loops(3, &[2, 3]);
    b.route(beats[0], "seldom", a[0], "x");
    b.route(beats[1], "seldom", a[1], "x");
    b.route(a[0], "x", a[1], "x");
    b.route(a[1], "x", a[0], "x");
    b.route(a[1], "x", a[2], "a");
    let played = play(&b.scene, 6);
    let frame = |k: u32| {
        let of_it = |l: &&String| l.starts_with(&format!("{k} "));
        played.log.iter().filter(of_it).map(|l| &l[2..]).collect::<Vec<_>>()
    };
    assert!(frame(1).is_empty());
    assert_eq!(frame(2), ["B0.seldom>A0.x 0.5", "A0.x>A1.x 0.5", "A1.x>A0.x 0.5 dropped", "A1.x>A2.a 0.5"]);
    assert_eq!(
        frame(3),
        ["B1.seldom>A1.x 0.75", "A1.x>A0.x 0.75", "A0.x>A1.x 0.75 dropped", "A1.x>A2.a 0.75"]
    );
    // Both: each keeps what came from outside.
    assert_eq!(
        frame(6),
        [
            "B0.seldom>A0.x 1.5",
            "B1.seldom>A1.x 1.5",
            "A0.x>A1.x 1.5 dropped",
            "A1.x>A0.x 1.5 dropped",
            "A1.x>A2.a 1.5"
        ]
    );
}

#[test]
fn passive_fields_in_a_ring_of_nodes_are_no_loop() {
    // A ring of nodes, but not of fields.
    let mut b = SceneBuilder::new();
    let clock = b.node(&beat(), "B");
    let t = moving("Transform");
    let float = node_type(
        "Holder",
        &[("u", Access::InputOutput, Value::SFFloat(0.0)), ("v", Access::InputOutput, Value::SFFloat(0.0))],
    );
    let (one, two) = (b.node(&float, "One"), b.node(&float, "Two"));
    b.node(&t, "T");
    b.route(clock, "count", one, "u");
    b.route(one, "u", two, "u");
    b.route(two, "u", one, "v");
    let mut store = engine::data::Store::new();
    let mut graph = EventGraph::new(b.scene.clone(), Box::<Toys>::default(), EventOptions::default());
    graph.record(&mut store);
    assert!(graph.cycles().is_empty());
    let played = play(&b.scene, 1);
    assert_eq!(played.log, ["1 B.count>One.u 1.0", "1 One.u>Two.u 1.0", "1 Two.u>One.v 1.0"]);
}

#[test]
fn circles_are_told_by_name() {
    let (mut b, _, a) = loops(4, &[]);
    let float = node_type("Holder", &[("u", Access::InputOutput, Value::SFFloat(0.0))]);
    let held = b.node(&float, "H");
    b.route(a[0], "sum", a[1], "a");
    b.route(a[1], "sum", a[0], "b");
    b.route(a[3], "x", a[3], "x");
    b.route(held, "u", held, "u");
    let mut store = engine::data::Store::new();
    let mut graph = EventGraph::new(b.scene, Box::<Toys>::default(), EventOptions::default());
    graph.record(&mut store);
    assert_eq!(graph.cycles(), ["A0 -> A1 -> A0", "A3 -> A3", "H.u -> H.u"]);
}

/// A ring of interpolators has no field that receives and sends: the log names the route whose event would have been the second of its field.
#[test]
fn a_ring_of_interpolators_is_broken_where_events_entered() {
    let mut b = SceneBuilder::new();
    let clock = b.node(&beat(), "B");
    let scalar = interpolator("ScalarInterpolator", Value::MFFloat([].into()), Value::SFFloat(0.0));
    let ring: Vec<NodeId> = (0..3).map(|k| b.node(&scalar, format!("S{k}"))).collect();
    for (k, &node) in ring.iter().enumerate() {
        b.set(node, "key", Value::MFFloat([0.0, 100.0].into()));
        b.set(node, "keyValue", Value::MFFloat([0.0, 50.0].into()));
        b.route(node, "value_changed", ring[(k + 1) % 3], "set_fraction");
    }
    b.route(clock, "count", ring[1], "set_fraction");
    let played = play(&b.scene, 1);
    assert_eq!(
        played.log,
        [
            "1 B.count>S1.set_fraction 1.0",
            "1 S1.value_changed>S2.set_fraction 0.5",
            "1 S2.value_changed>S0.set_fraction 0.25",
            "1 S0.value_changed>S1.set_fraction 0.125",
            "1 S1.value_changed>S2.set_fraction 0.0625 dropped",
        ]
    );
}

#[test]
fn an_isolated_loop_waits_for_the_host() {
    let (mut b, _, a) = loops(2, &[]);
    b.route(a[0], "sum", a[1], "a");
    b.route(a[1], "sum", a[0], "a");
    let played = play_in_all_ways(
        &b.scene,
        || Box::<Toys>::default(),
        EventOptions::default(),
        4,
        |frame, graph| {
            if frame % 2 == 1 {
                graph.send(a[1], FieldId(1), Value::SFFloat(f32::from(frame as u16))).unwrap();
            }
        },
    );
    // What the host sends is no delivery along a route.
    assert_eq!(
        played.log,
        [
            "2 A1.sum>A0.a 2.0",
            "2 A0.sum>A1.a 2.0",
            "2 A1.sum>A0.a 3.0 dropped",
            "4 A1.sum>A0.a 7.5",
            "4 A0.sum>A1.a 8.5",
            "4 A1.sum>A0.a 12.25 dropped"
        ]
    );
}

#[test]
fn what_is_dropped_stands_behind_what_was_delivered() {
    let (mut b, beats, a) = loops(2, &[1, 1]);
    // Two events of one frame, of which the first is sent on.
    b.route(beats[0], "count", a[0], "a");
    b.route(beats[1], "seldom", a[0], "a");
    b.route(a[0], "early", a[1], "a");
    b.route(a[1], "early", a[0], "b");
    let played = play(&b.scene, 1);
    let on: Vec<_> = played.log.iter().filter(|line| line.contains("A0.early>A1.a")).collect();
    assert_eq!(on, ["1 A0.early>A1.a 1.0", "1 A0.early>A1.a 0.75 dropped", "1 A0.early>A1.a 2.375 dropped"]);
}

#[test]
fn events_that_meet_arrive_in_the_order_of_routes() {
    let (mut b, beats, a) = loops(1, &[1, 1]);
    b.route(beats[1], "seldom", a[0], "a");
    b.route(beats[0], "count", a[0], "a");
    b.route(beats[1], "count", a[0], "b");
    b.route(beats[0], "seldom", a[0], "a");
    let float = node_type("Holder", &[("u", Access::InputOutput, Value::SFFloat(0.0))]);
    let (meet, after) = (b.node(&float, "M"), b.node(&float, "N"));
    b.route(meet, "u", after, "u");
    b.route(beats[0], "count", meet, "u");
    b.route(beats[0], "seldom", meet, "u");
    let played = play(&b.scene, 1);
    assert_eq!(
        played.log,
        [
            "1 B1.seldom>A0.a 0.25",
            "1 B0.count>A0.a 1.0",
            "1 B1.count>A0.b 1.0",
            "1 B0.seldom>A0.a 0.25",
            "1 B0.count>M.u 1.0",
            "1 B0.seldom>M.u 0.25",
            // The last value, once.
            "1 M.u>N.u 0.25",
        ]
    );
}

fn prototype(name: &str, fields: &[(&str, Access)]) -> std::sync::Arc<NodeType> {
    let fields: Vec<_> = fields.iter().map(|(n, a)| (*n, *a, Value::SFFloat(0.0))).collect();
    let plain = node_type(name, &fields);
    std::sync::Arc::new(NodeType { is_prototype: true, ..(*plain).clone() })
}

#[test]
fn borders_of_prototypes_are_looked_through_twice_deep() {
    use Access::{InputOnly, OutputOnly};
    let mut b = SceneBuilder::new();
    let clock = b.node(&beat(), "B");
    let border = [("in", InputOnly), ("out", OutputOnly)];
    let outer = b.node(&prototype("Outer", &border), "O");
    let inner = b.node(&prototype("Inner", &border), "I");
    let body = b.node(&adder(), "A");
    let end = b.node(&adder(), "E");
    let mut alias = |outer: NodeId, f: u32, inner: NodeId, g: u32| {
        b.scene.aliases.push(Alias { outer: (outer, FieldId(f)), inner: (inner, FieldId(g)) });
    };
    alias(outer, 0, inner, 0);
    alias(inner, 0, body, 0);
    alias(outer, 1, inner, 1);
    alias(inner, 1, body, 3);
    b.route(clock, "count", outer, "in");
    b.route(outer, "out", end, "a");
    // A loop across the border.
    b.route(end, "sum", outer, "in");
    let played = play(&b.scene, 2);
    assert_eq!(
        played.log,
        [
            "1 B.count>O.in 1.0",
            "1 O.out>E.a 1.0",
            "1 E.sum>O.in 1.0",
            "1 O.out>E.a 1.5 dropped",
            "2 B.count>O.in 2.0",
            "2 O.out>E.a 2.75",
            "2 E.sum>O.in 3.25",
            "2 O.out>E.a 4.625 dropped"
        ]
    );
}

#[test]
fn a_chain_of_100000_needs_no_stack() {
    let mut b = SceneBuilder::new();
    let clock = b.node(&beat(), "B");
    let adders: Vec<NodeId> = (0..100_000).map(|k| b.node(&adder(), format!("A{k}"))).collect();
    b.route(clock, "count", adders[0], "x");
    for pair in adders.windows(2) {
        b.route(pair[0], "x", pair[1], "x");
    }
    let mut store = engine::data::Store::new();
    let mut graph = EventGraph::new(b.scene, Box::<Toys>::default(), EventOptions::default());
    let mut machine = Machine::new(Kind::Replay, 2);
    graph.frame(&mut store, &mut machine, 0.0).unwrap();
    assert_eq!(graph.n_deliveries(&store), 100_000);
    let last = graph.value(&store, adders[99_999], FieldId(2));
    assert_eq!(last, Some(Value::SFFloat(1.0)));
}

#[test]
fn a_node_that_panics_fails_its_frame_only() {
    let mut b = SceneBuilder::new();
    let clock = b.node(&beat(), "B");
    let (trap, end) = (b.node(&trap(), "T"), b.node(&adder(), "E"));
    b.route(clock, "count", trap, "a");
    b.route(trap, "out", end, "x");
    for kind in [Kind::Sequential, Kind::Replay] {
        let mut store = engine::data::Store::new();
        let mut graph = EventGraph::new(b.scene.clone(), Box::<Toys>::default(), EventOptions::default());
        let mut machine = Machine::new(kind, 1);
        for frame in 1..6_u8 {
            let result = graph.frame(&mut store, &mut machine, 0.0).map(|_| ());
            assert_eq!(result.is_err(), frame == 3);
            let expected = f32::from(if frame == 3 { 2 } else { frame });
            assert_eq!(graph.value(&store, end, FieldId(2)), Some(Value::SFFloat(expected)));
        }
    }
}

#[test]
fn graphs_without_routes_or_nodes_run() {
    let played = play(&SceneBuilder::new().scene, 2);
    assert!(played.log.is_empty());
    let mut b = SceneBuilder::new();
    b.node(&time_sensor(), "Alone");
    play(&b.scene, 2);
}

#[test]
fn what_the_host_sends_is_checked() {
    let mut b = SceneBuilder::new();
    let a = b.node(&adder(), "A");
    let mut graph = EventGraph::new(b.scene, Box::<Toys>::default(), EventOptions::default());
    assert!(graph.send(a, FieldId(0), Value::SFBool(true)).is_err());
    assert!(graph.send(a, FieldId(3), Value::SFFloat(0.0)).is_err());
    assert!(graph.send(a, FieldId(9), Value::SFFloat(0.0)).is_err());
    assert!(graph.send(NodeId(9), FieldId(0), Value::SFFloat(0.0)).is_err());
    assert!(graph.emit_from(a, FieldId(0), Value::SFFloat(0.0)).is_err());
    assert!(graph.add_route((a, FieldId(3)), (a, FieldId(0))).is_ok());
    assert!(graph.add_route((a, FieldId(3)), (a, FieldId(0))).is_err());
}
