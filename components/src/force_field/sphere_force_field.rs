//! `SphereForceField`: a ball that pushes out what gets into it.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// A ball (a disk, a segment) that pushes out what gets into it.
#[derive(Attributes)]
#[attributes(ignored("contacts", "color", "draw"))]
struct Settings {
    /// centre, in as many dimensions as the points have; the origin if not given [m]
    center: Option<PointVector>,
    #[attribute(flatten)]
    law: Law,
    /// first and last point that are concerned
    local_range: PointRange,
}

/// How large a ball is, and how it pushes.
#[derive(Attributes, Clone, Copy, Debug)]
struct Law {
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
        .templates(&[Vec3Type::NAME, Vec2Type::NAME, Vec1Type::NAME])
        .samples(&[
            Sample::new("center='0.4 0.3 0.2' radius='0.8' stiffness='300' damping='2'").template("Vec3"),
            Sample::new("center='0.4 0.3' radius='0.8' stiffness='300' damping='2'").template("Vec2"),
            Sample::new("center='0.4' radius='0.8' stiffness='300' bilateral='1'").template("Vec1"),
        ]);

/// A ball in as many dimensions as the points have, at most three; what is stored of each point is its tangent.
///
/// **Source:** as SOFA's: with δ = |p| − r < 0, f = −k δ p/|p| + c δ v, so the damping grows with the depth; outside of a bilateral ball it
/// drives. The tangent −k ((r/|p|) n nᵀ + (1 − r/|p|) I), n = p/|p|, knows no damping. A radius below 0 is that of a ball of the same size whose δ = |p| − r is above 0: a positive stiffness draws to the centre,
/// more the farther out.
#[derive(Clone, Copy, Debug)]
pub struct Ball<P> {
    center: Vec3,
    law: Law,
    points: PhantomData<P>,
}

impl<P: Deriv> PointForce for Ball<P> {
    type Point = P;
    type Tangent = Mat3;
    const NAME: &'static str = DESCRIPTION.class;

    fn force(&self, x: &P, v: &P) -> Option<(P, Mat3)> {
        let Law { radius, stiffness, damping, bilateral } = self.law;
        let p = x.linear() - self.center;
        let distance = p.norm();
        let depth = distance - radius;
        if (distance >= radius.abs() && !bilateral) || distance == 0.0 {
            return None;
        }
        let n = p / distance;
        let ratio = radius / distance;
        let there = P::identity_block(0);
        let tangent = (n * n.transpose() * ratio + there * (1.0 - ratio)) * -stiffness;
        let force = n * (-stiffness * depth) + v.linear() * (damping * depth);
        Some((P::from_linear(&force), tangent))
    }

    fn d_force(&self, tangent: &Mat3, dx: &P, factor: Real) -> P {
        P::from_linear(&(tangent * dx.linear() * factor))
    }

    fn block(&self, tangent: &Mat3, _: usize, _: usize, factor: Real) -> Mat3 {
        tangent * factor
    }

    fn energy(&self, x: &P) -> Option<Real> {
        let Law { radius, stiffness, bilateral, .. } = self.law;
        let distance = (x.linear() - self.center).norm();
        if distance >= radius.abs() && !bilateral {
            // What it takes to go out of a ball of negative radius stays with the point.
            let rim = radius.abs() - radius;
            return Some(0.5 * stiffness * rim * rim);
        }
        let depth = distance - radius;
        Some(0.5 * stiffness * depth * depth)
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S in [Vec3Type, Vec2Type, Vec1Type] => {
        let center: TranslationOf<S> = PointVector::or_origin::<S>(s.center.as_ref())?;
        let ball = Ball { center: center.linear(), law: s.law, points: PhantomData };
        b.add_point_force::<S, _>(state, ball, &s.local_range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::Vec1;
    use sim_core::testing::{ForceFieldCheck, Random};

    fn ball<P>(center: Vec3, bilateral: bool) -> Ball<P> {
        let law = Law { radius: 0.7, stiffness: 30.0, damping: 0.0, bilateral };
        Ball { center, law, points: PhantomData }
    }

    fn conforms<S: VectorsAccess>(center: Vec3, bilateral: bool, range: [usize; 2]) {
        let ball: Ball<TranslationOf<S>> = ball(center, bilateral);
        let parts = ForceFieldParts::<PointForceField<S, _>>::of_point_force(ball, range);
        let mut random = Random::new(4);
        let x = random.moved(&vec![S::Coord::at(Vec3::zeros()); range[1]], 1.0);
        let check = ForceFieldCheck::new(&parts, x, random.derivs(range[1])).seed(4);
        check.symmetric().conservative().assembled().run();
    }

    #[test]
    fn conforms_without_damping() {
        for bilateral in [false, true] {
            conforms::<Vec3Type>(Vec3::new(0.1, 0.2, 0.3), bilateral, [1, 9]);
        }
    }

    #[test]
    fn conforms_in_a_plane_and_on_a_line() {
        conforms::<Vec2Type>(Vec3::new(0.1, 0.2, 0.0), true, [0, 7]);
        conforms::<Vec1Type>(Vec3::new(0.1, 0.0, 0.0), true, [0, 7]);
        // A ball of radius -0.7 acts within 0.7 of its centre, with |p| + 0.7 as the depth.
        let inverted = Ball {
            law: Law { radius: -0.7, ..ball::<Vec1>(Vec3::zeros(), false).law },
            ..ball(Vec3::zeros(), false)
        };
        let (force, tangent) = inverted.force(&Vec1::new(0.3), &Vec1::zeros()).unwrap();
        assert!(
            (force.x + 30.0).abs() < 1e-12 && (tangent[(0, 0)] + 30.0).abs() < 1e-12,
            "{force} {tangent}"
        );
        assert!(inverted.force(&Vec1::new(0.8), &Vec1::zeros()).is_none());
        assert_eq!(inverted.energy(&Vec1::new(0.8)), inverted.energy(&Vec1::new(0.9)));
        // k times the depth, away from the centre: 30 (0.7 - 0.3).
        let (force, _) = ball::<Vec1>(Vec3::zeros(), false).force(&Vec1::new(-0.3), &Vec1::zeros()).unwrap();
        assert!((force.x + 12.0).abs() < 1e-12, "{force}");
    }
}
