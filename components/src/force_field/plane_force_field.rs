//! `PlaneForceField`: a plane that pushes back what gets behind it.

use sim_core::component::value::Value;
use sim_core::prelude::*;

use super::plane_shape::PlaneDrawing;

/// A plane that pushes back what gets behind it.
#[derive(Attributes)]
struct Settings {
    /// normal, in as many dimensions as the points have; used as it is, not scaled to length 1; along y if not given
    normal: Option<PointVector>,
    #[attribute(flatten)]
    law: Law,
    /// first and last point that are concerned
    local_range: PointRange,
}

/// Where along its normal a plane stands, and how it pushes.
#[derive(Attributes, Clone, Copy, Debug)]
struct Law {
    /// distance of the plane from the origin along the normal [m]
    #[attribute(default = "0")]
    d: Real,
    /// force per depth [N/m]
    #[attribute(default = "500")]
    stiffness: Real,
    /// force per depth and velocity [N s/m^2]
    #[attribute(default = "5")]
    damping: Real,
    /// largest force on a point; 0: no limit [N]
    #[attribute(default = "0")]
    max_force: Real,
    /// whether points in front are pulled too
    bilateral: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, PlaneDrawing)>(Family::ForceField, "PlaneForceField", build)
        .follows(Following::PLAIN)
        .templates(&["Vec3", "Rigid3", "Vec2", "Vec1", "Vec6"])
        .samples(&[
            Sample::new("normal='0.6 0.8 0' d='0.5' stiffness='300' damping='5'").template("Vec3"),
            Sample::new("normal='0 1 0' d='-0.02' stiffness='300' damping='5'").template("Vec3"),
            Sample::new("normal='0.6 0.8 0' d='0.5' stiffness='300' damping='5'").template("Rigid3"),
            Sample::new("normal='0.6 0.8' d='0.5' stiffness='300' damping='5'").template("Vec2"),
            Sample::new("normal='-1' d='-1.2' stiffness='300' damping='5'").template("Vec1"),
            Sample::new("normal='0 0.6 0 0 0.8 0' d='0.5' stiffness='300' damping='5'").template("Vec6"),
        ]);

/// A plane (a line, a point) in as many dimensions as the points have that it pushes.
///
/// **Source:** as SOFA's PlaneForceField: with depth e = n . x - d < 0, f = -k e n + c e v; the damping grows with the
/// depth, and the tangent -k n nᵀ knows neither it nor the limit.
#[derive(Clone, Copy, Debug)]
pub struct Plane<P> {
    normal: P,
    law: Law,
}

impl<P: Deriv> PointForce for Plane<P> {
    type Point = P;
    type Tangent = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn force(&self, x: &P, v: &P) -> Option<(P, ())> {
        let Law { d, stiffness, damping, max_force, bilateral } = self.law;
        let depth = x.inner(&self.normal) - d;
        if !bilateral && depth >= 0.0 {
            return None;
        }
        let force = self.normal * (-stiffness * depth) + *v * (damping * depth);
        let amplitude = force.inner(&force).sqrt();
        let too_large = max_force > 0.0 && amplitude > max_force;
        Some((if too_large { force * (max_force / amplitude) } else { force }, ()))
    }

    fn d_force(&self, _: &(), dx: &P, factor: Real) -> P {
        self.normal * (-self.law.stiffness * factor * dx.inner(&self.normal))
    }

    fn block(&self, _: &(), row: usize, column: usize, factor: Real) -> Mat3 {
        self.normal.block(row) * self.normal.block(column).transpose() * (-self.law.stiffness * factor)
    }

    fn energy(&self, x: &P) -> Option<Real> {
        let depth = x.inner(&self.normal) - self.law.d;
        let depth = if self.law.bilateral { depth } else { depth.min(0.0) };
        Some(0.5 * self.law.stiffness * depth * depth)
    }
}

impl Law {
    /// **Source:** as SOFA's, which goes on with the defaults where stiffness, damping or the limit are negative.
    fn replace_negative(&mut self, b: &mut Builder<'_>) {
        let numbers = [
            ("stiffness", &mut self.stiffness, 500.0),
            ("damping", &mut self.damping, 5.0),
            ("maxForce", &mut self.max_force, 0.0),
        ];
        for (name, given, default) in numbers {
            if *given < 0.0 {
                let text = format!("`{name}` is {given}; {default} is taken, as in SOFA");
                b.replace(name, Value::Real(default), text);
                *given = default;
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, mut s) = (b.state()?, Settings::read(b)?);
    s.law.replace_negative(b);
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type, Vec2Type, Vec1Type, Vec6Type] => {
        let along_y = || Ok(Deriv::from_linear(&Vec3::y()));
        let normal: TranslationOf<S> = s.normal.as_ref().map_or_else(along_y, |n| n.of::<S>())?;
        let length = normal.inner(&normal).sqrt();
        if length == 0.0 {
            let text = "`normal` is 0, so that nothing is pushed; with a positive `d` all is damped, as in SOFA";
            b.warn(Some("normal"), text);
        } else if (length - 1.0).abs() > 1e-6 {
            b.warn(Some("normal"), "`normal` is not of length 1; it is used as it is, as in SOFA");
        }
        b.keep(PlaneDrawing::read(b)?.shape(normal.linear(), s.law.d).filter(|_| length > 0.0));
        let range = s.local_range.or_all();
        if range != s.local_range {
            let text = "`localRange` is no range of points, so that all are concerned, as in SOFA";
            b.warn(Some("localRange"), text);
        }
        b.add_point_force::<S, _>(state, Plane { normal, law: s.law }, &range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, RigidDeriv, Vec1, Vec6};
    use sim_core::testing::{ForceFieldCheck, Random};

    const LAW: Law = Law { d: 0.1, stiffness: 300.0, damping: 0.0, max_force: 0.0, bilateral: false };

    fn parts<S: StateType>(
        n: usize,
        normal: TranslationOf<S>,
    ) -> ForceFieldParts<PointForceField<S, Plane<TranslationOf<S>>>> {
        ForceFieldParts::of_point_force(Plane { normal, law: LAW }, [0, n])
    }

    #[test]
    fn conforms_without_damping() {
        let mut random = Random::new(2);
        let x = random.moved(&[Vec3::zeros(); 9], 1.0);
        let parts3 = parts::<Vec3Type>(9, Vec3::new(0.6, 0.8, 0.0));
        let check = ForceFieldCheck::new(&parts3, x, random.derivs(9)).seed(2).assembled();
        check.symmetric().conservative().run();
        let x = random.moved(&[RigidCoord::default(); 4], 1.0);
        let frames = parts::<Rigid3Type>(4, Vec3::new(0.6, 0.8, 0.0));
        ForceFieldCheck::new(&frames, x, random.derivs(4)).seed(3).assembled().run();
        let x = random.moved(&[Vec6::zeros(); 6], 1.0);
        let six = parts::<Vec6Type>(6, Vec6::new(0.0, 0.6, 0.0, 0.0, 0.8, 0.0));
        ForceFieldCheck::new(&six, x, random.derivs(6)).seed(4).assembled().symmetric().conservative().run();
        let x = random.moved(&[Vec1::zeros(); 6], 1.0);
        let line = parts::<Vec1Type>(6, Vec1::new(-1.0));
        ForceFieldCheck::new(&line, x, random.derivs(6)).seed(5).assembled().symmetric().conservative().run();
    }

    #[test]
    fn damping_grows_with_depth_and_the_force_is_limited() {
        let mut plane = Plane { normal: Vec3::y(), law: Law { d: 0.0, damping: 5.0, ..LAW } };
        let force = |plane: &Plane<Vec3>, y: Real| {
            plane.force(&Vec3::new(0.0, y, 0.0), &Vec3::x()).map(|(force, ())| force)
        };
        assert!((force(&plane, -0.2).unwrap() - Vec3::new(-1.0, 60.0, 0.0)).norm() < 1e-12);
        plane.law.max_force = 6.0;
        assert!((force(&plane, -0.2).unwrap().norm() - 6.0).abs() < 1e-12);
        assert!(force(&plane, 0.2).is_none());
        plane.law.bilateral = true;
        assert!(force(&plane, 0.2).is_some());
        let mut f = [RigidDeriv::default()];
        let x = [RigidCoord { center: Vec3::new(0.0, -1.0, 0.0), ..Default::default() }];
        let v = [RigidDeriv::default()];
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let at = AddForce { params, elements: &[], stored: &mut [None], f: &mut f, x: &x, v: &v };
        PointForceField::<Rigid3Type, _>::add_force(&(plane, [0, 1]), at);
        assert!(f[0].linear.y > 0.0);
        assert_eq!(f[0].angular, Vec3::zeros());
    }

    #[test]
    fn a_plane_needs_a_normal() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "3")]).unwrap();
        t.add(&DESCRIPTION, root, &[("localRange", "1 2"), ("normal", "0 2 0")]).unwrap();
        assert_eq!(t.warnings.len(), 1);
        t.add(&DESCRIPTION, root, &[("stiffness", "-3"), ("maxForce", "-1")]).unwrap();
        assert!(
            t.warnings[1].contains("500 is taken") && t.warnings[2].contains("0 is taken"),
            "{:?}",
            t.warnings
        );
        t.add(&DESCRIPTION, root, &[("normal", "0 0 0")]).unwrap();
        assert!(t.warnings[3].contains("nothing is pushed"), "{:?}", t.warnings);
        let e = t.add(&DESCRIPTION, root, &[("normal", "0 1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("normal"), "two numbers for points in space");
    }
}
