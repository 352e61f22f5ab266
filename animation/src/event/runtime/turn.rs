//! What a node sees of its chunk while it is evaluated.

use std::fmt;

use super::chunk::{ActiveNode, Chunk};
use super::print::{LONGEST_PRINT, MOST_PRINTS, Print};
use super::waiting::{StateField, Waiting, change};
use crate::event::behaviour::Turn;
use crate::event::field::{Access, Value};
use crate::event::graph_access::GraphAccess;
use crate::event::ids::{FieldId, NodeId};
use crate::event::scene::NodeType;

/// The frame: its number and time stamp.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    pub frame: u32,
    pub time: f64,
    /// Whether it is the cascade before a frame, of what new nodes say: no clock is looked at, and no state that waits is sent.
    pub is_before: bool,
}

impl Now {
    /// In a frame.
    pub fn in_frame(frame: u32, time: f64) -> Self {
        Self { frame, time, is_before: false }
    }
}

/// The graph around a node that reaches it, if the node does.
pub(super) type Around<'a> = Option<&'a mut (dyn GraphAccess + 'a)>;

/// A node's turn.
struct NodeTurn<'a, 'g> {
    now: Now,
    id: NodeId,
    number: u32,
    node_type: &'a NodeType,
    values: &'a mut [Value],
    sent: &'a mut [u32],
    fields_sent: &'a mut Vec<u32>,
    refused: Option<&'a mut Vec<(u32, Value)>>,
    waiting: &'a mut Vec<Waiting>,
    complaints: &'a mut Vec<(NodeId, String)>,
    prints: &'a mut Vec<Print>,
    around: Around<'g>,
}

impl NodeTurn<'_, '_> {
    /// Whether a value fits a field; says so if not.
    fn fits(&mut self, field: FieldId, value: &Value, sends: bool) -> bool {
        let node_type = self.node_type;
        let Some(declared) = node_type.fields.get(field.0 as usize) else {
            self.complain(format_args!("it has no field {}", field.0));
            return false;
        };
        let (name, expected, access) = (&declared.name, declared.field_type, declared.access);
        if expected != value.field_type() {
            self.complain(format_args!("{name} is {expected}, the value {}", value.field_type()));
            return false;
        }
        if sends && !access.sends() {
            self.complain(format_args!("{name} is {}: it sends no events", access.name()));
            return false;
        }
        true
    }
}

impl Turn for NodeTurn<'_, '_> {
    fn time(&self) -> f64 {
        self.now.time
    }
    fn node(&self) -> NodeId {
        self.id
    }
    fn value(&self, field: FieldId) -> &Value {
        &self.values[field.0 as usize]
    }
    fn send(&mut self, field: FieldId, value: Value) {
        if !self.fits(field, &value, true) {
            return;
        }
        let k = field.0 as usize;
        if self.sent[k] != self.now.frame {
            self.sent[k] = self.now.frame;
            self.values[k] = value;
            self.fields_sent.push(field.0);
        } else if let Some(refused) = &mut self.refused {
            refused.push((field.0, value));
        }
    }
    fn send_state(&mut self, field: FieldId, state: bool) {
        if !self.fits(field, &Value::SFBool(state), true) {
            return;
        }
        let k = field.0 as usize;
        let (value, sent) = (&mut self.values[k], &mut self.sent[k]);
        let of = StateField { node: self.number, field: field.0, value, sent };
        if change(self.waiting, of, state, self.now.frame) {
            self.fields_sent.push(field.0);
        }
    }
    fn has_sent(&self, field: FieldId) -> bool {
        self.sent[field.0 as usize] == self.now.frame
    }
    fn set(&mut self, field: FieldId, value: Value) {
        if self.fits(field, &value, false) {
            self.values[field.0 as usize] = value;
        }
    }
    fn complain(&mut self, message: fmt::Arguments<'_>) {
        self.complaints.push((self.id, message.to_string()));
    }
    fn print(&mut self, text: &str) {
        if self.prints.len() < MOST_PRINTS {
            self.prints.push(Print { node: self.id, text: text.chars().take(LONGEST_PRINT).collect() });
        }
    }
    fn graph(&mut self) -> Option<&mut dyn GraphAccess> {
        match &mut self.around {
            Some(around) => Some(&mut **around),
            None => None,
        }
    }
}

impl Chunk {
    /// Gives node `k` its turn.
    pub fn turn(
        &mut self,
        k: u32,
        now: Now,
        around: Around<'_>,
        act: impl FnOnce(&mut dyn crate::event::behaviour::Behaviour, &mut dyn Turn),
    ) {
        let node = &mut self.nodes[k as usize];
        let fields = node.fields.start as usize..node.fields.end as usize;
        let mut turn = NodeTurn {
            now,
            id: node.id,
            number: k,
            node_type: &node.node_type,
            values: &mut self.ports.wide[fields.clone()],
            sent: &mut self.ports.wide_sent[fields],
            fields_sent: &mut self.turn,
            refused: self.refused.as_mut(),
            waiting: &mut self.waiting,
            complaints: &mut self.complaints,
            prints: &mut self.prints,
            around,
        };
        // A behaviour that panicked has ended its frame; it is asked again in the next one.
        let behaviour = node.behaviour.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        act(&mut **behaviour, &mut turn);
        if !self.turn.is_empty() {
            self.sent = now.frame;
        }
    }

    /// Begins a node's frame, if that is still to be done: states that waited are sent, and it looks at the clock.
    pub fn tick(&mut self, k: u32, now: Now, around: Around<'_>) {
        if now.is_before {
            return;
        }
        if !self.waiting.is_empty() {
            self.send_waiting(k, now);
        }
        let node = &mut self.nodes[k as usize];
        if !node.is_timed || node.ticked == now.frame {
            return;
        }
        node.ticked = now.frame;
        let mut has_more = false;
        self.turn(k, now, around, |behaviour, turn| {
            behaviour.tick(turn);
            has_more = behaviour.has_more_to_say();
        });
        if has_more {
            self.nodes[k as usize].received = now.frame;
        }
    }

    /// Hands an event to a node. `sends_once` refuses one to a field that has sent in this time stamp.
    pub fn receive(
        &mut self,
        k: u32,
        field: u32,
        value: Value,
        now: Now,
        around: Around<'_>,
        sends_once: bool,
    ) {
        let ActiveNode { node_type, fields, .. } = &self.nodes[k as usize];
        let passes = node_type.fields[field as usize].access == Access::InputOutput;
        let port = (fields.start + field) as usize;
        let has_sent = self.ports.wide_sent[port] == now.frame;
        if passes && sends_once && has_sent {
            return;
        }
        let mut around = around;
        let mut is_taken = true;
        let reborrow = around.as_mut().map(|a| &mut **a as &mut dyn GraphAccess);
        self.turn(k, now, reborrow, |behaviour, turn| {
            is_taken = behaviour.accepts(FieldId(field), &value, turn)
        });
        if !is_taken {
            return;
        }
        self.ports.wide[port] = value;
        self.nodes[k as usize].received = now.frame;
        if passes && !has_sent {
            self.ports.wide_sent[port] = now.frame;
            self.turn.push(field);
            self.sent = now.frame;
        }
        self.turn(k, now, around, |behaviour, turn| behaviour.receive(FieldId(field), turn));
    }

    /// Tells a node that all its events were received, if any was.
    pub fn processed(&mut self, k: u32, now: Now, around: Around<'_>) {
        let node = &mut self.nodes[k as usize];
        if node.received == now.frame {
            node.received = 0;
            self.turn(k, now, around, |behaviour, turn| behaviour.events_processed(turn));
        }
    }
}
