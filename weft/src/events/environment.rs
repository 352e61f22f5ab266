//! What is around an event graph while it plays: who looks at it, and what nodes sense of that.

use std::collections::VecDeque;

use animation::event::NodeId;
use animation::event::host::{HostEvent, Key};
use animation::event::nodes::binding::{Bindable, BindingStacks};
use viewer::viewpoint::Wants;
use x3d::shape::{FieldValues, Senses, Viewer};

use super::EventSimulation;

/// Who looks at a graph.
pub(super) struct Environment {
    stacks: BindingStacks,
    senses: Senses,
    /// The version of the structure that the senses are of.
    version: Option<u64>,
    /// How many nodes were asked whether they sense something, and whether one does.
    n_asked: usize,
    is_sensed: bool,
    /// The same of keys.
    n_heard: usize,
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
            senses: Senses::default(),
            version: None,
            n_asked: 0,
            is_sensed: false,
            n_heard: 0,
            listeners: Vec::new(),
            keys: VecDeque::new(),
            viewer: None,
        }
    }

    /// What nodes are to be told before the next frame.
    pub fn told(&mut self, simulation: &EventSimulation) -> Vec<(NodeId, HostEvent)> {
        let scene = simulation.graph().scene();
        let new = &scene.nodes[self.n_asked.min(scene.nodes.len())..];
        self.is_sensed |= new.iter().any(|node| Senses::are_of(&node.node_type.name));
        self.n_asked = scene.nodes.len();
        self.find_listeners(simulation);
        let key = if self.listeners.is_empty() { None } else { self.keys.pop_front() };
        let hears = |node: &NodeId| {
            let (key, pressed) = key.clone()?;
            Some((*node, HostEvent::Key { key, pressed }))
        };
        let mut told: Vec<_> = self.listeners.iter().filter_map(hears).collect();
        // Most graphs have no such nodes, and pay nothing.
        if !self.is_sensed {
            return told;
        }
        self.look(simulation);
        let bound = self.bound(simulation);
        let viewer = self.viewer.unwrap_or_else(|| self.senses.viewer(scene, simulation, bound));
        self.senses.tell(scene, simulation, &viewer, |node, event| {
            if !simulation.graph().is_removed(node) {
                told.push((node, event));
            }
        });
        told
    }

    /// What is to be found out of who looks.
    pub fn wants(&self) -> Wants {
        Wants { viewer: self.is_sensed, keys: !self.listeners.is_empty() }
    }

    /// The nodes that hear of keys. Of StringSensors and KeySensors that are switched off, each ignores them itself.
    fn find_listeners(&mut self, simulation: &EventSimulation) {
        let scene = simulation.graph().scene();
        let new = (self.n_heard..scene.nodes.len()).map(|k| NodeId(k as u32));
        let hears = |id: &NodeId| matches!(&*scene.node(*id).node_type.name, "KeySensor" | "StringSensor");
        self.listeners.extend(new.filter(hears));
        self.n_heard = scene.nodes.len();
        self.listeners.retain(|node| !simulation.graph().is_removed(*node));
    }

    /// A key went down or up.
    pub fn press(&mut self, key: Key, pressed: bool) {
        self.keys.push_back((key, pressed));
    }

    /// From where the bound viewpoint looks; none where a file has no viewpoint.
    pub fn viewpoint(&mut self, simulation: &EventSimulation) -> Option<Viewer> {
        self.look(simulation);
        let bound = self.bound(simulation);
        self.senses.viewpoint(simulation.graph().scene(), simulation as &dyn FieldValues, bound)
    }

    fn bound(&self, simulation: &EventSimulation) -> Option<NodeId> {
        let bound = self.stacks.bound(Bindable::Viewpoint);
        bound.filter(|node| !simulation.graph().is_removed(*node))
    }

    /// Finds the nodes that sense something, if others are there than before.
    fn look(&mut self, simulation: &EventSimulation) {
        let version = simulation.graph().version();
        if self.version != Some(version) {
            self.version = Some(version);
            self.senses = Senses::of(simulation.graph().scene(), simulation);
        }
    }
}
