//! `ConicalForceField`: a cone that keeps points inside.

use sim_core::prelude::*;

/// A cone that keeps points inside.
#[derive(Attributes, Clone, Copy, Debug)]
#[attributes(ignored("color"))]
pub struct Cone {
    /// apex [m]
    #[attribute(default = "0 0 0")]
    cone_center: Vec3,
    /// axis of the cone, as long as the cone is from its apex to its round end [m]
    #[attribute(default = "0 0 0")]
    cone_height: Vec3,
    /// angle between axis and side, in degrees
    #[attribute(default = "10")]
    cone_angle: Real,
    /// force per distance from the cone [N/m]
    #[attribute(default = "500")]
    stiffness: Real,
    /// force per distance and velocity beyond the round end, per velocity beside the cone
    #[attribute(default = "5")]
    damping: Real,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::of_point_force::<Vec3Type, Cone>()
    .samples(&[Sample::new(
        "coneCenter='0 -1 0' coneHeight='0.3 3 0.2' coneAngle='20' stiffness='40' damping='0.1'",
    )]);

/// What is stored of each point is the direction along which it is pushed.
///
/// With p = x − c from the apex c, h the length of the axis, v the velocity, and k and c_d from `stiffness` and `damping`. A point with
/// |p| ≤ h and an angle from the axis of at most `coneAngle` is free. Beyond the round end: δ = |p| − h, n = p/|p|, f = −k δ n + c_d δ v.
/// Beside the cone, n leads from the point to the nearest of the side, at the distance d; behind the apex n = −p/|p| and d = |p|: f = (k
/// d − c_d n·v) n.
///
/// **Source:** as SOFA's, with its signs: beyond the round end the damping drives. The tangent is −k n nᵀ, which leaves the curvature and
/// the damping out.
impl PointForce for Cone {
    type Point = Vec3;
    type Tangent = Vec3;
    const NAME: &'static str = "ConicalForceField";

    fn force(&self, x: &Vec3, v: &Vec3) -> Option<(Vec3, Vec3)> {
        let (p, height) = (x - self.cone_center, self.cone_height.norm());
        let distance = p.norm();
        let axis = if height > 0.0 { self.cone_height / height } else { Vec3::zeros() };
        let limit = self.cone_angle.to_radians();
        let angle = if distance > 0.0 { (p.dot(&axis) / distance).clamp(-1.0, 1.0).acos() } else { 0.0 };
        if distance <= height && angle <= limit {
            return None;
        }
        if distance > height {
            let (depth, n) = (distance - height, p / distance);
            return Some((n * (-self.stiffness * depth) + *v * (self.damping * depth), n));
        }
        let (depth, n) = if p.dot(&axis) > 0.0 {
            // The foot on the side of the cone, in the plane of the point and the axis.
            let across = (p - axis * p.dot(&axis)).normalize();
            let side = axis * limit.cos() + across * limit.sin();
            let toward = side * side.dot(&p) - p;
            let depth = toward.norm();
            (depth, if depth > 0.0 { toward / depth } else { Vec3::zeros() })
        } else {
            (distance, -p / distance)
        };
        Some((n * (self.stiffness * depth - self.damping * n.dot(v)), n))
    }

    fn d_force(&self, n: &Vec3, dx: &Vec3, factor: Real) -> Vec3 {
        -(n * (n.dot(dx) * self.stiffness * factor))
    }

    fn block(&self, n: &Vec3, _: usize, _: usize, factor: Real) -> Mat3 {
        n * n.transpose() * (-self.stiffness * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::{ForceFieldCheck, Random};

    const CONE: Cone = Cone {
        cone_center: Vec3::new(0.0, 0.0, 0.0),
        cone_height: Vec3::new(0.0, 2.0, 0.0),
        cone_angle: 30.0,
        stiffness: 10.0,
        damping: 0.0,
    };

    /// With the direction held.
    #[test]
    fn conforms() {
        let parts = ForceFieldParts::<PointForceField<Vec3Type, Cone>>::of_point_force(CONE, [0, 8]);
        let mut random = Random::new(4);
        let x = random.moved(&[Vec3::zeros(); 8], 1.5);
        let at = x.clone();
        ForceFieldCheck::new(&parts, x, random.derivs(8))
            .seed(4)
            .symmetric()
            .assembled()
            .frozen(move |(cone, _), _, stored, f, x, v| {
                for (i, n) in stored.iter().enumerate() {
                    let force = cone.force(&at[i], &v[i]).unwrap_or_default().0;
                    let n = n.unwrap_or_default();
                    f[i] += force - n * (n.dot(&(x[i] - at[i])) * cone.stiffness);
                }
            })
            .run();
    }

    #[test]
    fn points_are_pushed_to_the_side_the_end_and_the_apex() {
        let force = |x: [f64; 3]| CONE.force(&Vec3::from(x), &Vec3::zeros()).map(|(f, _)| f);
        assert_eq!(force([0.1, 1.0, 0.0]), None);
        assert!((force([0.0, 2.5, 0.0]).unwrap() - Vec3::new(0.0, -5.0, 0.0)).norm() < 1e-12);
        assert!((force([0.0, -0.5, 0.0]).unwrap() - Vec3::new(0.0, 5.0, 0.0)).norm() < 1e-12);
        // At 60 degrees of the axis, at a distance of 1: half of it from the side.
        let (s, c) = 60f64.to_radians().sin_cos();
        let f = force([s, c, 0.0]).unwrap();
        assert!((f.norm() - 5.0).abs() < 1e-12 && f.x < 0.0 && f.y > 0.0, "{f}");
    }
}
