//! `TorsionForceField`: points and frames are turned about an axis.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// Turns points and frames about an axis.
#[derive(Attributes)]
struct Settings {
    /// points that are turned; none if not given
    indices: Indices,
    /// force on a point per distance from the axis [N/m]; a frame feels it as a torque, too [N m]
    #[attribute(default = "0")]
    torque: Real,
    /// direction of the axis
    #[attribute(default = "0 0 0")]
    axis: Vec3,
    /// what is subtracted from the positions of points, that part along the axis included [m]
    #[attribute(default = "0 0 0")]
    origin: Vec3,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TorsionForceField", build)
        .follows(Following::of_points(&["indices"]))
        .templates(&[Vec3Type::NAME, Rigid3Type::NAME])
        .samples(&[
            Sample::new("indices='0 1' torque='0.4' axis='0 2 1' origin='0.1 0 0.2'").template("Vec3"),
            Sample::new("indices='0 1' torque='0.4' axis='0 2 1'").template("Rigid3"),
        ]);

/// Numbers of the torsion: a torque along an axis of length 1.
#[derive(Clone, Copy, Debug)]
pub struct Torsion {
    torque: Real,
    axis: Vec3,
    origin: Vec3,
}

/// Torsion of listed points.
///
/// **Source:** as SOFA's: f = τ u × (x − (o + (x·u) u)), and a torque τ u on frames. What SOFA takes for its derivative, τ (I − u uᵀ) without the
/// last u², is not: the tangent pushes outward.
pub struct TorsionForceField<S>(PhantomData<S>);

impl Torsion {
    fn force(&self, x: &Vec3) -> Vec3 {
        let u = &self.axis;
        (u * self.torque).cross(&(x - (self.origin + u * x.dot(u))))
    }

    /// SOFA's reads the entry in the last corner beyond the axis, where there is 0.
    fn tangent(&self) -> Mat3 {
        let mut tangent = Mat3::identity() - self.axis * self.axis.transpose();
        tangent[(2, 2)] = 1.0;
        tangent * self.torque
    }
}

impl<S: StateType> ForceField for TorsionForceField<S> {
    type State = S;
    type Constants = Torsion;
    /// A point.
    type Element = u32;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(t: &Torsion, AddForce { elements, f, x, .. }: AddForce<'_, Self>) {
        for i in elements.iter().map(|i| *i as usize) {
            f[i].add_linear(&t.force(&x[i].position().linear()));
            if S::IS_FRAME {
                let turning = f[i].block(1) + t.axis * t.torque;
                f[i].set_block(1, turning);
            }
        }
    }

    fn add_d_force(t: &Torsion, AddDForce { k_factor, elements, df, dx, .. }: AddDForce<'_, Self>) {
        let tangent = t.tangent() * k_factor;
        for i in elements.iter().map(|i| *i as usize) {
            df[i].add_linear(&(tangent * dx[i].linear()));
        }
    }

    fn add_k_to_matrix(t: &Torsion, AddKToMatrix { k_factor, elements, matrix, .. }: AddKToMatrix<'_, Self>) {
        for i in elements {
            let row = i * S::Deriv::BLOCKS as u32;
            matrix.add_block(row, row, &(t.tangent() * k_factor));
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let points = s.indices.below(b.size(state))?;
    if points.is_empty() {
        b.warn(Some("indices"), "`indices` is empty, so that nothing is turned");
    }
    if s.axis == Vec3::zeros() {
        b.warn(Some("axis"), "`axis` is 0, so that nothing is turned");
    }
    let torsion =
        Torsion { torque: s.torque, axis: s.axis.try_normalize(0.0).unwrap_or_default(), origin: s.origin };
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type] => {
        b.add_force_field(state, ForceFieldParts::<TorsionForceField<S>>::new(torsion, points, vec![]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, RigidDeriv};
    use sim_core::testing::{ForceFieldCheck, Random};

    fn torsion() -> Torsion {
        Torsion { torque: 2.0, axis: Vec3::new(0.6, 0.0, 0.8), origin: Vec3::new(0.1, 0.2, 0.3) }
    }

    /// By hand, with u = (0.6, 0, 0.8), o = (0.1, 0.2, 0.3) and τ = 2 at x = (1, 2, 3): x·u = 3, so that the lever is (-0.9, 1.8, 0.3).
    #[test]
    fn points_are_pushed_across_and_frames_are_turned_too() {
        let wanted = 2.0 * Vec3::new(-0.8 * 1.8, -0.8 * 0.9 - 0.6 * 0.3, 0.6 * 1.8);
        let x = [RigidCoord { center: Vec3::new(1.0, 2.0, 3.0), ..Default::default() }];
        assert!((torsion().force(&x[0].center) - wanted).norm() < 1e-14);
        let (mut f, v) = ([RigidDeriv::default()], [RigidDeriv::default()]);
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let at = AddForce { params, elements: &[0], stored: &mut [], f: &mut f, x: &x, v: &v };
        TorsionForceField::<Rigid3Type>::add_force(&torsion(), at);
        assert!((f[0].linear - wanted).norm() < 1e-14);
        assert!((f[0].angular - Vec3::new(1.2, 0.0, 1.6)).norm() < 1e-14);
    }

    /// SOFA's tangent is not the derivative of its force; so the product is compared with the matrix that is written there.
    #[test]
    fn the_product_is_that_of_sofas_matrix() {
        let matrix = 2.0 * Mat3::new(0.64, 0.0, -0.48, 0.0, 1.0, 0.0, -0.48, 0.0, 1.0);
        let parts = ForceFieldParts::<TorsionForceField<Vec3Type>>::new(torsion(), vec![0, 2], vec![]);
        let mut random = Random::new(6);
        let x = random.moved(&[Vec3::zeros(); 3], 1.0);
        let at = x.clone();
        ForceFieldCheck::new(&parts, x, random.derivs(3))
            .seed(6)
            .assembled()
            .frozen(move |t, points, _, f, x, _| {
                for i in points.iter().map(|i| *i as usize) {
                    f[i] += t.force(&at[i]) + matrix * (x[i] - at[i]);
                }
            })
            .run();
    }

    #[test]
    fn what_lacks_is_said() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        t.add(&DESCRIPTION, root, &[("indices", "1"), ("axis", "0 0 3"), ("torque", "2")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        t.add(&DESCRIPTION, root, &[]).unwrap();
        assert_eq!(t.warnings.len(), 2, "{:?}", t.warnings);
    }
}
