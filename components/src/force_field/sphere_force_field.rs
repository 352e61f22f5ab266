//! `SphereForceField`: a ball that pushes out what gets into it.

use sim_core::prelude::*;

/// A ball that pushes out what gets into it.
#[derive(Attributes)]
#[attributes(ignored("contacts", "color", "draw"))]
struct Settings {
    #[attribute(flatten)]
    ball: Ball,
    /// first and last point that are concerned
    local_range: PointRange,
}

/// A ball; what is stored of each point is its tangent.
///
/// **Source:** as SOFA's: with δ = |p| − r < 0, f = −k δ p/|p| + c δ v, so the damping grows with the depth; outside of a bilateral ball it
/// drives. The tangent knows no damping.
#[derive(Attributes, Clone, Copy, Debug)]
pub struct Ball {
    /// centre [m]
    #[attribute(default = "0 0 0")]
    center: Vec3,
    /// radius [m]
    #[attribute(default = "1")]
    radius: Real,
    /// force per depth [N/m]
    #[attribute(default = "500")]
    stiffness: Real,
    /// force per depth and velocity, against it inside the ball [N s/m^2]
    #[attribute(default = "5")]
    damping: Real,
    /// whether points outside are pulled too
    bilateral: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "SphereForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("center='0.4 0.3 0.2' radius='0.8' stiffness='300' damping='2'").template("Vec3")
        ]);

impl PointForce for Ball {
    type Point = Vec3;
    type Tangent = Mat3;
    const NAME: &'static str = DESCRIPTION.class;

    fn force(&self, x: &Vec3, v: &Vec3) -> Option<(Vec3, Mat3)> {
        let p = x - self.center;
        let distance = p.norm();
        let depth = distance - self.radius;
        if (depth >= 0.0 && !self.bilateral) || distance == 0.0 {
            return None;
        }
        let n = p / distance;
        let ratio = self.radius / distance;
        let tangent =
            (n * n.transpose() * ratio + Mat3::from_diagonal_element(1.0 - ratio)) * -self.stiffness;
        Some((n * (-self.stiffness * depth) + v * (self.damping * depth), tangent))
    }

    fn d_force(&self, tangent: &Mat3, dx: &Vec3, factor: Real) -> Vec3 {
        tangent * dx * factor
    }

    fn block(&self, tangent: &Mat3, _: usize, _: usize, factor: Real) -> Mat3 {
        tangent * factor
    }

    fn energy(&self, x: &Vec3) -> Option<Real> {
        let depth = (x - self.center).norm() - self.radius;
        let depth = if self.bilateral { depth } else { depth.min(0.0) };
        Some(0.5 * self.stiffness * depth * depth)
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    b.add_point_force::<Vec3Type, _>(state, s.ball, &s.local_range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms_without_damping() {
        for bilateral in [false, true] {
            let center = Vec3::new(0.1, 0.2, 0.3);
            let ball = Ball { center, radius: 0.7, stiffness: 30.0, damping: 0.0, bilateral };
            let parts = ForceFieldParts::<PointForceField<Vec3Type, Ball>>::of_point_force(ball, [1, 9]);
            let mut random = Random::new(4);
            let x = random.moved(&[Vec3::zeros(); 9], 1.0);
            let check = ForceFieldCheck::new(&parts, x, random.derivs(9)).seed(4);
            check.symmetric().conservative().assembled().run();
        }
    }
}
