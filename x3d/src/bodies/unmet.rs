//! What a file may ask of bodies, and nobody does here.

use std::f64::consts::PI;

use animation::event::NodeId;
use animation::event::field::Value;

use super::reader::Reader;

const SOFTNESS: &str = "contacts and joints do not give way here";
const STOPS: &str = "the joint has no stops here";
const RATE: &str = "what is violated is taken back at once here";

/// Fields that have no meaning here, and why, where a file gives them another value than they have by themselves.
const UNMET: &[(&str, &str, &str)] = &[
    ("RigidBodyCollection", "autoDisable", "bodies at rest are simulated like all others here"),
    ("RigidBodyCollection", "errorCorrection", RATE),
    ("RigidBodyCollection", "constantForceMix", SOFTNESS),
    ("RigidBodyCollection", "maxCorrectionSpeed", RATE),
    ("RigidBodyCollection", "contactSurfaceThickness", "surfaces do not enter each other here"),
    ("RigidBody", "autoDisable", "bodies at rest are simulated like all others here"),
    ("CollisionCollection", "surfaceSpeed", "surfaces do not run here"),
    ("CollisionCollection", "slipFactors", "surfaces do not slip by their load here"),
    ("CollisionCollection", "softnessConstantForceMix", SOFTNESS),
    ("CollisionCollection", "softnessErrorCorrection", RATE),
    ("SingleAxisHingeJoint", "minAngle", STOPS),
    ("SingleAxisHingeJoint", "maxAngle", STOPS),
    ("SingleAxisHingeJoint", "stopBounce", STOPS),
    ("SliderJoint", "sliderForce", "nothing drives the joint here"),
    ("SliderJoint", "stopBounce", "its stops do not bounce here"),
    ("SliderJoint", "stopErrorCorrection", RATE),
];

impl Reader<'_> {
    /// Names the fields of a node that ask for what is not done.
    pub(super) fn tell_of_unmet(&mut self, node: NodeId) {
        let of = self.fields.scene.node(node).node_type.clone();
        for (_, field, why) in UNMET.iter().filter(|(name, ..)| *name == &*of.name) {
            let Some(id) = of.field(field) else { continue };
            let present = self.fields.values.present(node, id);
            let is_default = present == of.fields[id.0 as usize].default;
            // Some write out an angle that is all the way round.
            let is_round = match present {
                Value::SFFloat(angle) => *why == STOPS && f64::from(angle.abs()) > PI - 1e-3,
                _ => false,
            };
            if !is_default && !is_round {
                self.warn(node, field, *why);
            }
        }
    }
}
