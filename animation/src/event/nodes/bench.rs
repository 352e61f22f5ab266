//! One node on its own, for tests: what is sent to it, and what it sends.

use std::fmt;
use std::sync::Arc;

use crate::event::behaviour::{Behaviour, Turn};
use crate::event::field::{Access, Value};
use crate::event::host::HostEvent;
use crate::event::scene::{FieldDeclaration, NodeType};
use crate::event::{FieldId, NodeId};

/// A node with its behaviour.
pub(super) struct Bench {
    node: Board,
    behaviour: Box<dyn Behaviour>,
}

struct Board {
    node_type: Arc<NodeType>,
    values: Vec<Value>,
    time: f64,
    sent: Vec<(FieldId, Value)>,
    /// States for the next frame.
    waiting: Vec<(FieldId, bool)>,
    complaints: Vec<String>,
}

impl Turn for Board {
    fn time(&self) -> f64 {
        self.time
    }
    fn node(&self) -> NodeId {
        NodeId(0)
    }
    fn value(&self, field: FieldId) -> &Value {
        &self.values[field.0 as usize]
    }
    fn send(&mut self, field: FieldId, value: Value) {
        let declared = &self.node_type.fields[field.0 as usize];
        assert_eq!(declared.field_type, value.field_type(), "{}", declared.name);
        assert!(declared.access.sends(), "{}", declared.name);
        if self.sent.iter().all(|(f, _)| *f != field) {
            self.values[field.0 as usize] = value.clone();
            self.sent.push((field, value));
        }
    }
    fn send_state(&mut self, field: FieldId, state: bool) {
        self.waiting.retain(|(f, _)| *f != field);
        if !self.has_sent(field) {
            self.send(field, Value::SFBool(state));
        } else if *self.value(field) != Value::SFBool(state) {
            self.waiting.push((field, state));
        }
    }
    fn has_sent(&self, field: FieldId) -> bool {
        self.sent.iter().any(|(f, _)| *f == field)
    }
    fn set(&mut self, field: FieldId, value: Value) {
        self.values[field.0 as usize] = value;
    }
    fn complain(&mut self, message: fmt::Arguments<'_>) {
        self.complaints.push(message.to_string());
    }
}

impl Bench {
    /// A node of a type of such fields, before its first frame at time 0.
    pub(super) fn new(name: &str, fields: &[(&str, Access, Value)]) -> Self {
        Self::at(name, fields, 0.0)
    }
    /// The same at another time.
    pub(super) fn at(name: &str, fields: &[(&str, Access, Value)], time: f64) -> Self {
        let node_type = Arc::new(NodeType {
            name: name.into(),
            fields: fields
                .iter()
                .map(|(name, access, default)| FieldDeclaration {
                    name: (*name).into(),
                    field_type: default.field_type(),
                    access: *access,
                    default: default.clone(),
                })
                .collect(),
            is_prototype: false,
        });
        let mut behaviour = super::behaviour_of(&node_type).unwrap_or_else(|| panic!("{name}"));
        let values = fields.iter().map(|f| f.2.clone()).collect();
        let (sent, waiting, complaints) = (Vec::new(), Vec::new(), Vec::new());
        let mut node = Board { node_type, values, time, sent, waiting, complaints };
        behaviour.initialize(&mut node);
        Self { node, behaviour }
    }
    fn field(&self, name: &str) -> FieldId {
        self.node.node_type.field(name).unwrap_or_else(|| panic!("no {name}"))
    }
    fn take(&mut self) -> Vec<(&str, Value)> {
        let sent = std::mem::take(&mut self.node.sent);
        let name = |f: FieldId| &*self.node.node_type.fields[f.0 as usize].name;
        sent.into_iter().map(|(f, v)| (name(f), v)).collect()
    }
    fn deliver(&mut self, events: &[(&str, Value)]) {
        for (name, value) in events {
            let field = self.field(name);
            let declared = &self.node.node_type.fields[field.0 as usize];
            assert_eq!(declared.field_type, value.field_type(), "{name}");
            if self.behaviour.accepts(field, value, &self.node) {
                self.node.values[field.0 as usize] = value.clone();
                self.behaviour.receive(field, &mut self.node);
            }
        }
        self.behaviour.events_processed(&mut self.node);
    }
    fn begin(&mut self) {
        for (field, state) in std::mem::take(&mut self.node.waiting) {
            self.node.send_state(field, state);
        }
    }
    /// What the node sends when events reach it in one time stamp.
    pub(super) fn events(&mut self, events: &[(&str, Value)]) -> Vec<(&str, Value)> {
        self.deliver(events);
        self.take()
    }
    /// The same of one event.
    pub(super) fn event(&mut self, name: &str, value: Value) -> Vec<(&str, Value)> {
        self.events(&[(name, value)])
    }
    /// What the node sends in a new frame.
    pub(super) fn tick(&mut self, time: f64) -> Vec<(&str, Value)> {
        self.tick_with(time, &[])
    }
    /// The same, with events in the frame's cascade.
    pub(super) fn tick_with(&mut self, time: f64, events: &[(&str, Value)]) -> Vec<(&str, Value)> {
        self.node.time = time;
        self.begin();
        if self.behaviour.is_time_dependent() {
            self.behaviour.tick(&mut self.node);
        }
        if !events.is_empty() || self.behaviour.has_more_to_say() {
            self.deliver(events);
        }
        self.take()
    }
    /// What the node sends when the host tells it something at a time.
    pub(super) fn host(&mut self, time: f64, event: &HostEvent) -> Vec<(&str, Value)> {
        self.told(time, std::slice::from_ref(event))
    }
    /// The same of several things.
    pub(super) fn told(&mut self, time: f64, events: &[HostEvent]) -> Vec<(&str, Value)> {
        self.node.time = time;
        self.begin();
        events.iter().for_each(|event| self.behaviour.host(event, &mut self.node));
        self.take()
    }
    /// What the node sends when the host tells it something at a time, and events reach it.
    pub(super) fn host_with(
        &mut self,
        time: f64,
        event: &HostEvent,
        events: &[(&str, Value)],
    ) -> Vec<(&str, Value)> {
        self.node.time = time;
        self.begin();
        self.behaviour.host(event, &mut self.node);
        self.deliver(events);
        self.take()
    }
    /// A field's present value.
    pub(super) fn value(&self, name: &str) -> Value {
        self.node.value(self.field(name)).clone()
    }
    /// What the node has complained of.
    pub(super) fn complaints(&self) -> &[String] {
        &self.node.complaints
    }
}
