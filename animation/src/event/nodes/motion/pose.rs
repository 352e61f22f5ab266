//! HAnimPose: brings the joints of a humanoid into the positions that its own joints of the same names have.
//!
//! On `commencePose`, or when `set_startTime` says so, translations, rotations and scales go from what they are to what the pose has, within
//! `transitionDuration`. `set_fraction` shows a share of that way. `resetAllJoints` brings all joints of the humanoid to rest at once.
//!
//! **Source:** ISO/IEC 19774-1 and 19775-1 as they are being revised (HAnim 2.1, X3D 4.1).

use std::sync::Arc;

use super::super::interpolation::rotation::{NO_ROTATION, axis_angle, quaternion, slerp};
use super::super::port::ports;
use super::{children_of, skeleton_of};
use crate::event::behaviour::{Behaviour, Reach, Turn};
use crate::event::field::Value;
use crate::event::scene::EventScene;
use crate::event::{FieldId, NodeId};

ports! {
    struct Ports {
        enabled: SFBool = "enabled",
        duration: SFTime = "transitionDuration",
        reset: SFBool = "resetAllJoints",
        commence: SFBool = "commencePose",
        start: SFTime = "set_startTime",
        fraction: SFFloat = "set_fraction",
        is_active: SFBool = "isActive",
    }
}

/// The fields that a pose sets.
const FIELDS: [&str; 3] = ["translation", "rotation", "scale"];

/// The behaviour of an HAnimPose.
pub(super) fn behaviour_of(scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
    let ports = Ports::of(&scene.node(node).node_type)?;
    let skeleton = skeleton_of(scene, node);
    let mut missing = Vec::new();
    let mut joints = Vec::new();
    for (name, own) in joints_below(scene, node) {
        match skeleton.iter().find(|(known, _)| *known == name) {
            Some((_, joint)) => joints.push((own, *joint)),
            None => missing.push(name),
        }
    }
    let all: Arc<[NodeId]> = skeleton.iter().map(|(_, joint)| *joint).collect();
    let missing = missing.join(", ").into();
    Some(Box::new(Pose { ports, joints: joints.into(), all, missing, way: None, base: None, due: None }))
}

/// The joints that stand in a pose, with their names.
fn joints_below(scene: &EventScene, pose: NodeId) -> Vec<(String, NodeId)> {
    let mut found = Vec::new();
    let mut seen = vec![false; scene.nodes.len()];
    let mut open = children_of(scene, pose);
    open.reverse();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node.0 as usize], true) {
            continue;
        }
        let it = scene.node(node);
        let name = it.node_type.field("name").and_then(|f| it.values.get(f.0 as usize));
        if let (true, Some(Value::SFString(name))) = (&*it.node_type.name == "HAnimJoint", name) {
            found.push((name.trim().to_owned(), node));
        }
        open.extend(children_of(scene, node).into_iter().rev());
    }
    found
}

/// A field of a joint, what it was and what it is to be.
#[derive(Clone)]
struct Step {
    joint: NodeId,
    field: FieldId,
    from: Value,
    to: Value,
}

#[derive(Clone)]
struct Pose {
    ports: Ports,
    /// Joints of the pose with those of the humanoid.
    joints: Arc<[(NodeId, NodeId)]>,
    /// All joints of the humanoid.
    all: Arc<[NodeId]>,
    missing: Arc<str>,
    /// The way that is being gone, and since when.
    way: Option<(f64, Arc<[Step]>)>,
    /// The way of which fractions are shown.
    base: Option<Arc<[Step]>>,
    /// When to set out.
    due: Option<f64>,
}

impl Pose {
    fn steps(&self, turn: &mut dyn Turn) -> Arc<[Step]> {
        let Some(graph) = turn.graph() else { return [].into() };
        let mut steps = Vec::new();
        for (own, joint) in self.joints.iter() {
            for name in FIELDS {
                let field = |node: NodeId| graph.node_type(node).and_then(|t| t.field(name));
                let (Some(there), Some(here)) = (field(*own), field(*joint)) else { continue };
                if let (Ok(to), Ok(from)) = (graph.value(*own, there), graph.value(*joint, here)) {
                    steps.push(Step { joint: *joint, field: here, from, to });
                }
            }
        }
        steps.into()
    }
    fn show(steps: &[Step], share: f32, turn: &mut dyn Turn) {
        let Some(graph) = turn.graph() else { return };
        for step in steps.iter().filter(|s| s.from != s.to) {
            // A joint that has gone since stays away.
            graph.send_to(step.joint, step.field, between(&step.from, &step.to, share)).ok();
        }
    }
    fn commence(&mut self, turn: &mut dyn Turn) {
        let steps = self.steps(turn);
        (self.base, self.due) = (None, None);
        let was_active = self.way.is_some();
        self.way = Some((turn.time(), steps));
        if !was_active {
            self.ports.is_active.say(turn, true);
        }
        if self.ports.duration.get(turn) <= 0.0
            && let Some((_, steps)) = &self.way
        {
            Self::show(&steps.clone(), 1.0, turn);
        }
    }
    fn stop(&mut self, turn: &mut dyn Turn) {
        self.due = None;
        if self.way.take().is_some() {
            self.ports.is_active.say(turn, false);
        }
    }
    fn reset(&mut self, turn: &mut dyn Turn) {
        self.stop(turn);
        self.base = None;
        let Some(graph) = turn.graph() else { return };
        let rest = [Value::SFVec3f([0.0; 3]), Value::SFRotation(NO_ROTATION), Value::SFVec3f([1.0; 3])];
        for joint in self.all.iter() {
            for (name, value) in FIELDS.iter().zip(&rest) {
                let Some(field) = graph.node_type(*joint).and_then(|t| t.field(name)) else { continue };
                if graph.value(*joint, field).is_ok_and(|now| now != *value) {
                    graph.send_to(*joint, field, value.clone()).ok();
                }
            }
        }
    }
}

/// A value on the way from one to another; at the ends exactly these.
fn between(from: &Value, to: &Value, share: f32) -> Value {
    match (from, to) {
        _ if share <= 0.0 => from.clone(),
        _ if share >= 1.0 => to.clone(),
        (Value::SFVec3f(a), Value::SFVec3f(b)) => {
            Value::SFVec3f(std::array::from_fn(|k| a[k] + (b[k] - a[k]) * share))
        }
        (Value::SFRotation(a), Value::SFRotation(b)) => {
            Value::SFRotation(axis_angle(slerp(&quaternion(*a), &quaternion(*b), share)))
        }
        _ => to.clone(),
    }
}

impl Behaviour for Pose {
    fn reach(&self) -> Reach {
        Reach::Graph
    }
    fn initialize(&mut self, turn: &mut dyn Turn) {
        if !self.missing.is_empty() {
            turn.complain(format_args!("its humanoid has no joints {}", self.missing));
        }
    }
    fn is_time_dependent(&self) -> bool {
        true
    }
    fn tick(&mut self, turn: &mut dyn Turn) {
        let (now, duration) = (turn.time(), self.ports.duration.get(turn));
        if !self.ports.enabled.get(turn) {
            return;
        }
        if self.due.is_some_and(|due| due <= now) {
            return self.commence(turn);
        }
        let Some((began, steps)) = self.way.clone() else { return };
        let share = if duration > 0.0 { (now - began) / duration } else { 1.0 };
        if duration > 0.0 {
            Self::show(&steps, share as f32, turn);
        }
        if share >= 1.0 && now > began {
            self.stop(turn);
        }
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let p = self.ports;
        if p.enabled.is(field) && !p.enabled.get(turn) {
            return self.stop(turn);
        }
        if !p.enabled.get(turn) {
            return;
        }
        if p.commence.is(field) {
            if p.commence.get(turn) {
                self.commence(turn);
            } else {
                self.stop(turn);
            }
        } else if p.start.is(field) {
            let start = p.start.get(turn);
            self.due = Some(start);
            if start <= turn.time() {
                self.commence(turn);
            }
        } else if p.reset.is(field) && p.reset.get(turn) {
            self.reset(turn);
        } else if p.fraction.is(field) {
            let steps = match self.base.clone() {
                Some(steps) => steps,
                None => self.base.insert(self.steps(turn)).clone(),
            };
            let share = p.fraction.get(turn);
            if share.is_nan() {
                turn.complain(format_args!("set_fraction is not a number: no joint moves"));
            } else {
                Self::show(&steps, share, turn);
            }
        }
    }
}
