//! Graphs that change, between frames and in them.

use engine::data::Store;
use weft_animation::event::FieldId;
use weft_animation::event::field::Value;
use weft_animation::event::generate::SceneBuilder;
use weft_animation::event::runtime::{EventGraph, EventOptions, Restart};

use crate::player::{Kind, Machine, play_in_all_ways};
use crate::toys::{Toys, adder, beat, router};

/// A beat tells a router what to do; another one is what it routes to an adder.
fn scene() -> SceneBuilder {
    let mut b = SceneBuilder::new();
    let clock = b.node(&beat(), "B");
    let (target, other) = (b.node(&adder(), "T"), b.node(&adder(), "O"));
    let router = b.node(&router(), "R");
    for (field, to) in [("from", clock), ("to", target), ("other", other)] {
        b.set(router, field, Value::SFNode(Some(to)));
    }
    let end = b.node(&adder(), "E");
    b.route(clock, "count", router, "act");
    b.route(target, "sum", end, "a");
    b.route(router, "done", end, "b");
    b.route(other, "x", end, "x");
    b
}

#[test]
fn a_node_changes_routes_and_sends_in_the_middle_of_a_frame() {
    for restart in [Restart::Resume, Restart::Full] {
        let options = EventOptions { restart, ..EventOptions::default() };
        let played = play_in_all_ways(&scene().scene, || Box::<Toys>::default(), options, 7, |_, _| {});
        let frame = |k: u32| {
            let of_it = |l: &&String| l.starts_with(&format!("{k} "));
            played.log.iter().filter(of_it).map(|l| &l[2..]).collect::<Vec<_>>()
        };
        // An event that was sent before its route came does not travel on it.
        assert_eq!(frame(1), ["B.count>R.act 1.0", "R.done>E.b 1.0"]);
        // The second frame deletes the route.
        assert_eq!(frame(2)[frame(2).len() - 1], "R.done>E.b 2.0");
        let third: Vec<&str> = frame(3);
        assert!(third.contains(&"O.x>E.x 3.0") && third.contains(&"R.done>E.b 3.0"), "{third:?}");
    }
}

#[test]
fn edits_between_frames_cost_a_rebuild_each() {
    let mut b = SceneBuilder::new();
    let clock = b.node(&beat(), "B");
    let adders: Vec<_> = (0..20).map(|k| b.node(&adder(), format!("A{k}"))).collect();
    for &a in &adders {
        b.route(clock, "count", a, "x");
    }
    let (from, to) = (b.field(clock, "seldom"), b.field(adders[3], "a"));
    let mut store = Store::new();
    let mut graph = EventGraph::new(b.scene, Box::<Toys>::default(), EventOptions::default());
    let mut machine = Machine::new(Kind::Replay, 2);
    let mut edits = 0;
    for frame in 0..20_u16 {
        match frame % 8 {
            3 => graph.add_route(from, to).unwrap(),
            7 => graph.delete_route(from, to).unwrap(),
            _ => {}
        }
        edits += u64::from(frame % 4 == 3);
        graph.frame(&mut store, &mut machine, 0.0).unwrap();
        assert_eq!(graph.rebuilds(), 1 + edits);
        let is_routed = frame % 8 >= 3 && frame % 8 < 7;
        assert_eq!(graph.n_deliveries(&store), 20 + u64::from(is_routed));
        let value = graph.value(&store, adders[19], FieldId(2));
        assert_eq!(value, Some(Value::SFFloat(f32::from(frame + 1))));
    }
    graph.remove(adders[19]).unwrap();
    assert!(graph.remove(adders[19]).is_err() && graph.is_removed(adders[19]));
    graph.frame(&mut store, &mut machine, 0.0).unwrap();
    assert_eq!(graph.n_deliveries(&store), 20);
}

#[test]
fn a_frame_that_would_never_end_is_given_up() {
    // The router sends to a node that leads back to it.
    let mut b = scene();
    let ids = |name: &str| {
        let at = b.scene.nodes.iter().position(|n| n.def.as_deref() == Some(name)).unwrap();
        weft_animation::event::NodeId(at as u32)
    };
    let router = ids("R");
    b.scene.routes.clear();
    b.set(router, "act", Value::SFFloat(0.0));
    let options = EventOptions { most_stops: 5, ..EventOptions::default() };
    let mut store = Store::new();
    let mut graph = EventGraph::new(b.scene, Box::new(Endless), options);
    graph.send(router, FieldId(0), Value::SFFloat(1.0)).unwrap();
    let mut machine = Machine::new(Kind::Sequential, 1);
    graph.frame(&mut store, &mut machine, 0.0).unwrap();
    let complaints = graph.take_complaints();
    assert_eq!(complaints.len(), 1);
    assert!(complaints[0].message.contains("stopped 5 times"), "{complaints:?}");
    graph.frame(&mut store, &mut machine, 0.1).unwrap();
}

/// Behaviours in which a router sends to itself without end.
struct Endless;

impl weft_animation::event::behaviour::Behaviours for Endless {
    fn behaviour_of(
        &mut self,
        scene: &weft_animation::event::scene::EventScene,
        node: weft_animation::event::NodeId,
    ) -> Option<Box<dyn weft_animation::event::behaviour::Behaviour>> {
        match &*scene.node(node).node_type.name {
            "Router" => Some(Box::new(Again)),
            _ => Toys::default().behaviour_of(scene, node),
        }
    }
}

struct Again;

impl weft_animation::event::behaviour::Behaviour for Again {
    fn reach(&self) -> weft_animation::event::behaviour::Reach {
        weft_animation::event::behaviour::Reach::Graph
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn weft_animation::event::behaviour::Turn) {
        let own = turn.node();
        let graph = turn.graph().unwrap();
        graph.send_to(own, field, Value::SFFloat(1.0)).unwrap();
    }
}
