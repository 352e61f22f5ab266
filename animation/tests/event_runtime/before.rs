//! What nodes send when they begin, and states that wait for the next frame.

use weft_animation::event::behaviour::{Behaviour, Behaviours, Reach, Turn};
use weft_animation::event::field::{Access, Value};
use weft_animation::event::generate::{SceneBuilder, node_type, time_sensor};
use weft_animation::event::nodes::BuiltIn;
use weft_animation::event::runtime::EventOptions;
use weft_animation::event::scene::EventScene;
use weft_animation::event::{FieldId, NodeId};

use crate::player::{Played, play_in_all_ways};

/// Sends a number when it begins, and sets a clock by it if it reaches the graph; then it counts.
struct Beginner {
    count: f64,
    reaches: bool,
}

impl Behaviour for Beginner {
    fn reach(&self) -> Reach {
        if self.reaches { Reach::Graph } else { Reach::Own }
    }
    fn initialize(&mut self, turn: &mut dyn Turn) {
        let (me, out) = (turn.node(), turn.value(FieldId(0)).clone());
        turn.send(FieldId(1), out.clone());
        if let Value::SFNode(Some(other)) = *turn.value(FieldId(4)) {
            let graph = turn.graph().expect("a node that reaches the graph");
            graph.add_route((me, FieldId(1)), (other, FieldId(3))).expect("a new route");
        }
        let Value::SFNode(Some(clock)) = *turn.value(FieldId(2)) else { return };
        let graph = turn.graph().expect("a node that reaches the graph");
        let field = graph.node_type(clock).and_then(|t| t.field("cycleInterval")).expect("a clock");
        graph.send_to(clock, field, out).expect("a time");
    }
    fn receive(&mut self, _: FieldId, turn: &mut dyn Turn) {
        self.count += 1.0;
        turn.send(FieldId(1), Value::SFTime(self.count));
    }
}

struct Beginners(BuiltIn);

impl Behaviours for Beginners {
    fn behaviour_of(&mut self, scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
        match &*scene.node(node).node_type.name {
            "Beginner" => Some(Box::new(Beginner { count: 10.0, reaches: false })),
            "Director" => Some(Box::new(Beginner { count: 10.0, reaches: true })),
            _ => self.0.behaviour_of(scene, node),
        }
    }
}

fn beginner(b: &mut SceneBuilder, name: &str, first: f64) -> NodeId {
    let fields = [
        ("first", Access::InitializeOnly, Value::SFTime(first)),
        ("out", Access::OutputOnly, Value::SFTime(0.0)),
        ("clock", Access::InitializeOnly, Value::SFNode(None)),
        ("in", Access::InputOnly, Value::SFTime(0.0)),
        ("joined", Access::InitializeOnly, Value::SFNode(None)),
    ];
    b.node(&node_type(name, &fields), name)
}

fn clock(b: &mut SceneBuilder, name: &str) -> NodeId {
    let clock = b.node(&time_sensor(), name);
    b.set(clock, "loop", Value::SFBool(true));
    b.set(clock, "cycleInterval", Value::SFTime(1.0));
    clock
}

fn play(b: &SceneBuilder, frames: u32) -> Played {
    let behaviours = || -> Box<dyn Behaviours> { Box::new(Beginners(BuiltIn::default())) };
    play_in_all_ways(&b.scene, behaviours, EventOptions::default(), frames, |_, _| {})
}

fn values(b: &SceneBuilder, played: &Played, node: NodeId, field: &str) -> Vec<Value> {
    let before: usize = b.scene.nodes[..node.0 as usize].iter().map(|n| n.values.len()).sum();
    let k = before + (b.field(node, field).1).0 as usize;
    played.values.iter().map(|frame| frame[k].clone()).collect()
}

#[test]
fn clocks_that_are_set_in_the_beginning_run_as_if_the_file_had_set_them() {
    let mut b = SceneBuilder::new();
    let by_route = clock(&mut b, "ByRoute");
    let first = beginner(&mut b, "Beginner", 4.0);
    b.route(first, "out", by_route, "cycleInterval");
    let directly = clock(&mut b, "Directly");
    let director = beginner(&mut b, "Director", 8.0);
    b.set(director, "clock", Value::SFNode(Some(directly)));
    let played = play(&b, 3);
    for (clock, interval, fraction) in [(by_route, 4.0, 0.025_f32), (directly, 8.0, 0.0125)] {
        assert_eq!(values(&b, &played, clock, "cycleInterval"), vec![Value::SFTime(interval); 3]);
        assert_eq!(values(&b, &played, clock, "fraction_changed")[1], Value::SFFloat(fraction));
    }
}

#[test]
fn what_is_sent_in_the_beginning_travels_on_routes_that_are_made_there() {
    let mut b = SceneBuilder::new();
    let last = beginner(&mut b, "Beginner", 1.0);
    let first = beginner(&mut b, "Director", 10.0);
    b.set(first, "joined", Value::SFNode(Some(last)));
    let played = play(&b, 2);
    assert_eq!(played.log, ["1 Director.out>Beginner.in 10.0"]);
}

#[test]
fn a_field_sends_in_the_beginning_and_in_the_first_frame() {
    let mut b = SceneBuilder::new();
    let ticking = clock(&mut b, "C");
    let first = beginner(&mut b, "Beginner", 10.0);
    let last = beginner(&mut b, "Director", 10.0);
    b.route(ticking, "time", first, "in");
    b.route(first, "out", last, "in");
    let played = play(&b, 2);
    let lines: Vec<_> = played.log.iter().filter(|line| line.contains("Beginner.out")).collect();
    assert_eq!(
        lines,
        [
            "1 Beginner.out>Director.in 10.0",
            "1 Beginner.out>Director.in 11.0",
            "2 Beginner.out>Director.in 12.0"
        ]
    );
    // Ten was the first number that it got.
    assert_eq!(values(&b, &played, last, "out"), [Value::SFTime(12.0), Value::SFTime(13.0)]);
}
