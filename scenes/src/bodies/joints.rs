//! Joints of bodies: points on both, and what holds them together.

use animation::event::NodeId;
use diagnostics::Location;
use x3d::bodies::{BodySystem, Joint, JointEnd, JointKind};

use super::body_name;
use crate::element::{Element, numbers};

/// Where a slider ends that has no end, in lengths of its joint.
const FAR: f64 = 1e4;

/// Which groups of collision models each body has: its own, and one for each of its joints, so that what is joined does not collide.
pub(super) fn groups(system: &BodySystem) -> Vec<String> {
    let n = system.bodies.len();
    let of_body = |number: usize| {
        let is_end = |joint: &&(usize, &Joint)| joint.1.ends.iter().any(|e| e.body == Some(number));
        let joints: Vec<(usize, &Joint)> = system.joints.iter().enumerate().collect();
        let of_joints = joints.iter().filter(is_end).map(|(k, _)| n + 1 + k);
        numbers(std::iter::once(number + 1).chain(of_joints))
    };
    (0..n).map(of_body).collect()
}

/// A length of the size of what a joint holds \[m\].
fn length(system: &BodySystem, joint: &Joint) -> f64 {
    let bodies = joint.ends.iter().filter_map(|e| system.bodies.get(e.body?));
    let solids = bodies.flat_map(|b| &b.collidables).filter_map(|c| c.solid.as_ref());
    let length = solids.map(|s| s.reach()).fold(0.0, f64::max);
    if length > 0.0 { length } else { 1.0 }
}

fn plus(p: [f64; 3], d: [f64; 3], by: f64) -> [f64; 3] {
    std::array::from_fn(|k| p[k] + by * d[k])
}

/// The points of an end of a joint, in the axes of its body.
fn points(system: &BodySystem, joint: &Joint, end: usize) -> Vec<[f64; 3]> {
    let JointEnd { anchor, axis, across, .. } = joint.ends[end];
    let length = length(system, joint);
    match joint.kind {
        JointKind::Ball => vec![anchor],
        JointKind::Hinge => vec![plus(anchor, axis, -length), plus(anchor, axis, length)],
        JointKind::Slider(range) => {
            // Two on the axis and one beside it.
            let three = [anchor, plus(anchor, axis, length), plus(anchor, across, length)];
            if end == 0 {
                return three.to_vec();
            }
            let range = range.unwrap_or([-FAR * length, FAR * length]);
            three.iter().flat_map(|p| range.map(|along| plus(*p, axis, along))).collect()
        }
    }
}

fn anchor_name(joint: usize) -> String {
    format!("joint{joint}")
}

/// Adds the points of all joints that end at a body, or in the world.
pub(super) fn anchors(element: &mut Element, system: &BodySystem, body: Option<usize>) {
    for (number, joint) in system.joints.iter().enumerate() {
        for (end, _) in joint.ends.iter().enumerate().filter(|(_, e)| e.body == body) {
            let center = body.map_or([0.0; 3], |k| system.bodies[k].center_of_mass);
            let points = points(system, joint, end);
            let points = points.into_iter().flat_map(|p| plus(p, center, -1.0));
            let mut node = Element::node(&anchor_name(number));
            node.push(
                Element::new("MechanicalObject").with("name", "points").with("position", numbers(points)),
            );
            if body.is_some() {
                node.push(Element::new("RigidMapping"));
            }
            element.push(node);
        }
    }
}

/// Adds what holds the points of joints together.
pub(super) fn constraints(root: &mut Element, system: &BodySystem, at: &dyn Fn(NodeId) -> Location) {
    for (number, joint) in system.joints.iter().enumerate() {
        let moves = |end: usize| joint.ends[end].body.is_some_and(|k| !system.bodies[k].is_fixed);
        if !moves(0) && !moves(1) {
            continue;
        }
        let state = |end: usize| {
            let node = joint.ends[end].body.map_or_else(|| "world".to_owned(), body_name);
            format!("@/{node}/{}/points", anchor_name(number))
        };
        let mut add = |element: Element| {
            let mut element = element.with("object1", state(0)).with("object2", state(1));
            element.location = at(joint.node);
            root.push(element);
        };
        match joint.kind {
            JointKind::Ball | JointKind::Hinge => {
                let all = if joint.kind == JointKind::Ball { "0" } else { "0 1" };
                add(Element::new("BilateralLagrangianConstraint")
                    .with("template", "Vec3")
                    .with("first_point", all)
                    .with("second_point", all));
            }
            JointKind::Slider(_) => {
                for k in 0..3 {
                    add(Element::new("SlidingLagrangianConstraint")
                        .with("sliding_point", k)
                        .with("axis_1", 2 * k)
                        .with("axis_2", 2 * k + 1));
                }
            }
        }
    }
}
