//! `SphereForceField`: a ball that pushes out what gets into it.

use sim_core::prelude::*;

/// A ball that pushes out what gets into it.
#[derive(Attributes, Clone, Copy, Debug)]
#[attributes(ignored("contacts", "color", "draw"))]
pub struct SphereAttributes {
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
    /// first and last point that are concerned
    local_range: PointRange,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<SphereAttributes>(Family::ForceField, "SphereForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("center='0.4 0.3 0.2' radius='0.8' stiffness='300' damping='2'").template("Vec3")
        ]);

/// A ball.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    center: Vec3,
    radius: Real,
    stiffness: Real,
    damping: Real,
    bilateral: bool,
    /// The first point and the one after the last.
    range: [usize; 2],
}

/// Forces of a ball; what is stored of each point is the tangent, 0 where it does not touch.
///
/// **Source:** as SOFA's: with δ = |p| − r < 0, f = −k δ p/|p| + c δ v, so the damping grows with the depth; outside of a bilateral ball it
/// drives. The tangent knows no damping.
pub struct SphereForceField;

impl ForceField for SphereForceField {
    type State = Vec3Type;
    type Constants = Ball;
    type Element = ();
    type Stored = Mat3;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(ball: &Ball, AddForce { stored, f, x, v, .. }: AddForce<'_, Self>) {
        for (i, tangent) in (ball.range[0]..).zip(stored) {
            let p = x[i] - ball.center;
            let distance = p.norm();
            *tangent = Mat3::zeros();
            let depth = distance - ball.radius;
            if (depth < 0.0 || ball.bilateral) && distance > 0.0 {
                let n = p / distance;
                f[i] += n * (-ball.stiffness * depth) + v[i] * (ball.damping * depth);
                let ratio = ball.radius / distance;
                *tangent =
                    (n * n.transpose() * ratio + Mat3::from_diagonal_element(1.0 - ratio)) * -ball.stiffness;
            }
        }
    }

    fn add_d_force(ball: &Ball, AddDForce { k_factor, stored, df, dx, .. }: AddDForce<'_, Self>) {
        for (i, tangent) in (ball.range[0]..).zip(stored) {
            df[i] += tangent * dx[i] * k_factor;
        }
    }

    fn add_k_to_matrix(ball: &Ball, at: AddKToMatrix<'_, Self>) {
        for (i, tangent) in (ball.range[0] as u32..).zip(at.stored) {
            at.matrix.add_block(i, i, &(tangent * at.k_factor));
        }
    }

    fn potential_energy(ball: &Ball, _: &[()], x: &[Vec3]) -> Option<Real> {
        let depth = |x: &Vec3| (x - ball.center).norm() - ball.radius;
        let depths = x[ball.range[0]..ball.range[1]].iter().map(depth);
        let depths = depths.map(|d| if ball.bilateral { d } else { d.min(0.0) });
        Some(depths.map(|d| 0.5 * ball.stiffness * d * d).sum())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, SphereAttributes::read(b)?);
    let range = s.local_range.of(b.size(state))?;
    let SphereAttributes { center, radius, stiffness, damping, bilateral, .. } = s;
    let ball = Ball { center, radius, stiffness, damping, bilateral, range };
    let stored = vec![Mat3::zeros(); range[1] - range[0]];
    b.add_force_field(state, ForceFieldParts::<SphereForceField>::new(ball, vec![], stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms_without_damping() {
        for bilateral in [false, true] {
            let center = Vec3::new(0.1, 0.2, 0.3);
            let ball = Ball { center, radius: 0.7, stiffness: 30.0, damping: 0.0, bilateral, range: [1, 9] };
            let parts = ForceFieldParts::<SphereForceField>::new(ball, vec![], vec![Mat3::zeros(); 8]);
            let mut random = Random::new(4);
            let x = random.moved(&[Vec3::zeros(); 9], 1.0);
            let check = ForceFieldCheck::new(&parts, x, random.derivs(9)).seed(4);
            check.symmetric().conservative().assembled().run();
        }
    }
}
