//! What CollisionSensors sense.

use std::sync::Arc;

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::runtime::EventGraph;
use engine::data::Store;
use sim_core::component::collision::NearElements;
use x3d::shape::FieldValues;

use super::party::Party;
use super::running::Running;
use crate::events::environment::Present;

/// The Contact nodes of sensors: the sensor, the first of its nodes, and how many there are.
pub(super) type ContactNodes = Vec<(NodeId, NodeId, u32)>;

/// What is nearer than this touches, in parts of the contact distance: what rests is not exactly there.
const TOUCHES: f64 = 0.25;

impl Running {
    /// Tells the sensors of the collection what touches.
    pub(super) fn tell_sensors(&mut self, graph: &mut EventGraph, store: &Store, nodes: &ContactNodes) {
        if self.system.sensors.is_empty() {
            return;
        }
        let mut near = Vec::new();
        self.simulation.near_elements(&mut near);
        let limit = TOUCHES * self.contact;
        near.retain(|n| n.distance < limit);
        let parties = |n: &NearElements| {
            let [first, second] = n.models.map(|m| self.colliding.get(&m).copied());
            Some([first?, second?])
        };
        let touching: Vec<(NearElements, [Party; 2])> =
            near.into_iter().filter_map(|n| Some((n, parties(&n)?))).collect();
        for sensor in self.system.sensors.clone() {
            let enabled = graph.scene().node(sensor).node_type.field("enabled");
            let present = Present { graph, store };
            if enabled.map(|field| present.present(sensor, field)) == Some(Value::SFBool(false)) {
                continue;
            }
            self.told.emit(graph, sensor, "isActive", Value::SFBool(!touching.is_empty()));
            let mut met: Vec<NodeId> =
                touching.iter().flat_map(|(_, parties)| parties.map(|p| p.geometry)).collect();
            met.sort_unstable();
            met.dedup();
            let list = |nodes: Vec<NodeId>| Value::MFNode(nodes.into_iter().map(Some).collect::<Arc<[_]>>());
            self.told.emit(graph, sensor, "intersections", list(met));
            if let Some((_, first, most)) = nodes.iter().find(|(of, ..)| *of == sensor) {
                let n = touching.len().min(*most as usize);
                let contacts: Vec<NodeId> = (0..n as u32).map(|k| NodeId(first.0 + k)).collect();
                for (node, (near, parties)) in contacts.iter().zip(&touching) {
                    self.describe(graph, *node, near, parties);
                }
                self.told.emit(graph, sensor, "contacts", list(contacts));
            }
        }
    }

    /// Writes what touches into a Contact node. Its normal points to the first of the two.
    fn describe(&mut self, graph: &mut EventGraph, node: NodeId, near: &NearElements, parties: &[Party; 2]) {
        let vec3 = |v: [f64; 3]| Value::SFVec3f(v.map(|c| c as f32));
        let middle = (near.points[0] + near.points[1]) * 0.5;
        let contacts = self.system.contacts;
        let friction = [contacts.friction as f32; 2];
        let [first, second] = parties;
        for (field, value) in [
            ("position", vec3(middle.into())),
            ("contactNormal", vec3((-near.normal).into())),
            ("depth", Value::SFFloat((-near.distance).max(0.0) as f32)),
            ("bounce", Value::SFFloat(contacts.bounce as f32)),
            ("minBounceSpeed", Value::SFFloat(contacts.least_bounce_speed as f32)),
            ("frictionCoefficients", Value::SFVec2f(friction)),
            ("geometry1", Value::SFNode(Some(first.geometry))),
            ("geometry2", Value::SFNode(Some(second.geometry))),
            ("body1", Value::SFNode(first.body)),
            ("body2", Value::SFNode(second.body)),
        ] {
            self.told.send(graph, node, field, value);
        }
    }
}
