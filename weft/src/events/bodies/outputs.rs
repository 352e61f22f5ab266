//! What bodies and joints tell their nodes.

use animation::event::field::Value;
use animation::event::runtime::EventGraph;
use animation::rig::math::vector::{cross, dot, sub};
use engine::data::Store;
use scenes::bodies::Start;
use x3d::bodies::{Joint, JointKind, Pose};

use super::running::Running;
use super::sensed::ContactNodes;

fn vec3(v: [f64; 3]) -> Value {
    Value::SFVec3f(v.map(|c| c as f32))
}

fn rotation(pose: &Pose) -> Value {
    Value::SFRotation(pose.rotation().map(|c| c as f32))
}

impl Running {
    /// Sends where bodies are to their nodes and to what follows them, what joints have to say, and what sensors sense.
    pub fn tell(&mut self, graph: &mut EventGraph, store: &Store, contacts: &ContactNodes) {
        for number in 0..self.system.bodies.len() {
            let (body, now) = (&self.system.bodies[number], &self.now[number]);
            let pose = body.pose_at(&now.center);
            let told = &mut self.told;
            told.send(graph, body.node, "position", vec3(pose.position));
            told.send(graph, body.node, "orientation", rotation(&pose));
            told.send(graph, body.node, "linearVelocity", vec3(now.velocity[0]));
            told.send(graph, body.node, "angularVelocity", vec3(now.velocity[1]));
            for collidable in &body.collidables {
                let place = pose.after(&collidable.place);
                told.send(graph, collidable.node, "translation", vec3(place.position));
                told.send(graph, collidable.node, "rotation", rotation(&place));
            }
        }
        for number in 0..self.system.joints.len() {
            for (field, value) in self.joint_outputs(&self.system.joints[number]) {
                let node = self.system.joints[number].node;
                self.told.emit(graph, node, field, value);
            }
        }
        self.tell_sensors(graph, store, contacts);
    }

    /// The outputs of a joint that are wanted.
    fn joint_outputs(&self, joint: &Joint) -> Vec<(&'static str, Value)> {
        let still = Start { center: Pose::IDENTITY, velocity: [[0.0; 3]; 2] };
        let ends: [(Pose, [f64; 3], Start); 2] = std::array::from_fn(|k| {
            let Some(number) = joint.ends[k].body else {
                return (Pose::IDENTITY, joint.ends[k].anchor, still);
            };
            let (body, now) = (&self.system.bodies[number], self.now[number]);
            let pose = body.pose_at(&now.center);
            (pose, pose.apply(joint.ends[k].anchor), now)
        });
        let axis = ends[0].0.turn(joint.ends[0].axis);
        let number = |x: f64| Value::SFFloat(x as f32);
        let anchors = [("body1AnchorPoint", vec3(ends[0].1)), ("body2AnchorPoint", vec3(ends[1].1))];
        let mut all = Vec::new();
        match joint.kind {
            JointKind::Ball => all.extend(anchors),
            JointKind::Hinge => {
                let [first, second] = [0, 1].map(|k| ends[k].0.turn(joint.ends[k].across));
                let angle = dot(axis, cross(second, first)).atan2(dot(second, first));
                let rate = dot(axis, sub(ends[0].2.velocity[1], ends[1].2.velocity[1]));
                all.extend(anchors);
                all.extend([("angle", number(angle)), ("angleRate", number(rate))]);
            }
            JointKind::Slider(_) => {
                let velocity = |k: usize| {
                    let (_, anchor, now): &(Pose, [f64; 3], Start) = &ends[k];
                    let turning = cross(now.velocity[1], sub(*anchor, now.center.position));
                    std::array::from_fn::<f64, 3, _>(|i| now.velocity[0][i] + turning[i])
                };
                let apart = dot(axis, sub(ends[0].1, ends[1].1));
                let rate = dot(axis, sub(velocity(0), velocity(1)));
                all.extend([("separation", number(apart)), ("separationRate", number(rate))]);
            }
        }
        all.retain(|(field, _)| joint.sends(field));
        all
    }
}
