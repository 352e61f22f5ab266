//! Places with an orientation.

use animation::event::NodeId;
use animation::rig::math::quaternion::{IDENTITY, Quaternion, about, conjugate, mul, normalized, rotate};
use animation::rig::math::vector::{add, norm, scale, sub};

use crate::shape::Fields;

/// A place with an orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where it is \[m\].
    pub position: [f64; 3],
    /// How it is turned.
    pub orientation: Quaternion,
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { position: [0.0; 3], orientation: IDENTITY };

    /// From a position and a rotation about an axis; an axis of no length turns nothing.
    pub fn new(position: [f64; 3], rotation: [f64; 4]) -> Self {
        Self { position, orientation: turn(rotation) }
    }

    /// Of two fields of a node.
    pub(super) fn of(fields: &Fields<'_>, node: NodeId, [position, rotation]: [&str; 2]) -> Self {
        Self::new(fields.three(node, position, [0.0; 3]), fields.rotation(node, rotation))
    }

    /// Whether it is another one but for the precision of fields.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let scale = 1.0 + norm(other.position);
        let [x, y, z, _] = mul(self.orientation, conjugate(other.orientation));
        norm(sub(self.position, other.position)) < 1e-5 * scale && norm([x, y, z]) < 1e-5
    }

    /// First `inner`, then this.
    pub fn after(&self, inner: &Self) -> Self {
        let orientation = normalized(mul(self.orientation, inner.orientation));
        Self { position: self.apply(inner.position), orientation }
    }

    /// Where a point comes to.
    pub fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        add(self.position, rotate(self.orientation, p))
    }

    /// Where a direction points to.
    pub fn turn(&self, d: [f64; 3]) -> [f64; 3] {
        rotate(self.orientation, d)
    }

    /// Where a point of the world is in this frame.
    pub fn local(&self, p: [f64; 3]) -> [f64; 3] {
        self.turn_back(sub(p, self.position))
    }

    /// How a direction of the world points in this frame.
    pub fn turn_back(&self, d: [f64; 3]) -> [f64; 3] {
        rotate(conjugate(self.orientation), d)
    }

    /// The velocity and the angular velocity with which it has come here from another pose, along the shorter arc.
    pub fn velocity_since(&self, before: &Self, dt: f64) -> [[f64; 3]; 2] {
        let turned = mul(self.orientation, conjugate(before.orientation));
        let [x, y, z, angle] = Self { position: [0.0; 3], orientation: turned }.rotation();
        let linear = sub(self.position, before.position).map(|d| d / dt);
        [linear, [x, y, z].map(|c| c * angle / dt)]
    }

    /// Where it comes to with a velocity and an angular velocity that last.
    pub fn moved_by(&self, [linear, angular]: [[f64; 3]; 2], time: f64) -> Self {
        let turn = about(angular, time * norm(angular));
        let position = add(self.position, scale(linear, time));
        Self { position, orientation: normalized(mul(turn, self.orientation)) }
    }

    /// The rotation as axis and angle, from 0 to pi.
    pub fn rotation(&self) -> [f64; 4] {
        let [x, y, z, w] = self.orientation;
        let (x, y, z, w) = if w < 0.0 { (-x, -y, -z, -w) } else { (x, y, z, w) };
        let sine = (x * x + y * y + z * z).sqrt();
        if sine == 0.0 {
            return [0.0, 0.0, 1.0, 0.0];
        }
        [x / sine, y / sine, z / sine, 2.0 * sine.atan2(w)]
    }
}

fn turn([x, y, z, angle]: [f64; 4]) -> Quaternion {
    let turn = about([x, y, z], angle);
    if turn.iter().all(|c| c.is_finite()) { normalized(turn) } else { IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_goes_there_and_back() {
        let pose = Pose::new([1.0, 2.0, 3.0], [0.0, 2.0, 1.0, 0.7]);
        let p = [0.3, -1.0, 0.5];
        let back = pose.local(pose.apply(p));
        assert!(back.iter().zip(p).all(|(a, b)| (a - b).abs() < 1e-14), "{back:?}");
        let [x, y, z, angle] = pose.rotation();
        let again = Pose::new(pose.position, [x, y, z, angle]);
        assert!(again.orientation.iter().zip(pose.orientation).all(|(a, b)| (a - b).abs() < 1e-14));
        assert_eq!(Pose::new([0.0; 3], [0.0, 0.0, 0.0, 2.0]), Pose::IDENTITY);
        let before = Pose::new([1.0, 2.0, 2.0], [0.0, 2.0, 1.0, 0.5]);
        let [linear, angular] = pose.velocity_since(&before, 0.1);
        let axis = [0.0, 2.0, 1.0].map(|c: f64| c * 2.0 / 5.0_f64.sqrt());
        let there = before.moved_by([linear, angular], 0.1);
        assert!(there.position.iter().zip(pose.position).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(there.orientation.iter().zip(pose.orientation).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!((linear[2] - 10.0).abs() < 1e-12, "{linear:?}");
        assert!(angular.iter().zip(axis).all(|(a, b)| (a - b).abs() < 1e-12), "{angular:?}");
    }
}
