//! A graph in which Scripts run, event by event.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use animation::event::behaviour::{Behaviour, Behaviours, Turn};
use animation::event::field::Access::{self, InitializeOnly, InputOutput};
use animation::event::field::Value::{self, MFString, SFBool};
use animation::event::graph_access::{Ends, GraphAccess, GraphError};
use animation::event::scene::{
    Context, ContextKind, Declared, EventScene, FieldDeclaration, Node, NodeType, Route,
};
use animation::event::{ContextId, FieldId, NodeId};
use diagnostics::Location;

use crate::script::Scripts;
use crate::script::limits::{Limits, Stop};
use crate::script::source::LocalFiles;

pub(super) struct Graph {
    pub(super) scene: EventScene,
    pub(super) time: f64,
    /// Events on their way.
    queue: VecDeque<(NodeId, FieldId, Value)>,
    /// What has been sent in this time stamp.
    pub(super) sent: Vec<(NodeId, String, Value)>,
    pub(super) complaints: Vec<String>,
    pub(super) printed: Vec<String>,
    removed: Vec<NodeId>,
}

pub(super) struct Bench {
    pub(super) graph: Graph,
    behaviours: Vec<Option<Box<dyn Behaviour>>>,
}

/// Fields of a node: name, access, value.
pub(super) type Fields<'a> = &'a [(&'a str, Access, Value)];

fn node(name: &str, def: &str, fields: Fields<'_>) -> Node {
    let declared = |(name, access, value): &(&str, Access, Value)| FieldDeclaration {
        name: (*name).into(),
        field_type: value.field_type(),
        access: *access,
        default: value.clone(),
    };
    Node {
        node_type: Arc::new(NodeType {
            name: name.into(),
            fields: fields.iter().map(declared).collect(),
            is_prototype: false,
        }),
        def: Some(def.into()),
        values: fields.iter().map(|f| f.2.clone()).collect(),
        context: ContextId(0),
        location: Location::default(),
    }
}

impl Bench {
    /// An empty graph.
    pub(super) fn new() -> Self {
        let file = Context {
            kind: ContextKind::File,
            parent: None,
            file: "scene.x3d".into(),
            roots: Vec::new(),
            imports: Vec::new(),
            metadata: Vec::new(),
            declared: Arc::default(),
        };
        let scene = EventScene { contexts: vec![file], ..EventScene::default() };
        let graph = Graph {
            scene,
            time: 0.0,
            queue: VecDeque::new(),
            sent: Vec::new(),
            complaints: Vec::new(),
            printed: Vec::new(),
            removed: Vec::new(),
        };
        Self { graph, behaviours: Vec::new() }
    }
    /// One Script of a text, with fields, which has been initialized.
    pub(super) fn script(text: &str, fields: Fields<'_>) -> Self {
        let mut bench = Self::new();
        bench.add_script("S", text, false, fields);
        bench.start();
        bench
    }
    pub(super) fn add(&mut self, name: &str, def: &str, fields: Fields<'_>) -> NodeId {
        let id = NodeId(self.graph.scene.nodes.len() as u32);
        self.graph.scene.nodes.push(node(name, def, fields));
        self.graph.scene.contexts[0].roots.push(id);
        id
    }
    pub(super) fn add_script(&mut self, def: &str, text: &str, direct: bool, fields: Fields<'_>) -> NodeId {
        let url = MFString([Arc::from(format!("ecmascript:{text}"))].into());
        let common = [
            ("directOutput", InitializeOnly, SFBool(direct)),
            ("mustEvaluate", InitializeOnly, SFBool(false)),
            ("url", InputOutput, url),
        ];
        self.add("Script", def, &[&common, fields].concat())
    }
    pub(super) fn route(&mut self, from: (NodeId, &str), to: (NodeId, &str)) {
        let end = |(node, field): (NodeId, &str)| {
            (node, self.graph.scene.node(node).node_type.field(field).expect("a field"))
        };
        let route = Route {
            from: end(from),
            to: end(to),
            sides: [true; 2],
            older_names: [None, None],
            location: Location::default(),
        };
        self.graph.scene.routes.push(route);
    }
    /// Gives nodes their behaviours, and initializes them.
    pub(super) fn start(&mut self) {
        self.start_with(Limits::default());
    }
    pub(super) fn start_with(&mut self, limits: Limits) {
        self.start_until(limits, Stop::default());
    }
    pub(super) fn start_until(&mut self, limits: Limits, stop: Stop) {
        let mut scripts = Scripts::new(limits, LocalFiles);
        scripts.stop_at(stop);
        for k in self.behaviours.len()..self.graph.scene.nodes.len() {
            let id = NodeId(k as u32);
            let behaviour = scripts
                .behaviour_of(&self.graph.scene, id)
                .or_else(|| animation::event::nodes::behaviour_of(&self.graph.scene.node(id).node_type));
            self.behaviours.push(behaviour);
        }
        for k in 0..self.behaviours.len() {
            self.with(NodeId(k as u32), |b, turn| b.initialize(turn));
        }
        self.cascade();
    }
    fn with(&mut self, node: NodeId, work: impl FnOnce(&mut dyn Behaviour, &mut dyn Turn)) {
        if let Some(Some(behaviour)) = self.behaviours.get_mut(node.0 as usize) {
            work(&mut **behaviour, &mut At { graph: &mut self.graph, node });
        }
    }
    /// Lets events travel until there are none.
    fn cascade(&mut self) {
        while let Some((node, _, _)) = self.graph.queue.front() {
            let node = *node;
            let (mine, others): (VecDeque<_>, VecDeque<_>) =
                self.graph.queue.drain(..).partition(|e| e.0 == node);
            self.graph.queue = others;
            for (_, field, value) in mine {
                self.graph.set(node, field, value.clone());
                if self.graph.scene.field((node, field)).access == InputOutput {
                    self.graph.emit(node, field, value);
                }
                self.with(node, |b, turn| b.receive(field, turn));
            }
            self.with(node, |b, turn| b.events_processed(turn));
        }
    }
    /// A new frame with events.
    pub(super) fn frame(&mut self, time: f64, events: &[(NodeId, &str, Value)]) {
        self.graph.time = time;
        self.graph.sent.clear();
        for (node, field, value) in events {
            let id = self.graph.scene.node(*node).node_type.field(field).expect("a field");
            self.graph.queue.push_back((*node, id, value.clone()));
        }
        self.cascade();
    }
    /// The next frame with one event for the first node.
    pub(super) fn event(&mut self, field: &str, value: Value) {
        self.frame(self.graph.time + 1.0, &[(NodeId(0), field, value)]);
    }
    pub(super) fn value(&self, node: NodeId, field: &str) -> Value {
        let it = self.graph.scene.node(node);
        it.values[it.node_type.field(field).expect("a field").0 as usize].clone()
    }
    /// What the first node has sent of a field in the last time stamp.
    pub(super) fn sent(&self, field: &str) -> Option<Value> {
        self.graph.sent.iter().find(|s| s.0 == NodeId(0) && s.1 == field).map(|s| s.2.clone())
    }
    /// What has been printed, and what was complained of, since the last time.
    pub(super) fn words(&mut self) -> (Vec<String>, Vec<String>) {
        (std::mem::take(&mut self.graph.printed), std::mem::take(&mut self.graph.complaints))
    }
    pub(super) fn shutdown(&mut self) {
        for k in 0..self.behaviours.len() {
            self.with(NodeId(k as u32), |b, turn| b.shutdown(turn));
        }
    }
}

impl Graph {
    fn set(&mut self, node: NodeId, field: FieldId, value: Value) {
        assert_eq!(self.scene.field((node, field)).field_type, value.field_type());
        self.scene.nodes[node.0 as usize].values[field.0 as usize] = value;
    }
    fn emit(&mut self, node: NodeId, field: FieldId, value: Value) {
        let name = self.scene.field((node, field)).name.to_string();
        if self.sent.iter().any(|s| s.0 == node && s.1 == name) {
            return;
        }
        for route in &self.scene.routes {
            if route.from == (node, field) {
                self.queue.push_back((route.to.0, route.to.1, value.clone()));
            }
        }
        self.set(node, field, value.clone());
        self.sent.push((node, name, value));
    }
    fn declared(&self, node: NodeId, field: FieldId) -> Result<&FieldDeclaration, GraphError> {
        let node = self.scene.nodes.get(node.0 as usize).filter(|_| !self.removed.contains(&node));
        let node = node.ok_or(GraphError::NoSuchNode)?;
        node.node_type.fields.get(field.0 as usize).ok_or(GraphError::NoSuchField)
    }
}

/// A node's turn.
struct At<'a> {
    graph: &'a mut Graph,
    node: NodeId,
}

impl Turn for At<'_> {
    fn time(&self) -> f64 {
        self.graph.time
    }
    fn node(&self) -> NodeId {
        self.node
    }
    fn value(&self, field: FieldId) -> &Value {
        &self.graph.scene.node(self.node).values[field.0 as usize]
    }
    fn send(&mut self, field: FieldId, value: Value) {
        self.graph.emit(self.node, field, value);
    }
    fn send_state(&mut self, field: FieldId, state: bool) {
        self.send(field, Value::SFBool(state));
    }
    fn has_sent(&self, _field: FieldId) -> bool {
        false
    }
    fn set(&mut self, field: FieldId, value: Value) {
        self.graph.set(self.node, field, value);
    }
    fn complain(&mut self, message: fmt::Arguments<'_>) {
        self.graph.complaints.push(message.to_string());
    }
    fn print(&mut self, text: &str) {
        self.graph.printed.push(text.to_owned());
    }
    fn graph(&mut self) -> Option<&mut dyn GraphAccess> {
        Some(self.graph)
    }
}

impl GraphAccess for Graph {
    fn node_type(&self, node: NodeId) -> Option<Arc<NodeType>> {
        let there = !self.removed.contains(&node);
        self.scene.nodes.get(node.0 as usize).filter(|_| there).map(|n| n.node_type.clone())
    }
    fn def(&self, node: NodeId) -> Option<Arc<str>> {
        self.scene.nodes.get(node.0 as usize).and_then(|n| n.def.clone())
    }
    fn value(&self, node: NodeId, field: FieldId) -> Result<Value, GraphError> {
        self.declared(node, field)?;
        Ok(self.scene.node(node).values[field.0 as usize].clone())
    }
    fn send_to(&mut self, node: NodeId, field: FieldId, value: Value) -> Result<(), GraphError> {
        let declared = self.declared(node, field)?;
        if !declared.access.receives() {
            return Err(GraphError::Access(declared.access));
        }
        let (expected, given) = (declared.field_type, value.field_type());
        if expected != given {
            return Err(GraphError::Type { expected, given });
        }
        self.set(node, field, value.clone());
        self.queue.push_back((node, field, value));
        Ok(())
    }
    fn emit_from(&mut self, node: NodeId, field: FieldId, value: Value) -> Result<(), GraphError> {
        self.declared(node, field)?;
        self.emit(node, field, value);
        Ok(())
    }
    fn emit_state_from(&mut self, node: NodeId, field: FieldId, state: bool) -> Result<(), GraphError> {
        self.emit_from(node, field, Value::SFBool(state))
    }
    fn add_route(&mut self, from: (NodeId, FieldId), to: (NodeId, FieldId)) -> Result<(), GraphError> {
        self.scene.routes.push(Route {
            from,
            to,
            sides: [true; 2],
            older_names: [None, None],
            location: Location::default(),
        });
        Ok(())
    }
    fn delete_route(&mut self, from: (NodeId, FieldId), to: (NodeId, FieldId)) -> Result<(), GraphError> {
        let before = self.scene.routes.len();
        self.scene.routes.retain(|r| (r.from, r.to) != (from, to));
        if self.scene.routes.len() == before {
            return Err(GraphError::Route("there is no such route".into()));
        }
        Ok(())
    }
    fn routes(&self, _context: ContextId) -> Vec<Ends> {
        self.scene.routes.iter().map(|r| (r.from, r.to)).collect()
    }
    /// Knows empty nodes only.
    fn create_from_text(&mut self, context: ContextId, text: &str) -> Result<Vec<NodeId>, GraphError> {
        let words: Vec<&str> = text.split("{}").map(str::trim).filter(|w| !w.is_empty()).collect();
        words.iter().map(|word| self.create_node(context, word)).collect()
    }
    fn create_from_urls(&mut self, context: ContextId, urls: &[Arc<str>]) -> Result<Vec<NodeId>, GraphError> {
        let url = urls.first().ok_or(GraphError::Unsupported("no address".into()))?;
        self.create_from_text(context, url.trim_end_matches(".x3d"))
    }
    fn create_node(&mut self, _context: ContextId, type_name: &str) -> Result<NodeId, GraphError> {
        if !type_name.chars().all(char::is_alphanumeric) {
            return Err(GraphError::Unsupported(format!("`{type_name}` is no type")));
        }
        let id = NodeId(self.scene.nodes.len() as u32);
        let fields = [("translation", InputOutput, Value::SFVec3f([0.0; 3]))];
        let mut new = node(type_name, "", &fields);
        new.def = None;
        self.scene.nodes.push(new);
        Ok(id)
    }
    fn remove(&mut self, node: NodeId) -> Result<(), GraphError> {
        self.removed.push(node);
        Ok(())
    }
    fn set_roots(&mut self, context: ContextId, roots: &[NodeId]) -> Result<(), GraphError> {
        self.scene.contexts[context.0 as usize].roots = roots.to_vec();
        Ok(())
    }
    fn roots(&self, context: ContextId) -> Vec<NodeId> {
        self.scene.contexts[context.0 as usize].roots.clone()
    }
    fn find(&self, _context: ContextId, name: &str) -> Option<NodeId> {
        let at = self.scene.nodes.iter().position(|n| n.def.as_deref() == Some(name));
        at.map(|k| NodeId(k as u32))
    }
    fn metadata(&self, context: ContextId, name: &str) -> Option<Arc<str>> {
        let said = &self.scene.contexts.get(context.0 as usize)?.metadata;
        said.iter().find(|(known, _)| &**known == name).map(|(_, content)| content.clone())
    }
    fn declared(&self, context: ContextId) -> Option<Arc<Declared>> {
        Some(self.scene.contexts.get(context.0 as usize)?.declared.clone())
    }
    fn world_url(&self) -> Arc<str> {
        self.scene.contexts[0].file.clone()
    }
}
