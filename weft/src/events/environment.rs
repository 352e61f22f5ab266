//! What is around an event graph while it plays: who looks at it, and what nodes sense of that.

use std::collections::VecDeque;

use animation::event::field::Value;
use animation::event::host::{HostEvent, Key};
use animation::event::nodes::binding::{Bindable, BindingStacks};
use animation::event::nodes::layers::Layers;
use animation::event::nodes::sensors::POINTING_SENSORS;
use animation::event::runtime::EventGraph;
use animation::event::scene::EventScene;
use animation::event::{FieldId, NodeId};
use engine::data::Store;
use viewer::viewpoint::Wants;
use x3d::shape::{FieldValues, Picks, Senses, Viewer};

/// The present values of a graph's fields.
pub(crate) struct Present<'a> {
    /// The graph.
    pub graph: &'a EventGraph,
    /// Where its values are.
    pub store: &'a Store,
}

impl FieldValues for Present<'_> {
    fn present(&self, node: NodeId, field: FieldId) -> Value {
        let cold = || self.graph.scene().node(node).values[field.0 as usize].clone();
        self.graph.value(self.store, node, field).unwrap_or_else(cold)
    }
}

/// Who looks at a graph.
pub(crate) struct Environment {
    stacks: BindingStacks,
    layers: Layers,
    senses: Senses,
    picks: Picks,
    /// The version of the structure that the senses are of.
    version: Option<u64>,
    /// How many nodes were asked whether they sense something, whether one does, whether a pointer touches some, and which hear of keys.
    n_asked: usize,
    is_sensed: bool,
    is_touched: bool,
    listeners: Vec<NodeId>,
    /// Keys that went down or up: each frame hears of one, since a field sends once in a frame.
    keys: VecDeque<(Key, bool)>,
    /// Who looks, if it is somebody before a window; else it is looked at from the bound viewpoint.
    pub viewer: Option<Viewer>,
}

impl Environment {
    /// Of a graph whose viewpoints are bound by these stacks.
    pub fn new(stacks: BindingStacks) -> Self {
        Self {
            stacks,
            layers: Layers::default(),
            senses: Senses::default(),
            picks: Picks::default(),
            version: None,
            n_asked: 0,
            is_sensed: false,
            is_touched: false,
            listeners: Vec::new(),
            keys: VecDeque::new(),
            viewer: None,
        }
    }

    /// What nodes are to be told before the next frame.
    pub fn told(&mut self, graph: &EventGraph, values: &dyn FieldValues) -> Vec<(NodeId, HostEvent)> {
        let scene = graph.scene();
        self.ask(graph);
        let key = if self.listeners.is_empty() { None } else { self.keys.pop_front() };
        let hears = |node: &NodeId| {
            let (key, pressed) = key.clone()?;
            Some((*node, HostEvent::Key { key, pressed }))
        };
        let mut told: Vec<_> = self.listeners.iter().filter_map(hears).collect();
        // Most graphs have no such nodes, and pay nothing.
        if !self.picks.is_empty() {
            self.picks.tell(scene, values, |node, event| told.push((node, event)));
        }
        if !self.is_sensed {
            return told;
        }
        self.look(graph, values);
        let active = self.active_layer(scene, values);
        for layer in 0..=self.layers.n_layers() {
            let first = || self.senses.first(|node| self.layers.layer_of(node) == layer);
            let bound = self.bound(graph, layer, Bindable::Viewpoint).or_else(first);
            let navigation = self.bound(graph, layer, Bindable::Navigation);
            // Who moves before a window moves in the layer that is active.
            let own = self.viewer.filter(|_| layer == active);
            let at_bound = || bound.map(|_| self.senses.viewer(scene, values, bound)).unwrap_or_default();
            let viewer = own.unwrap_or_else(at_bound);
            self.senses.tell(scene, values, &viewer, navigation, |node, event| {
                if !graph.is_removed(node) && self.layers.layer_of(node) == layer {
                    told.push((node, event));
                }
            });
        }
        told
    }

    /// What is to be found out of who looks.
    pub fn wants(&self) -> Wants {
        Wants { viewer: self.is_sensed, keys: !self.listeners.is_empty(), pointer: self.is_touched }
    }

    /// Asks nodes that came what they sense; one that is switched off ignores by itself what it is told.
    fn ask(&mut self, graph: &EventGraph) {
        let scene = graph.scene();
        for k in self.n_asked..scene.nodes.len() {
            let name = &*scene.nodes[k].node_type.name;
            self.is_sensed |= Senses::are_of(name);
            self.is_touched |= POINTING_SENSORS.contains(&name);
            if Picks::are_of(name) {
                self.picks.add(NodeId(k as u32));
            }
            if matches!(name, "KeySensor" | "StringSensor") {
                self.listeners.push(NodeId(k as u32));
            }
        }
        self.n_asked = scene.nodes.len();
        self.listeners.retain(|node| !graph.is_removed(*node));
        self.picks.retain(|node| !graph.is_removed(node));
    }

    /// A key went down or up.
    pub fn press(&mut self, key: Key, pressed: bool) {
        self.keys.push_back((key, pressed));
    }

    /// From where the bound viewpoint looks; none where a file has no viewpoint.
    pub fn viewpoint(&mut self, graph: &EventGraph, values: &dyn FieldValues) -> Option<Viewer> {
        self.ask(graph);
        self.look(graph, values);
        let active = self.active_layer(graph.scene(), values);
        let bound = self.bound(graph, active, Bindable::Viewpoint);
        self.senses.viewpoint(graph.scene(), values, bound)
    }

    /// The layer that whoever looks moves in.
    fn active_layer(&self, scene: &EventScene, values: &dyn FieldValues) -> u32 {
        let active = |set: NodeId| Some(values.present(set, scene.node(set).node_type.field("activeLayer")?));
        match self.layers.set().and_then(active) {
            Some(Value::SFInt32(active)) => u32::try_from(active).unwrap_or(0).min(self.layers.n_layers()),
            _ => 0,
        }
    }

    fn bound(&self, graph: &EventGraph, layer: u32, kind: Bindable) -> Option<NodeId> {
        self.stacks.bound_in(layer, kind).filter(|node| !graph.is_removed(*node))
    }

    /// Finds the nodes that sense something, if others are there than before.
    fn look(&mut self, graph: &EventGraph, values: &dyn FieldValues) {
        let version = graph.version();
        if self.version != Some(version) {
            self.version = Some(version);
            self.senses = Senses::of(graph.scene(), values);
            self.layers.look(graph.scene());
        }
    }
}
