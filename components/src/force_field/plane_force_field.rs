//! `PlaneForceField`: a plane that pushes back what gets behind it.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::plane_shape::PlaneDrawing;

/// A plane that pushes back what gets behind it.
#[derive(Attributes, Clone, Copy, Debug)]
pub struct Plane {
    /// normal; used as it is, not scaled to length 1
    #[attribute(default = "0 1 0")]
    normal: Vec3,
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

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Plane, PlaneDrawing)>(Family::ForceField, "PlaneForceField", build)
        .templates(TEMPLATES)
        .samples(&[
            Sample::new("normal='0.6 0.8 0' d='0.5' stiffness='300' damping='5'"),
            Sample::new("normal='0 1 0' d='-0.02' stiffness='300' damping='5'"),
        ]);

/// Forces of a plane on the centres of a state; constants are the plane, and its first point and the one after its last.
///
/// **Source:** as SOFA's PlaneForceField: with depth e = n . x - d < 0, f = -k e n + c e v; the damping grows with the
/// depth, and the tangent -k n nᵀ knows neither it nor the limit.
pub struct PlaneForceField<S>(PhantomData<S>);

impl Plane {
    fn force(&self, x: &Vec3, v: &Vec3) -> Option<Vec3> {
        let depth = x.inner(&self.normal) - self.d;
        if !self.bilateral && depth >= 0.0 {
            return None;
        }
        let mut force = self.normal * (-self.stiffness * depth) + v * (self.damping * depth);
        let amplitude = force.norm();
        if self.max_force > 0.0 && amplitude > self.max_force {
            force *= self.max_force / amplitude;
        }
        Some(force)
    }
}

impl<S: StateType> ForceField for PlaneForceField<S> {
    type State = S;
    type Constants = (Plane, [usize; 2]);
    type Element = ();
    /// Whether each point of the range touched the plane.
    type Stored = bool;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force((plane, [first, _]): &(Plane, [usize; 2]), at: AddForce<'_, Self>) {
        for (i, touched) in (*first..).zip(at.stored) {
            let force = plane.force(&at.x[i].center(), &at.v[i].linear());
            *touched = force.is_some();
            if let Some(force) = force {
                at.f[i].add_linear(&force);
            }
        }
    }

    fn add_d_force((plane, [first, _]): &(Plane, [usize; 2]), at: AddDForce<'_, Self>) {
        let (n, factor) = (plane.normal, -plane.stiffness * at.k_factor);
        for (i, _) in (*first..).zip(at.stored).filter(|(_, touched)| **touched) {
            at.df[i].add_linear(&(n * (factor * at.dx[i].linear().inner(&n))));
        }
    }

    fn add_k_to_matrix((plane, [first, _]): &(Plane, [usize; 2]), at: AddKToMatrix<'_, Self>) {
        let block = plane.normal * plane.normal.transpose() * (-plane.stiffness * at.k_factor);
        // Points that do not touch write zeros: the matrix keeps the places that it found at first.
        for (i, touched) in (*first..).zip(at.stored) {
            let row = (i * S::Deriv::BLOCKS) as u32;
            at.matrix.add_block(row, row, &if *touched { block } else { Mat3::zeros() });
        }
    }

    fn potential_energy(c: &(Plane, [usize; 2]), _: &[()], x: &[S::Coord]) -> Option<Real> {
        let (plane, [first, end]) = *c;
        let depths = x[first..end].iter().map(|x| x.center().inner(&plane.normal) - plane.d);
        let depths = depths.map(|depth| if plane.bilateral { depth } else { depth.min(0.0) });
        Some(depths.map(|depth| 0.5 * plane.stiffness * depth * depth).sum())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, plane) = (b.state()?, Plane::read(b)?);
    if plane.normal == Vec3::zeros() {
        return Err(BuildError::attribute("normal", "`normal` is 0; a plane needs a direction"));
    }
    if (plane.normal.norm() - 1.0).abs() > 1e-6 {
        b.warn(Some("normal"), "`normal` is not of length 1; it is used as it is, as in SOFA");
    }
    b.keep(PlaneDrawing::read(b)?.shape(plane.normal, plane.d));
    let range = plane.local_range.of(b.size(state))?;
    let touched = vec![false; range[1] - range[0]];
    for_state_type!(b, state, S => {
        b.add_force_field(state, ForceFieldParts::<PlaneForceField<S>>::new((plane, range), vec![], touched))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, RigidDeriv};
    use sim_core::testing::{ForceFieldCheck, Random};

    const PLANE: Plane = Plane {
        normal: Vec3::new(0.6, 0.8, 0.0),
        d: 0.1,
        stiffness: 300.0,
        damping: 0.0,
        max_force: 0.0,
        bilateral: false,
        local_range: PointRange::ALL,
    };

    fn parts<S: StateType>(n: usize) -> ForceFieldParts<PlaneForceField<S>> {
        ForceFieldParts::new((PLANE, [0, n]), vec![], vec![false; n])
    }

    #[test]
    fn conforms_without_damping() {
        let mut random = Random::new(2);
        let x = random.moved(&[Vec3::zeros(); 9], 1.0);
        let parts3 = parts::<Vec3Type>(9);
        let check = ForceFieldCheck::new(&parts3, x, random.derivs(9)).seed(2).assembled();
        check.symmetric().conservative().run();
        let x = random.moved(&[RigidCoord::default(); 4], 1.0);
        ForceFieldCheck::new(&parts::<Rigid3Type>(4), x, random.derivs(4)).seed(3).assembled().run();
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
        let e = t.add(&DESCRIPTION, root, &[("localRange", "2 3")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("localRange"));
    }
}
