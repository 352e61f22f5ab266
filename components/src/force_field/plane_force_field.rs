//! `PlaneForceField`: a plane that pushes back what gets behind it.

use std::marker::PhantomData;

use sim_core::component::build::AttributeValues;
use sim_core::prelude::*;

use super::plane_shape::PlaneDrawing;

/// A plane that pushes back what gets behind it.
#[derive(Attributes)]
struct Settings {
    /// normal, in as many dimensions as the points have; used as it is, not scaled to length 1; along y if not given
    normal: Option<Vec<Real>>,
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
    /// first and last point that are concerned
    local_range: PointRange,
}

/// A plane (a line, a point) in as many dimensions as the points have that it pushes.
#[derive(Clone, Copy, Debug)]
pub struct Plane<P> {
    normal: P,
    d: Real,
    stiffness: Real,
    damping: Real,
    max_force: Real,
    bilateral: bool,
}

/// The normal is no list by points, though as long as a point has dimensions.
fn as_it_is(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    Ok(b.attributes.clone())
}

/// What is left of a type's velocities without rotations.
type Translation<S> = <<S as StateType>::Deriv as Deriv>::Translation;

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, PlaneDrawing)>(Family::ForceField, "PlaneForceField", build)
        .follows(Following::PLAIN.prepared(&["normal"], as_it_is))
        .templates(&["Vec3", "Rigid3", "Vec2", "Vec1", "Vec6"])
        .samples(&[
            Sample::new("normal='0.6 0.8 0' d='0.5' stiffness='300' damping='5'").template("Vec3"),
            Sample::new("normal='0 1 0' d='-0.02' stiffness='300' damping='5'").template("Vec3"),
            Sample::new("normal='0.6 0.8 0' d='0.5' stiffness='300' damping='5'").template("Rigid3"),
            Sample::new("normal='0.6 0.8' d='0.5' stiffness='300' damping='5'").template("Vec2"),
            Sample::new("normal='-1' d='-1.2' stiffness='300' damping='5'").template("Vec1"),
            Sample::new("normal='0 0.6 0 0 0.8 0' d='0.5' stiffness='300' damping='5'").template("Vec6"),
        ]);

/// Forces of a plane on the centres of a state; constants are the plane, and its first point and the one after its last.
///
/// **Source:** as SOFA's PlaneForceField: with depth e = n . x - d < 0, f = -k e n + c e v; the damping grows with the
/// depth, and the tangent -k n nᵀ knows neither it nor the limit.
pub struct PlaneForceField<S>(PhantomData<S>);

impl<P: Deriv> Plane<P> {
    fn force(&self, x: &P, v: &P) -> Option<P> {
        let depth = x.inner(&self.normal) - self.d;
        if !self.bilateral && depth >= 0.0 {
            return None;
        }
        let force = self.normal * (-self.stiffness * depth) + *v * (self.damping * depth);
        let amplitude = force.inner(&force).sqrt();
        if self.max_force > 0.0 && amplitude > self.max_force {
            return Some(force * (self.max_force / amplitude));
        }
        Some(force)
    }
}

impl<S: StateType> ForceField for PlaneForceField<S> {
    type State = S;
    type Constants = (Plane<Translation<S>>, [usize; 2]);
    type Element = ();
    /// Whether each point of the range touched the plane.
    type Stored = bool;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force((plane, [first, _]): &Self::Constants, at: AddForce<'_, Self>) {
        for (i, touched) in (*first..).zip(at.stored) {
            let force = plane.force(&at.x[i].position(), &at.v[i].translation());
            *touched = force.is_some();
            if let Some(force) = force {
                at.f[i].add_translation(&force);
            }
        }
    }

    fn add_d_force((plane, [first, _]): &Self::Constants, at: AddDForce<'_, Self>) {
        let (n, factor) = (plane.normal, -plane.stiffness * at.k_factor);
        for (i, _) in (*first..).zip(at.stored).filter(|(_, touched)| **touched) {
            at.df[i].add_translation(&(n * (factor * at.dx[i].translation().inner(&n))));
        }
    }

    fn add_k_to_matrix((plane, [first, _]): &Self::Constants, at: AddKToMatrix<'_, Self>) {
        let (n, factor) = (plane.normal, -plane.stiffness * at.k_factor);
        // Points that do not touch write zeros: the matrix keeps the places that it found at first.
        for (i, touched) in (*first..).zip(at.stored) {
            let factor = if *touched { factor } else { 0.0 };
            for (row, column) in pairs(Translation::<S>::BLOCKS) {
                let block = n.block(row) * n.block(column).transpose() * factor;
                let at_point = |k: usize| (i * S::Deriv::BLOCKS + k) as u32;
                at.matrix.add_block(at_point(row), at_point(column), &block);
            }
        }
    }

    fn potential_energy(c: &Self::Constants, _: &[()], x: &[S::Coord]) -> Option<Real> {
        let (plane, [first, end]) = *c;
        let depths = x[first..end].iter().map(|x| x.position().inner(&plane.normal) - plane.d);
        let depths = depths.map(|depth| if plane.bilateral { depth } else { depth.min(0.0) });
        Some(depths.map(|depth| 0.5 * plane.stiffness * depth * depth).sum())
    }
}

/// Each row with each column of `n` rows and columns.
fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |row| (0..n).map(move |column| (row, column)))
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type, Vec2Type, Vec1Type, Vec6Type] => {
        build_as::<S>(b, state, &s)
    })
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId, s: &Settings) -> Result<(), BuildError> {
    let normal: Translation<S> = match &s.normal {
        None => translation_of(&Vec3::y()),
        Some(given) if given.len() == Translation::<S>::SIZE => {
            Deriv::from_scalars(given).unwrap_or_default()
        }
        Some(given) => {
            let (n, wanted) = (given.len(), Translation::<S>::SIZE);
            let text = format!("`normal` has {n} numbers; the points of a {} have {wanted}", S::NAME);
            return Err(BuildError::attribute("normal", text));
        }
    };
    let length = normal.inner(&normal).sqrt();
    if length == 0.0 {
        return Err(BuildError::attribute("normal", "`normal` is 0; a plane needs a direction"));
    }
    if (length - 1.0).abs() > 1e-6 {
        b.warn(Some("normal"), "`normal` is not of length 1; it is used as it is, as in SOFA");
    }
    b.keep(PlaneDrawing::read(b)?.shape(normal.linear(), s.d));
    let range = s.local_range.of(b.size(state))?;
    let touched = vec![false; range[1] - range[0]];
    let Settings { d, stiffness, damping, max_force, bilateral, .. } = *s;
    let plane = Plane { normal, d, stiffness, damping, max_force, bilateral };
    b.add_force_field(state, ForceFieldParts::<PlaneForceField<S>>::new((plane, range), vec![], touched))
}

/// What there is of a vector in space in as many dimensions as a type's points have.
fn translation_of<P: Deriv>(v: &Vec3) -> P {
    let mut t = P::zero();
    t.add_linear(v);
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, RigidDeriv, Vec1, Vec6};
    use sim_core::testing::{ForceFieldCheck, Random};

    const PLANE: Plane<Vec3> = Plane {
        normal: Vec3::new(0.6, 0.8, 0.0),
        d: 0.1,
        stiffness: 300.0,
        damping: 0.0,
        max_force: 0.0,
        bilateral: false,
    };

    fn parts<S: StateType>(n: usize, normal: Translation<S>) -> ForceFieldParts<PlaneForceField<S>> {
        let Plane { d, stiffness, damping, max_force, bilateral, .. } = PLANE;
        let plane = Plane { normal, d, stiffness, damping, max_force, bilateral };
        ForceFieldParts::new((plane, [0, n]), vec![], vec![false; n])
    }

    #[test]
    fn conforms_without_damping() {
        let mut random = Random::new(2);
        let x = random.moved(&[Vec3::zeros(); 9], 1.0);
        let parts3 = parts::<Vec3Type>(9, PLANE.normal);
        let check = ForceFieldCheck::new(&parts3, x, random.derivs(9)).seed(2).assembled();
        check.symmetric().conservative().run();
        let x = random.moved(&[RigidCoord::default(); 4], 1.0);
        let frames = parts::<Rigid3Type>(4, PLANE.normal);
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
        let mut c = Plane { normal: Vec3::y(), d: 0.0, damping: 5.0, ..PLANE };
        let v = Vec3::new(1.0, 0.0, 0.0);
        let f = c.force(&Vec3::new(0.0, -0.2, 0.0), &v).unwrap();
        assert!((f - Vec3::new(-1.0, 60.0, 0.0)).norm() < 1e-12);
        c.max_force = 6.0;
        assert!((c.force(&Vec3::new(0.0, -0.2, 0.0), &v).unwrap().norm() - 6.0).abs() < 1e-12);
        assert!(c.force(&Vec3::new(0.0, 0.2, 0.0), &v).is_none());
        c.bilateral = true;
        assert!(c.force(&Vec3::new(0.0, 0.2, 0.0), &v).is_some());
        let mut f = [RigidDeriv::default()];
        let x = [RigidCoord { center: Vec3::new(0.0, -1.0, 0.0), ..Default::default() }];
        let v = [RigidDeriv::default()];
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let at = AddForce { params, elements: &[], stored: &mut [false], f: &mut f, x: &x, v: &v };
        PlaneForceField::<Rigid3Type>::add_force(&(c, [0, 1]), at);
        assert_eq!(f[0].angular, Vec3::zeros());
    }

    #[test]
    fn a_plane_needs_a_normal_and_a_range_within_the_points() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "3")]).unwrap();
        t.add(&DESCRIPTION, root, &[("localRange", "1 2"), ("normal", "0 2 0")]).unwrap();
        assert_eq!(t.warnings.len(), 1);
        let e = t.add(&DESCRIPTION, root, &[("normal", "0 0 0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("normal"));
        let e = t.add(&DESCRIPTION, root, &[("normal", "0 1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("normal"), "two numbers for points in space");
        let e = t.add(&DESCRIPTION, root, &[("localRange", "2 3")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("localRange"));
    }
}
