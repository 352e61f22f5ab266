//! What joins bodies.

use std::collections::BTreeMap;

use animation::event::NodeId;
use animation::rig::math::vector::{norm, scale};

use super::body::Body;
use super::pose::Pose;
use super::reader::Reader;

/// One side of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointEnd {
    /// Which body of the collection; none: the world.
    pub body: Option<usize>,
    /// The anchor in the axes of the body, or of the world \[m\].
    pub anchor: [f64; 3],
    /// The axis in the same, of length one.
    pub axis: [f64; 3],
    /// A direction at right angles to the axis.
    pub across: [f64; 3],
}

/// How bodies may move to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Two points stay together (BallJoint).
    Ball,
    /// They turn about an axis (SingleAxisHingeJoint).
    Hinge,
    /// The first slides along an axis, from a separation to another, without end where there are none (SliderJoint) \[m\].
    Slider(Option<[f64; 2]>),
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its node.
    pub node: NodeId,
    /// What it allows.
    pub kind: JointKind,
    /// Its two ends.
    pub ends: [JointEnd; 2],
    /// Whether outputs are wanted: all, or those of some names.
    pub outputs: Vec<String>,
}

/// What a joint holds, and what its fields were when that was found out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Held {
    from: ([f64; 3], [f64; 3], [Option<NodeId>; 2]),
    places: [[[f64; 3]; 3]; 2],
}

impl Joint {
    /// Whether a field is to be sent.
    pub fn sends(&self, field: &str) -> bool {
        self.outputs.iter().any(|o| o == "ALL" || o == field)
    }
}

impl Reader<'_> {
    /// A joint of a collection; none where it cannot be made.
    pub(super) fn joint(
        &mut self,
        node: NodeId,
        bodies: &[Body],
        numbers: &BTreeMap<NodeId, usize>,
    ) -> Option<Joint> {
        self.tell_of_unmet(node);
        let kind = match self.fields.type_name(node) {
            "BallJoint" => JointKind::Ball,
            "SingleAxisHingeJoint" => JointKind::Hinge,
            "SliderJoint" => {
                let [least, most] =
                    ["minSeparation", "maxSeparation"].map(|name| self.fields.number(node, name, 0.0));
                JointKind::Slider((least <= most).then_some([least, most]))
            }
            _ => {
                self.warn(node, "", "joints of this type join nothing here");
                return None;
            }
        };
        let named = [self.node(node, "body1"), self.node(node, "body2")];
        let mut of = [None; 2];
        for (end, field) in ["body1", "body2"].into_iter().enumerate() {
            let Some(body) = named[end] else { continue };
            let Some(number) = numbers.get(&body) else {
                let text = "no enabled body of the joint's collection: the joint joins nothing";
                self.warn(node, field, text);
                return None;
            };
            of[end] = Some(*number);
        }
        if of[0] == of[1] {
            self.warn(node, "body2", "it joins a body to itself, or the world to itself");
            return None;
        }
        let axis = self.fields.three(node, "axis", [0.0, 1.0, 0.0]);
        if kind != JointKind::Ball && !(norm(axis) > 0.0 && norm(axis).is_finite()) {
            self.warn(node, "axis", "an axis without direction: the joint joins nothing");
            return None;
        }
        let world = Pose::IDENTITY;
        let pose = |end: usize| of[end].map_or(&world, |k: usize| &bodies[k].pose);
        // A slider has no anchor: it holds where its first body is.
        let anchor = match kind {
            JointKind::Slider(_) => pose(usize::from(of[0].is_none())).position,
            _ => self.fields.three(node, "anchorPoint", [0.0; 3]),
        };
        let fixed = if matches!(kind, JointKind::Slider(_)) { [0.0; 3] } else { anchor };
        let from = (fixed, axis, named);
        let known = self.memory.joints.get(&node).filter(|held| held.from == from).cloned();
        let held = known.unwrap_or_else(|| {
            let axis = if norm(axis) > 0.0 { scale(axis, 1.0 / norm(axis)) } else { [0.0, 1.0, 0.0] };
            let across = animation::rig::math::vector::perpendicular(axis);
            let place = |end: usize| {
                [pose(end).local(anchor), pose(end).turn_back(axis), pose(end).turn_back(across)]
            };
            Held { from, places: [place(0), place(1)] }
        });
        self.memory.joints.insert(node, held.clone());
        let end = |k: usize| {
            let [anchor, axis, across] = held.places[k];
            JointEnd { body: of[k], anchor, axis, across }
        };
        let outputs = self.words(node, "forceOutput").iter().map(|w| w.to_string()).collect();
        Some(Joint { node, kind, ends: [end(0), end(1)], outputs })
    }
}
