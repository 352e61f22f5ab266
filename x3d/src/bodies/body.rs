//! Bodies.

use std::collections::BTreeSet;

use animation::event::NodeId;

use super::collidable::Collidable;
use super::mass::{Inertia, is_positive};
use super::pose::Pose;
use super::reader::Reader;

/// A body: a RigidBody that is enabled.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The RigidBody.
    pub node: NodeId,
    /// Whether no force moves it.
    pub is_fixed: bool,
    /// Where it is.
    pub pose: Pose,
    /// Velocity of its center of mass \[m/s\], and angular velocity \[rad/s\], both in the world's axes.
    pub velocity: [[f64; 3]; 2],
    /// Mass \[kg\].
    pub mass: f64,
    /// Center of mass in its axes \[m\].
    pub center_of_mass: [f64; 3],
    /// Moments of inertia about that, in its axes, row after row \[kg m^2\].
    pub inertia: Inertia,
    /// Force \[N\] and torque \[N m\] that act on its center of mass all the time, in the world's axes.
    pub load: [[f64; 3]; 2],
    /// Whether it feels the collection's gravity.
    pub has_gravity: bool,
    /// The share of its velocity, and of its angular velocity, that each frame takes.
    pub damping: [f64; 2],
    /// What of it collides.
    pub collidables: Vec<Collidable>,
}

/// The field of a body, and the field of its orientation.
const PLACE: [&str; 2] = ["position", "orientation"];

impl Body {
    /// The frame of its center of mass, whose axes are the body's, if the body is at a place.
    pub fn center_at(&self, pose: &Pose) -> Pose {
        Pose { position: pose.apply(self.center_of_mass), orientation: pose.orientation }
    }

    /// Where the body is, if the frame of its center of mass is at a place.
    pub fn pose_at(&self, center: &Pose) -> Pose {
        Pose { position: center.apply(self.center_of_mass.map(|c| -c)), orientation: center.orientation }
    }
}

impl Reader<'_> {
    /// A body; none where it is not enabled.
    pub(super) fn body(&mut self, node: NodeId, listed: &BTreeSet<NodeId>) -> Option<Body> {
        if self.fields.type_name(node) != "RigidBody" {
            self.warn(node, "", "no RigidBody: it is left out of `bodies`");
            return None;
        }
        if !self.fields.flag(node, "enabled", true) {
            return None;
        }
        self.tell_of_unmet(node);
        let mass = self.fields.number(node, "mass", 1.0);
        let inertia = self.inertia(node, mass);
        let mut is_fixed = self.fields.flag(node, "fixed", false);
        let has_mass = mass > 0.0 && mass.is_finite();
        if !is_fixed && !has_mass {
            self.warn(node, "mass", format!("{mass} is no mass of a body that moves: it stays where it is"));
            is_fixed = true;
        }
        if !is_fixed && !is_positive(&inertia) {
            let text =
                "no moments of inertia of a body that moves (symmetric, positive): it stays where it is";
            self.warn(node, "inertia", text);
            is_fixed = true;
        }
        let three = |name| self.fields.three(node, name, [0.0; 3]);
        let sum = |name| {
            self.fields
                .points(node, name)
                .iter()
                .fold([0.0; 3], |sum: [f64; 3], force| std::array::from_fn(|k| sum[k] + force[k]))
        };
        let share = |name| self.fields.number(node, name, 0.001).clamp(0.0, 1.0);
        let damps = self.fields.flag(node, "autoDamp", false);
        let mut body = Body {
            node,
            is_fixed,
            pose: Pose::of(&self.fields, node, PLACE),
            velocity: [three("linearVelocity"), three("angularVelocity")],
            mass,
            center_of_mass: three("centerOfMass"),
            inertia,
            load: [sum("forces"), sum("torques")],
            has_gravity: self.fields.flag(node, "useGlobalGravity", true),
            damping: if damps {
                [share("linearDampingFactor"), share("angularDampingFactor")]
            } else {
                [0.0; 2]
            },
            collidables: Vec::new(),
        };
        for collidable in self.nodes(node, "geometry") {
            body.collidables.extend(self.collidable(collidable, &body.pose, listed));
        }
        Some(body)
    }
}
