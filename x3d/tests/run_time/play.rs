//! A file that is played frame by frame.

use std::path::Path;

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::host::HostEvent;
use animation::event::nodes::binding::BindingStacks;
use animation::event::runtime::{EventGraph, EventOptions};
use engine::data::Store;
use weft_x3d::script::AllNodes;
use weft_x3d::script::fragments::Fragments;
use weft_x3d::{LoadOptions, load_file};

#[path = "../support/one_by_one.rs"]
mod one_by_one;
use one_by_one::OneByOne;

pub struct Run {
    pub graph: EventGraph,
    pub stacks: BindingStacks,
    store: Store,
    player: OneByOne,
    frames: u32,
}

impl Run {
    pub fn of(file: &Path, options: EventOptions) -> Self {
        let loaded = load_file(file, &LoadOptions::default()).unwrap_or_else(|d| panic!("{d:?}"));
        let options = EventOptions { log: true, ..options };
        let nodes = AllNodes::default();
        let stacks = nodes.built_in.stacks();
        let mut graph = EventGraph::new(loaded.scene, Box::new(nodes), options);
        graph.set_loader(Box::new(Fragments::new(loaded.loader)));
        Self { graph, stacks, store: Store::new(), player: OneByOne::default(), frames: 0 }
    }
    /// Plays a frame of a tenth of a second; what was delivered, by fields.
    pub fn frame(&mut self) -> Vec<String> {
        let time = f64::from(self.frames) / 10.0;
        self.frames += 1;
        let log = self.graph.frame(&mut self.store, &mut self.player, time).expect("a frame").clone();
        let end = |(node, field)| {
            let scene = self.graph.scene();
            let def = scene.node(node).def.clone().unwrap_or_default();
            format!("{def}.{}", scene.field((node, field)).name)
        };
        let ends = |route: u32| self.graph.route(route).map(|r| (end(r.from), end(r.to))).expect("a route");
        log.deliveries.iter().map(|d| ends(d.route)).map(|(from, to)| format!("{from}>{to}")).collect()
    }
    /// The last node of a name that is still there.
    pub fn node(&self, def: &str) -> Option<NodeId> {
        let nodes = &self.graph.scene().nodes;
        let of_name = (0..nodes.len()).rev().filter(|k| nodes[*k].def.as_deref() == Some(def));
        of_name.map(|k| NodeId(k as u32)).find(|id| !self.graph.is_removed(*id))
    }
    pub fn value(&self, def: &str, field: &str) -> Option<Value> {
        let node = self.node(def)?;
        let field = self.graph.scene().node(node).node_type.field(field)?;
        self.graph.value(&self.store, node, field)
    }
    pub fn send(&mut self, def: &str, field: &str, value: Value) {
        let node = self.node(def).expect("a node");
        let field = self.graph.scene().node(node).node_type.field(field).expect("a field");
        self.graph.send(node, field, value).expect("it receives");
    }
    pub fn tell(&mut self, def: &str, event: HostEvent) {
        let node = self.node(def).expect("a node");
        self.graph.tell(node, event);
    }
    pub fn findings(&mut self) -> String {
        self.graph.take_findings().iter().map(|d| format!("{d}\n")).collect()
    }
    pub fn complaints(&mut self) -> Vec<String> {
        self.graph.take_complaints().into_iter().map(|c| c.message).collect()
    }
}
