//! Nodes for tests: adders, gates, counters.

use std::sync::Arc;

use weft_animation::event::behaviour::{Behaviour, Behaviours, Reach, Turn};
use weft_animation::event::field::{Access, Value};
use weft_animation::event::generate::node_type;
use weft_animation::event::nodes::BuiltIn;
use weft_animation::event::scene::{EventScene, NodeType};
use weft_animation::event::{FieldId, NodeId};

/// Behaviours of the types below; all else is X3D's.
#[derive(Default)]
pub struct Toys(BuiltIn);

impl Behaviours for Toys {
    fn behaviour_of(&mut self, scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
        match &*scene.node(node).node_type.name {
            "Adder" => Some(Box::new(Adder::default())),
            "Beat" => Some(Box::new(Beat(0))),
            "Sharer" => Some(Box::new(Sharer(0))),
            "Router" => Some(Box::new(Router(0))),
            "Trap" => Some(Box::new(Trap)),
            name @ ("Starter" | "Director") => {
                Some(Box::new(Starter { sum: 0.0, reaches: name == "Director" }))
            }
            _ => self.0.behaviour_of(scene, node),
        }
    }
}

fn float(value: &Value) -> f32 {
    match value {
        Value::SFFloat(v) => *v,
        other => panic!("{other:?}"),
    }
}

/// Two inputs, an input and output, and outputs: each event changes a state, so that the order of events matters.
pub fn adder() -> Arc<NodeType> {
    use Access::{InputOnly, InputOutput, OutputOnly};
    let zero = || Value::SFFloat(0.0);
    node_type(
        "Adder",
        &[
            ("a", InputOnly, zero()),
            ("b", InputOnly, zero()),
            ("x", InputOutput, zero()),
            ("sum", OutputOnly, zero()),
            ("early", OutputOnly, zero()),
        ],
    )
}

#[derive(Default, Clone)]
struct Adder {
    state: f32,
}

impl Behaviour for Adder {
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let value = float(turn.value(field));
        self.state = (self.state * 0.5 + value * (1.0 + field.0 as f32)) % 1000.0;
        turn.send(FieldId(4), Value::SFFloat(self.state + turn.time() as f32));
    }
    fn events_processed(&mut self, turn: &mut dyn Turn) {
        if self.state > 1.0 || turn.value(FieldId(3)) == &Value::SFFloat(0.0) {
            turn.send(FieldId(3), Value::SFFloat(self.state));
        }
    }
}

/// Sends its count in each frame, and in each `every`-th frame more.
pub fn beat() -> Arc<NodeType> {
    let zero = || Value::SFFloat(0.0);
    node_type(
        "Beat",
        &[
            ("every", Access::InitializeOnly, Value::SFInt32(1)),
            ("count", Access::OutputOnly, zero()),
            ("seldom", Access::OutputOnly, zero()),
        ],
    )
}

struct Beat(u32);

impl Behaviour for Beat {
    fn is_time_dependent(&self) -> bool {
        true
    }
    fn tick(&mut self, turn: &mut dyn Turn) {
        self.0 += 1;
        turn.send(FieldId(1), Value::SFFloat(self.0 as f32));
        let Value::SFInt32(every) = *turn.value(FieldId(0)) else { return };
        if (self.0 as i32) % every == 0 {
            turn.send(FieldId(2), Value::SFFloat(self.0 as f32 * 0.25));
        }
    }
    fn receive(&mut self, _: FieldId, _: &mut dyn Turn) {}
}

/// Nodes that share a counter.
pub fn sharer() -> Arc<NodeType> {
    let zero = || Value::SFFloat(0.0);
    node_type("Sharer", &[("a", Access::InputOnly, zero()), ("sum", Access::OutputOnly, zero())])
}

struct Sharer(u32);

thread_local! {}
static SHARED: std::sync::Mutex<Vec<(u64, f32)>> = std::sync::Mutex::new(Vec::new());

impl Behaviour for Sharer {
    fn reach(&self) -> Reach {
        Reach::Shared(7)
    }
    fn receive(&mut self, _: FieldId, turn: &mut dyn Turn) {
        // What the nodes share is a number that each changes in its own way; which graph it is told by the time's bits.
        self.0 += 1;
        let mut shared = SHARED.lock().unwrap();
        let key = graph_key();
        let at = match shared.iter().position(|(k, _)| *k == key) {
            Some(at) => at,
            None => {
                shared.push((key, 1.0));
                shared.len() - 1
            }
        };
        let value = &mut shared[at].1;
        *value = (*value * 1.25 + turn.node().0 as f32) % 100.0;
        let value = *value;
        turn.send(FieldId(1), Value::SFFloat(value));
    }
}

/// One test uses sharers, graph after graph.
static GRAPH: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
fn graph_key() -> u64 {
    GRAPH.load(std::sync::atomic::Ordering::SeqCst)
}
pub fn next_graph() {
    GRAPH.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
}

/// Changes the graph: says what to do by the number that comes to `act`.
pub fn router() -> Arc<NodeType> {
    let zero = || Value::SFFloat(0.0);
    node_type(
        "Router",
        &[
            ("act", Access::InputOnly, zero()),
            ("done", Access::OutputOnly, zero()),
            ("from", Access::InitializeOnly, Value::SFNode(None)),
            ("to", Access::InitializeOnly, Value::SFNode(None)),
            ("other", Access::InitializeOnly, Value::SFNode(None)),
        ],
    )
}

struct Router(u32);

impl Behaviour for Router {
    fn reach(&self) -> Reach {
        Reach::Graph
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let act = float(turn.value(field)) as u32;
        let node = |turn: &dyn Turn, k| match turn.value(FieldId(k)) {
            Value::SFNode(node) => *node,
            _ => None,
        };
        let (from, to, other) = (node(turn, 2), node(turn, 3), node(turn, 4));
        self.0 += 1;
        let count = self.0;
        let graph = turn.graph().expect("a node that reaches the graph");
        let mut result = 0.0;
        if let (Some(from), Some(to), Some(other)) = (from, to, other) {
            // Beat.count to Adder.a.
            let ends = ((from, FieldId(1)), (to, FieldId(0)));
            match act % 5 {
                1 => result = if graph.add_route(ends.0, ends.1).is_ok() { 1.0 } else { -1.0 },
                2 => result = if graph.delete_route(ends.0, ends.1).is_ok() { 2.0 } else { -2.0 },
                3 => {
                    result = -3.0;
                    if graph.send_to(other, FieldId(2), Value::SFFloat(count as f32)).is_ok() {
                        result = float(&graph.value(other, FieldId(2)).unwrap());
                        assert_eq!(result, count as f32, "it sees what it sent");
                    }
                }
                _ => result = graph.value(to, FieldId(3)).map_or(-4.0, |value| float(&value)),
            }
        }
        turn.send(FieldId(1), Value::SFFloat(result));
    }
}

/// Panics at the number 3.
pub fn trap() -> Arc<NodeType> {
    let zero = || Value::SFFloat(0.0);
    node_type("Trap", &[("a", Access::InputOnly, zero()), ("out", Access::OutputOnly, zero())])
}

struct Trap;

impl Behaviour for Trap {
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let value = float(turn.value(field));
        assert!(value != 3.0, "three is too much");
        turn.send(FieldId(1), Value::SFFloat(value));
    }
}

/// Sends a number when it begins, and says a state (`on`) as often as something reaches it.
pub fn starter(name: &str) -> Arc<NodeType> {
    use Access::{InitializeOnly, InputOnly, OutputOnly};
    node_type(
        name,
        &[
            ("a", InputOnly, Value::SFFloat(0.0)),
            ("listen", InputOnly, Value::SFBool(false)),
            ("on", OutputOnly, Value::SFBool(false)),
            ("sum", OutputOnly, Value::SFFloat(0.0)),
            ("to", InitializeOnly, Value::SFNode(None)),
        ],
    )
}

/// A starter; one that `reaches` the graph sends to an adder, too, and says states for another starter.
struct Starter {
    sum: f32,
    reaches: bool,
}

impl Behaviour for Starter {
    fn reach(&self) -> Reach {
        if self.reaches { Reach::Graph } else { Reach::Own }
    }
    fn initialize(&mut self, turn: &mut dyn Turn) {
        turn.send(FieldId(3), Value::SFFloat(1.5));
        self.tell(turn, 3.0);
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        self.sum = (self.sum * 0.5 + 1.0 + field.0 as f32) % 100.0;
        match *turn.value(field) {
            Value::SFFloat(v) => {
                self.sum += v % 10.0;
                turn.send_state(FieldId(2), self.sum as i32 % 2 == 0);
                self.tell(turn, v);
            }
            Value::SFBool(on) => turn.send_state(FieldId(2), !on),
            _ => {}
        }
    }
    fn events_processed(&mut self, turn: &mut dyn Turn) {
        turn.send(FieldId(3), Value::SFFloat(self.sum));
    }
}

impl Starter {
    fn tell(&self, turn: &mut dyn Turn, value: f32) {
        let Value::SFNode(Some(to)) = *turn.value(FieldId(4)) else { return };
        let Some(graph) = turn.graph() else { return };
        let _ = graph.send_to(to, FieldId(0), Value::SFFloat(value));
        let _ = graph.emit_state_from(to, FieldId(2), value as i32 % 2 == 1);
    }
}
