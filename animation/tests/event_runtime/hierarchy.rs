//! Contexts within contexts: their batches change no value and no event.

use std::sync::Arc;

use weft_animation::event::field::{Access, Value};
use weft_animation::event::generate::{Nesting, SceneBuilder, node_type, scene_3_as};
use weft_animation::event::nodes::BuiltIn;
use weft_animation::event::runtime::{EventGraph, EventOptions, Mode, Strategy};
use weft_animation::event::scene::{Alias, ContextKind, NodeType};
use weft_animation::event::{FieldId, NodeId};

use crate::player::play_in_all_ways;
use crate::toys::{Toys, adder, beat, router};

/// An instance with an input, and an output of each of its two adders; it yields the instance and the adders.
fn instance(b: &mut SceneBuilder, name: &str, chained: bool) -> (NodeId, [NodeId; 2]) {
    use Access::{InputOnly, OutputOnly};
    let zero = || Value::SFFloat(0.0);
    let fields = [
        ("in", InputOnly, zero()),
        ("other", InputOnly, zero()),
        ("out", OutputOnly, zero()),
        ("late", OutputOnly, zero()),
    ];
    let plain = node_type(name, &fields);
    let node = b.node(&Arc::new(NodeType { is_prototype: true, ..(*plain).clone() }), name);
    let around = b.context;
    b.enter(ContextKind::Prototype(node));
    let adders = [0, 1].map(|k| b.node(&adder(), format!("{name}{k}")));
    if chained {
        b.route(adders[0], "sum", adders[1], "b");
    }
    b.context = around;
    for (outer, k, inner) in [(0, 0, 0), (1, 1, 0), (2, 0, 3), (3, 1, 3)] {
        let (outer, inner) = ((node, FieldId(outer)), (adders[k], FieldId(inner)));
        b.scene.aliases.push(Alias { outer, inner });
    }
    (node, adders)
}

fn play(b: &SceneBuilder) -> Vec<String> {
    play_in_all_ways(&b.scene, || Box::<Toys>::default(), EventOptions::default(), 4, |_, _| {}).log
}

#[test]
fn events_go_from_instance_to_instance_through_the_file() {
    let mut b = SceneBuilder::new();
    let clock = b.node(&beat(), "B");
    let (one, _) = instance(&mut b, "P", true);
    let between = b.node(&adder(), "M");
    let (two, _) = instance(&mut b, "Q", true);
    let end = b.node(&adder(), "E");
    b.route(clock, "count", one, "in");
    b.route(one, "late", between, "a");
    b.route(between, "sum", two, "in");
    b.route(two, "late", end, "a");
    let log = play(&b);
    assert!(
        log.contains(&"1 Q.late>E.a 3.5".to_owned()) || log.iter().any(|l| l.starts_with("1 Q.late>E.a")),
        "{log:?}"
    );
}

#[test]
fn a_file_that_runs_through_an_instance_twice_loses_nothing() {
    // Out of the instance, and into it again at another input: no circle of nodes, but one of contexts.
    let mut b = SceneBuilder::new();
    let clock = b.node(&beat(), "B");
    let (one, _) = instance(&mut b, "P", false);
    let between = b.node(&adder(), "M");
    b.route(clock, "count", one, "in");
    b.route(one, "out", between, "a");
    b.route(between, "sum", one, "other");
    let end = b.node(&adder(), "E");
    b.route(one, "late", end, "a");
    let log = play(&b);
    let first: Vec<&str> = log.iter().filter(|l| l.starts_with("1 ")).map(String::as_str).collect();
    assert_eq!(first.len(), 4, "{first:?}");
    assert!(first[3].starts_with("1 P.late>E.a"), "{first:?}");
}

#[test]
fn instances_stand_in_each_other_and_gates_cut_them() {
    let mut b = SceneBuilder::new();
    let clock = b.node(&beat(), "B");
    let mut last = clock;
    let mut field = "count";
    for k in 0..4 {
        let (node, adders) = instance(&mut b, &format!("P{k}"), k % 2 == 0);
        b.route(last, field, node, "in");
        (last, field) = (node, if k % 2 == 0 { "late" } else { "out" });
        // The next stands in this one's body.
        b.context = b.scene.node(adders[0]).context;
    }
    b.context = weft_animation::event::ContextId(0);
    let (target, other) = (b.node(&adder(), "T"), b.node(&adder(), "O"));
    let router = b.node(&router(), "R");
    for (name, to) in [("from", clock), ("to", target), ("other", other)] {
        b.set(router, name, Value::SFNode(Some(to)));
    }
    b.route(clock, "count", router, "act");
    let end = b.node(&adder(), "E");
    b.route(last, field, end, "a");
    b.route(router, "done", end, "b");
    play(&b);
}

#[test]
fn each_context_has_batches_of_its_own() {
    let tasks = |nesting| {
        let options =
            EventOptions { mode: Mode::Levels(Strategy::PoolStatic), workers: 2, ..EventOptions::default() };
        let mut store = engine::data::Store::new();
        let mut graph = EventGraph::new(scene_3_as(10, nesting), Box::<BuiltIn>::default(), options);
        graph.record(&mut store);
        assert_eq!(graph.n_levels(), 3);
        graph.n_tasks()
    };
    // Three levels of two parts and a step that brings events on; of each humanoid.
    assert_eq!(tasks(Nesting::Flat), 9);
    for nesting in [Nesting::Prototypes, Nesting::Inlines, Nesting::Nested] {
        let n = tasks(nesting);
        assert!((80..=100).contains(&n), "{nesting:?}: {n}");
    }
}
