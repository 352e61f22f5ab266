//! Graphs of many parts that are edited: the same as made anew, for every executor.

use std::sync::Arc;

use diagnostics::Diagnostic;
use proptest::prelude::*;
use weft_animation::event::behaviour::{Behaviour, Behaviours, Reach, Turn};
use weft_animation::event::field::{Access, Value};
use weft_animation::event::generate::{SceneBuilder, interpolator, node_type};
use weft_animation::event::graph_access::FragmentLoader;
use weft_animation::event::nodes::BuiltIn;
use weft_animation::event::runtime::{EventGraph, EventOptions, Restart};
use weft_animation::event::scene::EventScene;
use weft_animation::event::{ContextId, FieldId, NodeId};
use weft_animation::graph::Fusion;

use crate::player::{Kind, Played, play, play_in_all_ways};
use crate::toys::{Toys, adder, beat, router};

/// Pairs of a beat and an adder with an interpolator, and routers that join and part them.
fn scene(pairs: usize, routers: &[(usize, usize)]) -> EventScene {
    let mut b = SceneBuilder::new();
    let (adder, beat, router) = (adder(), beat(), router());
    let scalar = interpolator("ScalarInterpolator", Value::MFFloat([].into()), Value::SFFloat(0.0));
    let mut ends = Vec::new();
    for k in 0..pairs {
        let clock = b.node(&beat, format!("B{k}"));
        b.set(clock, "every", Value::SFInt32(1 + k as i32 % 3));
        let sum = b.node(&adder, format!("A{k}"));
        let way = b.node(&scalar, format!("S{k}"));
        b.set(way, "key", Value::MFFloat([0.0, 2.0, 9.0].into()));
        b.set(way, "keyValue", Value::MFFloat([1.0, 4.0 + k as f32, 2.0].into()));
        b.route(clock, "count", way, "set_fraction");
        b.route(way, "value_changed", sum, "x");
        ends.push((clock, sum));
    }
    for (k, &(from, to)) in routers.iter().enumerate() {
        let node = b.node(&router, format!("R{k}"));
        let (from, to) = (ends[from % pairs].0, ends[to % pairs].1);
        for (field, of) in [("from", from), ("to", to), ("other", ends[k % pairs].1)] {
            b.set(node, field, Value::SFNode(Some(of)));
        }
        b.route(ends[0].0, "count", node, "act");
    }
    b.scene
}

/// An edit of a number: routes between any nodes come and go, nodes go.
fn edit(graph: &mut EventGraph, (what, from, to): (u32, u32, u32)) {
    let n = graph.scene().nodes.len() as u32;
    let (from, to) = (NodeId(from % n), NodeId(to % n));
    let fields = |node: NodeId| graph.scene().node(node).node_type.fields.len() as u32;
    let (f, g) = (FieldId(what % fields(from)), FieldId(what / 7 % fields(to)));
    match what % 5 {
        0..=2 => drop(graph.add_route((from, f), (to, g))),
        3 => {
            let routes: Vec<_> = graph.routes().map(|(_, r)| (r.from, r.to)).collect();
            if let Some(&(from, to)) = routes.get(what as usize % routes.len().max(1)) {
                graph.delete_route(from, to).unwrap();
            }
        }
        _ => drop(graph.remove(to)),
    }
}

fn assert_same(found: &Played, expected: &Played, how: &str) {
    assert_eq!(found.log, expected.log, "{how}");
    for (frame, (a, b)) in found.values.iter().zip(&expected.values).enumerate() {
        let differ = (0..a.len()).find(|&k| a[k].to_string() != b[k].to_string());
        assert_eq!(differ, None, "frame {frame}: {how}");
    }
    assert_eq!(found.complaints, expected.complaints, "{how}");
}

/// Plays with edits, with parts of some 300 ns each.
fn edited(scene: &EventScene, (kind, workers): (Kind, u32), edits: &[(u32, u32, u32)], anew: bool) -> Played {
    let options = EventOptions { fusion: Fusion::On { grain_ns: 300 }, ..EventOptions::default() };
    let frames = edits.len() as u32 + 1;
    play(scene, Box::<Toys>::default(), options, (kind, workers), frames, |frame, graph| {
        if let Some(&one) = edits.get(frame as usize) {
            edit(graph, one);
            if frame % 2 == 1 {
                edit(graph, (one.0 / 5, one.2, one.1));
            }
        }
        if anew {
            // What is left of a frame that failed is not trusted: all is made anew.
            graph.fail_frame();
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_are_the_same_as_a_graph_made_anew(
        pairs in 1_usize..12,
        routers in prop::collection::vec((0_usize..12, 0_usize..12), 0..3),
        edits in prop::collection::vec((0_u32..10_000, 0_u32..64, 0_u32..64), 1..10),
    ) {
        let scene = scene(pairs, &routers);
        let expected = edited(&scene, (Kind::Sequential, 1), &edits, true);
        for (kind, workers) in [(Kind::Sequential, 1), (Kind::Replay, 2), (Kind::Stealing, 3), (Kind::ForkJoin, 2)] {
            assert_same(&edited(&scene, (kind, workers), &edits, false), &expected, &format!("{kind:?}"));
        }
    }
}

#[test]
fn routers_join_parts_in_the_middle_of_a_frame() {
    let scene = scene(9, &[(1, 7), (2, 5)]);
    let play = |restart| {
        let options = EventOptions { restart, ..EventOptions::default() };
        play_in_all_ways(&scene, || Box::<Toys>::default(), options, 12, |_, _| {})
    };
    assert_same(&play(Restart::Full), &play(Restart::Resume), "all made anew");
}

#[test]
fn an_edit_within_a_task_records_nothing() {
    let scene = weft_animation::event::generate::scene_3(60);
    let mut store = engine::data::Store::new();
    let mut graph = EventGraph::new(scene, Box::<BuiltIn>::default(), EventOptions::default());
    let mut machine = crate::player::Machine::new(Kind::Replay, 2);
    graph.frame(&mut store, &mut machine, 0.0).unwrap();
    let before = graph.n_tasks();
    let route = graph.route(0).unwrap().clone();
    for frame in 1..9_u32 {
        match frame % 2 {
            1 => graph.delete_route(route.from, route.to).unwrap(),
            _ => graph.add_route(route.from, route.to).unwrap(),
        }
        graph.begin_frame(&mut store, 0.1 * f64::from(frame));
        assert!(!graph.is_stale(), "frame {frame}");
        weft_animation::event::runtime::Player::run(&mut machine, &mut store).unwrap();
        graph.proceed(&mut store);
        graph.end_frame(&mut store);
        assert_eq!(graph.n_deliveries(&store), 60 * 110 - 2 * u64::from(frame % 2));
        assert_eq!((graph.rebuilds(), graph.n_tasks()), (1 + u64::from(frame), before));
    }
}

/// A node that makes others while the graph runs, joins them to what is there, and removes them again.
struct Maker(Vec<NodeId>);

impl Behaviour for Maker {
    fn reach(&self) -> Reach {
        Reach::Graph
    }
    fn receive(&mut self, _: FieldId, turn: &mut dyn Turn) {
        let Value::SFNode(Some(clock)) = *turn.value(FieldId(1)) else { return };
        let Value::SFNode(Some(sum)) = *turn.value(FieldId(2)) else { return };
        let graph = turn.graph().expect("a node that reaches the graph");
        let made = graph.create_from_text(ContextId(0), "").expect("the loader makes two nodes");
        // Clock to the new adder, and from there on.
        graph.add_route((clock, FieldId(1)), (made[1], FieldId(1))).expect("a new route");
        graph.add_route((made[1], FieldId(3)), (sum, FieldId(0))).expect("a new route");
        self.0.extend(made);
        if self.0.len() > 6 {
            graph.remove(self.0.remove(1)).expect("it is there");
            self.0.remove(0);
        }
    }
}

struct Makers;

impl Behaviours for Makers {
    fn behaviour_of(&mut self, scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
        match &*scene.node(node).node_type.name {
            "Maker" => Some(Box::new(Maker(Vec::new()))),
            _ => Toys::default().behaviour_of(scene, node),
        }
    }
}

/// A beat that feeds an adder.
struct Pair;

impl FragmentLoader for Pair {
    fn fragment_of_text(&mut self, _: &str, _: &str) -> Result<EventScene, Vec<Diagnostic>> {
        let mut b = SceneBuilder::new();
        let (clock, sum) = (b.node(&beat(), "New"), b.node(&adder(), "NewSum"));
        b.route(clock, "seldom", sum, "a");
        Ok(b.scene)
    }
    fn fragment_of_urls(&mut self, _: &[Arc<str>], base: &str) -> Result<EventScene, Vec<Diagnostic>> {
        self.fragment_of_text("", base)
    }
    fn node(&mut self, _: &str, base: &str) -> Result<EventScene, Vec<Diagnostic>> {
        self.fragment_of_text("", base)
    }
    fn load_inline(
        &mut self,
        _: &mut EventScene,
        _: NodeId,
        _: &[Arc<str>],
    ) -> Result<(ContextId, Vec<Diagnostic>), Vec<Diagnostic>> {
        Err(Vec::new())
    }
    fn unload_inline(&mut self, _: &mut EventScene, _: NodeId) {}
}

#[test]
fn nodes_that_a_node_makes_in_the_middle_of_a_frame_are_the_same_in_all_ways() {
    let mut b = SceneBuilder::new();
    b.scene = scene(8, &[(1, 2)]);
    let none = || Value::SFNode(None);
    let fields = [
        ("act", Access::InputOnly, Value::SFFloat(0.0)),
        ("clock", Access::InitializeOnly, none()),
        ("sum", Access::InitializeOnly, none()),
    ];
    let maker = b.node(&node_type("Maker", &fields), "Maker");
    // The third pair, and the fifth one's adder.
    b.set(maker, "clock", Value::SFNode(Some(NodeId(6))));
    b.set(maker, "sum", Value::SFNode(Some(NodeId(13))));
    b.route(NodeId(3), "seldom", maker, "act");
    let played = [Restart::Resume, Restart::Full].map(|restart| {
        let options = EventOptions { restart, ..EventOptions::default() };
        let played = play_in_all_ways(
            &b.scene,
            || Box::new(Makers),
            options,
            14,
            |frame, graph| {
                if frame == 0 {
                    graph.set_loader(Box::new(Pair));
                }
            },
        );
        assert!(played.log.iter().any(|line| line.contains("NewSum.sum>A4.a")), "{:?}", played.log);
        played
    });
    assert_same(&played[0], &played[1], "all made anew");
}
