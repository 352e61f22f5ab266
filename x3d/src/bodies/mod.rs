//! Rigid bodies of a scene as plain data: what mechanics needs to know of a RigidBodyCollection.
//!
//! [`BodySystem::all`] reads the collections of a scene with the present values of its fields. Nothing moves here: whoever simulates the
//! bodies reads them again when something but their motion has changed. `unmet.rs` names what a file asks for and nobody does.
//!
//! **Source:** ISO/IEC 19775-1, clause 37, *Rigid body physics*.

mod body;
mod collidable;
mod contact_nodes;
mod joint;
mod mass;
mod pose;
mod reader;
mod solid;
mod unmet;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use animation::event::NodeId;
use animation::event::scene::EventScene;
use diagnostics::Diagnostic;

use crate::shape::FieldValues;
use reader::Reader;

pub use body::Body;
pub use collidable::Collidable;
pub use contact_nodes::add_contact_nodes;
pub use joint::{Joint, JointEnd, JointKind};
pub use pose::Pose;
pub use solid::{Solid, Surface};

/// What a file says once and the fields no longer say when bodies have moved.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Where a CollidableOffset stands in its body; its fields then say where it stands in the world.
    offsets: BTreeMap<NodeId, Pose>,
    /// Where joints hold their bodies: anchors and axes are given in the world, for the bodies where they were then.
    joints: BTreeMap<NodeId, joint::Held>,
}

/// What touches does to what touches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Coefficient of friction.
    pub friction: f64,
    /// Share of the speed with which surfaces part that they had when they met.
    pub bounce: f64,
    /// Slower ones do not bounce \[m/s\].
    pub least_bounce_speed: f64,
}

/// Bodies that interact: a RigidBodyCollection.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySystem {
    /// The RigidBodyCollection.
    pub node: NodeId,
    /// Acceleration that all bodies feel but those that do without \[m/s^2\].
    pub gravity: [f64; 3],
    /// Sweeps over all multipliers in a step, at most.
    pub sweeps: u32,
    /// Whether time does not matter.
    pub is_accurate: bool,
    /// The bodies that are enabled.
    pub bodies: Vec<Body>,
    /// What bodies collide with, and what is no body's.
    pub obstacles: Vec<Collidable>,
    /// What joins bodies.
    pub joints: Vec<Joint>,
    /// What contacts do.
    pub contacts: Contacts,
    /// Its CollisionCollection.
    pub collider: Option<NodeId>,
    /// CollisionSensors that report of its collider.
    pub sensors: Vec<NodeId>,
    /// All nodes that this was read from.
    pub sources: Vec<NodeId>,
}

impl BodySystem {
    /// Whether a type has collections.
    pub fn is_of(type_name: &str) -> bool {
        type_name == "RigidBodyCollection"
    }

    /// The collections of a scene, but those that `is_gone` names, and what is wrong with them or is not done.
    pub fn all(
        scene: &EventScene,
        values: &dyn FieldValues,
        is_gone: &dyn Fn(NodeId) -> bool,
        memory: &mut Memory,
    ) -> (Vec<Self>, Vec<Diagnostic>) {
        let mut reader = Reader::new(scene, values, memory);
        let all = (0..scene.nodes.len() as u32).map(NodeId).filter(|node| {
            let of = &scene.node(*node).node_type;
            Self::is_of(&of.name) && !of.is_prototype && !is_gone(*node)
        });
        let systems: Vec<Self> = all.map(|node| reader.system(node)).collect();
        for sensor in (0..scene.nodes.len() as u32).map(NodeId).filter(|node| !is_gone(*node)) {
            let is_heard = || systems.iter().any(|s| s.sensors.contains(&sensor));
            if reader.fields.type_name(sensor) == "CollisionSensor" && !is_heard() {
                reader.warn(
                    sensor,
                    "collider",
                    "no RigidBodyCollection has this collider: it senses nothing",
                );
            }
        }
        (systems, reader.found)
    }
}

impl Reader<'_> {
    fn system(&mut self, node: NodeId) -> BodySystem {
        self.sources = vec![node];
        self.tell_of_unmet(node);
        let collider = self.collider(node);
        let listed = collider.map(|c| self.listed(c)).unwrap_or_default();
        let contacts = collider.map(|c| self.contacts(c)).unwrap_or_default();
        let (mut bodies, mut numbers) = (Vec::new(), BTreeMap::new());
        for body in self.nodes(node, "bodies") {
            match numbers.entry(body) {
                Entry::Occupied(_) => self.warn(body, "", "listed twice in `bodies`: it is one body"),
                Entry::Vacant(number) => {
                    if let Some(read) = self.body(body, &listed) {
                        number.insert(bodies.len());
                        bodies.push(read);
                    }
                }
            }
        }
        let is_owned = |listed: &NodeId| {
            let owned = bodies.iter().flat_map(|b: &Body| &b.collidables);
            owned.into_iter().any(|c| c.node == *listed || c.inner == Some(*listed))
        };
        let free: Vec<NodeId> = listed.iter().filter(|c| !is_owned(c)).copied().collect();
        let obstacles = free.into_iter().filter_map(|c| self.obstacle(c)).collect();
        let joints = self.nodes(node, "joints");
        let joints = joints.into_iter().filter_map(|j| self.joint(j, &bodies, &numbers)).collect();
        let sensors = collider.map(|c| self.sensors(c)).unwrap_or_default();
        let mut sources = std::mem::take(&mut self.sources);
        sources.sort_unstable();
        sources.dedup();
        BodySystem {
            node,
            gravity: self.fields.three(node, "gravity", [0.0, -9.8, 0.0]),
            sweeps: self.fields.number(node, "iterations", 10.0).max(1.0) as u32,
            is_accurate: self.fields.flag(node, "preferAccuracy", false),
            bodies,
            obstacles,
            joints,
            contacts,
            collider,
            sensors,
            sources,
        }
    }

    /// The CollisionCollection of a collection of bodies: its own, or that of a sensor whose contacts are routed to it.
    fn collider(&mut self, node: NodeId) -> Option<NodeId> {
        if let Some(own) = self.node(node, "collider") {
            return Some(own);
        }
        let scene = self.fields.scene;
        let to = scene.node(node).node_type.field("set_contacts");
        let route = scene.routes.iter().find(|r| r.to.0 == node && Some(r.to.1) == to)?;
        let from = scene.node(route.from.0);
        if &*from.node_type.name == "CollisionSensor" {
            self.sources.push(route.from.0);
            return self.node(route.from.0, "collider");
        }
        self.warn(
            node,
            "set_contacts",
            "contacts that come from elsewhere than a CollisionSensor do nothing",
        );
        None
    }

    /// What a CollisionCollection says of contacts.
    fn contacts(&mut self, collider: NodeId) -> Contacts {
        self.tell_of_unmet(collider);
        let [friction, across] = self.fields.two(collider, "frictionCoefficients", [0.0; 2]);
        let applied = self.words(collider, "appliedParameters");
        let applies = |word: &str| applied.iter().any(|w| **w == *word);
        if applies("FRICTION_COEFFICIENT-2") && across != friction {
            let text = "friction is the same in all directions here: the first coefficient counts";
            self.warn(collider, "frictionCoefficients", text);
        }
        let bounce = if applies("BOUNCE") { self.fields.number(collider, "bounce", 0.0) } else { 0.0 };
        let least_bounce_speed = self.fields.number(collider, "minBounceSpeed", 0.1).max(0.0);
        Contacts { friction: friction.max(0.0), bounce: bounce.clamp(0.0, 1.0), least_bounce_speed }
    }

    /// CollisionSensors of a collider.
    fn sensors(&mut self, collider: NodeId) -> Vec<NodeId> {
        let all = (0..self.fields.scene.nodes.len() as u32).map(NodeId);
        let sensors: Vec<NodeId> = all.filter(|n| self.fields.type_name(*n) == "CollisionSensor").collect();
        let of = |s: &NodeId| self.resolved(self.fields.node(*s, "collider")) == Some(collider);
        let sensors: Vec<NodeId> = sensors.into_iter().filter(of).collect();
        self.sources.extend(&sensors);
        sensors
    }
}
