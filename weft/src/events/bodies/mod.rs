//! Rigid bodies of an event graph: each RigidBodyCollection is a simulation of mechanics, which goes a step, or some, from frame to frame.
//!
//! Before a frame, what events have changed since the last one goes into the mechanics, these go to the frame's time, and where bodies
//! are then comes to their nodes as events of the frame. What a frame changes of bodies is so felt from its end on.

mod outputs;
mod party;
mod running;
mod sensed;
mod told;

use std::collections::BTreeSet;

use animation::event::field::{Access, Value};
use animation::event::runtime::EventGraph;
use animation::event::scene::EventScene;
use animation::event::{FieldId, NodeId};
use engine::data::Store;
use scenes::diagnostics::Diagnostic;
use x3d::bodies::{BodySystem, Memory, add_contact_nodes};

use super::environment::Present;
use crate::simulation::SimulationOptions;
use running::Running;
use sensed::ContactNodes;

/// The bodies of a graph.
pub(super) struct Bodies {
    options: SimulationOptions,
    memory: Memory,
    contacts: ContactNodes,
    systems: Vec<Running>,
    /// Fields that say what bodies are, but not how they move, with their last values.
    watched: Vec<((NodeId, FieldId), Option<Value>)>,
    /// The version of the structure that they are of; none before the first frame.
    version: Option<u64>,
    said: BTreeSet<String>,
    found: Vec<Diagnostic>,
}

/// Fields by which bodies move or say how; all others say what they are.
const MOTION: &[(&str, &[&str])] = &[
    ("RigidBody", &["position", "orientation", "linearVelocity", "angularVelocity", "forces", "torques"]),
    ("RigidBodyCollection", &["enabled"]),
    ("CollisionSensor", &["enabled"]),
];

impl Bodies {
    /// Of a scene whose mechanics run as the options say. Contact nodes come to the scene where somebody may hear of contacts.
    pub fn of(scene: &mut EventScene, options: &SimulationOptions) -> Self {
        Self {
            options: options.clone(),
            memory: Memory::default(),
            contacts: add_contact_nodes(scene),
            systems: Vec::new(),
            watched: Vec::new(),
            version: None,
            said: BTreeSet::new(),
            found: Vec::new(),
        }
    }

    /// What was found since the last call: wrong, or not done.
    pub fn take_found(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.found)
    }

    /// Brings all bodies to the time of the frame that comes, `dt` after the last one if there was one.
    ///
    /// # Errors
    /// The mechanics cannot be made or do not go on, in words.
    pub fn before_frame(
        &mut self,
        graph: &mut EventGraph,
        store: &Store,
        (frame, dt): (u64, f64),
    ) -> Result<(), String> {
        if self.version != Some(graph.version()) || self.has_changed(graph, store) {
            self.read(graph, store, dt)?;
        }
        for system in &mut self.systems {
            if frame > 0 {
                system.advance(graph, store, dt)?;
            }
            system.tell(graph, store, &self.contacts);
        }
        Ok(())
    }

    fn has_changed(&self, graph: &EventGraph, store: &Store) -> bool {
        self.watched.iter().any(|((node, field), value)| graph.value(store, *node, *field) != *value)
    }

    /// Reads the collections, and makes mechanics of those that are others than before.
    fn read(&mut self, graph: &EventGraph, store: &Store, dt: f64) -> Result<(), String> {
        self.version = Some(graph.version());
        let present = Present { graph, store };
        let is_gone = |node| graph.is_removed(node);
        let (systems, found) = BodySystem::all(graph.scene(), &present, &is_gone, &mut self.memory);
        self.say(found);
        let mut before = std::mem::take(&mut self.systems);
        for system in systems {
            let known = before.iter().position(|r| r.node() == system.node);
            let known = known.map(|k| before.swap_remove(k));
            let (running, found) = Running::made(graph.scene(), system, known, &self.options, dt)?;
            self.systems.push(running);
            self.say(found);
        }
        self.watch(graph, store);
        Ok(())
    }

    /// Keeps what was not said before.
    fn say(&mut self, found: Vec<Diagnostic>) {
        for diagnostic in found {
            if self.said.insert(diagnostic.to_string()) {
                self.found.push(diagnostic);
            }
        }
    }

    fn watch(&mut self, graph: &EventGraph, store: &Store) {
        let scene = graph.scene();
        let mut fields = Vec::new();
        for system in &self.systems {
            for &node in system.sources() {
                let of = &scene.node(node).node_type;
                let motion = MOTION.iter().find(|(name, _)| *name == &*of.name).map_or(&[][..], |(_, f)| *f);
                let is_owned = system.owns_place_of(node);
                let owned: &[&str] = if is_owned { &["translation", "rotation"] } else { &[] };
                let others = ["metadata", "bboxDisplay", "visible"];
                let says = |name: &str| ![motion, owned, &others].iter().any(|list| list.contains(&name));
                let all = of.fields.iter().enumerate();
                let all = all.filter(|(_, f)| f.access == Access::InputOutput && says(&f.name));
                fields.extend(all.map(|(k, _)| (node, FieldId(k as u32))));
            }
        }
        fields.sort_unstable();
        fields.dedup();
        let value = |(node, field)| ((node, field), graph.value(store, node, field));
        self.watched = fields.into_iter().map(value).collect();
    }
}
