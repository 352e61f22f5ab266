//! `AngularSpringForceField`: springs against the rotation of frames relative to those before them.

use sim_core::math::{RigidCoord, RigidDeriv};
use sim_core::prelude::*;

/// Springs against the rotation of frames relative to those that come before them in the state.
#[derive(Attributes)]
#[attributes(ignored("drawSpring", "springColor", "limit"))]
struct Settings {
    /// frames; the first of them is not turned back
    indices: Indices,
    /// torque per angle, one or one for each [N m/rad]
    #[attribute(default = "100")]
    angular_stiffness: Vec<Real>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "AngularSpringForceField", build)
        .templates(&[Rigid3Type::NAME])
        .samples(&[Sample::new("indices='0 1 2' angularStiffness='3'").template("Rigid3")]);

/// A frame of the list.
#[derive(Clone, Copy, Debug)]
pub struct Turned {
    frame: u32,
    stiffness: Real,
    /// Whether it is turned toward the one before it.
    acts: bool,
}

/// Springs between orientations.
///
/// The rotation q(p) q(p − 1)⁻¹ from frame p − 1 to frame p is by the angle θ [rad] about the axis a: frame p gets the torque −k θ a,
/// with k from `angularStiffness`.
///
/// **Source:** as SOFA's: each frame of the list but the first gets a torque toward the frame whose number is one less, wherever that is in the
/// list, and that one feels nothing. The angle is from 0 to a whole turn. The tangent is the stiffness at all frames of the list, the first
/// too.
pub struct AngularSpringForceField;

/// The axis of a rotation times its angle, which is up to a whole turn.
fn whole_rotation(q: &Quat) -> Vec3 {
    let q = q.normalize();
    let (v, sine) = (q.imag(), q.imag().norm());
    let angle = if q.w > 0.999_999 { 2.0 * sine.min(1.0).asin() } else { 2.0 * q.w.clamp(-1.0, 1.0).acos() };
    if sine > 0.0 { v * (angle / sine) } else { Vec3::zeros() }
}

impl ForceField for AngularSpringForceField {
    type State = Rigid3Type;
    type Constants = ();
    type Element = Turned;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(_: &(), AddForce { elements, f, x, .. }: AddForce<'_, Self>) {
        for e in elements.iter().filter(|e| e.acts) {
            let frame = e.frame as usize;
            let orientation = |x: &RigidCoord| x.orientation;
            let turned = orientation(&x[frame]) * orientation(&x[frame - 1]).conjugate();
            f[frame].angular -= whole_rotation(&turned) * e.stiffness;
        }
    }

    fn add_d_force(_: &(), AddDForce { k_factor, elements, df, dx, .. }: AddDForce<'_, Self>) {
        for e in elements {
            let frame = e.frame as usize;
            df[frame] -=
                RigidDeriv { linear: Vec3::zeros(), angular: dx[frame].angular * (e.stiffness * k_factor) };
        }
    }

    fn add_k_to_matrix(_: &(), AddKToMatrix { k_factor, elements, matrix, .. }: AddKToMatrix<'_, Self>) {
        for e in elements {
            let row = 2 * e.frame + 1;
            matrix.add_block(row, row, &(Mat3::identity() * (-e.stiffness * k_factor)));
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let indices = s.indices.below(b.size(state))?;
    if indices.is_empty() {
        b.warn(Some("indices"), "`indices` is empty, so that nothing is turned");
    }
    if let Some(k) = indices.iter().skip(1).position(|i| *i == 0) {
        let text = format!("entry {} of `indices` is frame 0, before which there is none", k + 1);
        return Err(BuildError::attribute("indices", text));
    }
    let of = |(k, frame): (usize, &u32)| {
        let stiffness = s.angular_stiffness.get(k).or(s.angular_stiffness.first()).copied().unwrap_or(100.0);
        Turned { frame: *frame, stiffness, acts: k > 0 }
    };
    let elements = indices.iter().enumerate().map(of).collect();
    b.add_force_field(state, ForceFieldParts::<AngularSpringForceField>::new((), elements, vec![]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::quat_from_euler_degrees;

    #[test]
    fn a_turned_frame_is_turned_back_and_the_one_before_feels_nothing() {
        let q = quat_from_euler_degrees(Vec3::new(0.0, 0.0, 40.0));
        let x = [RigidCoord::default(), RigidCoord { orientation: q, ..Default::default() }];
        let elements = [(0, false), (1, true)].map(|(frame, acts)| Turned { frame, stiffness: 3.0, acts });
        let (mut f, v) = ([RigidDeriv::default(); 2], [RigidDeriv::default(); 2]);
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let at = AddForce { params, elements: &elements, stored: &mut [], f: &mut f, x: &x, v: &v };
        AngularSpringForceField::add_force(&(), at);
        assert!((f[1].angular + Vec3::z() * (3.0 * 40f64.to_radians())).norm() < 1e-12);
        assert_eq!(f[0], RigidDeriv::default());
        let (mut df, mut matrix) =
            ([RigidDeriv::default(); 2], sim_core::component::matrix::PatternSink::default());
        let dx = [RigidDeriv { linear: Vec3::x(), angular: Vec3::y() }; 2];
        let at = AddDForce {
            k_factor: 2.0,
            b_factor: 0.0,
            elements: &elements,
            stored: &[],
            df: &mut df,
            dx: &dx,
        };
        AngularSpringForceField::add_d_force(&(), at);
        assert!(df.iter().all(|d| *d == RigidDeriv { linear: Vec3::zeros(), angular: Vec3::y() * -6.0 }));
        let (elements, matrix_sink) = (&elements[..], &mut matrix);
        let at = AddKToMatrix { k_factor: 2.0, b_factor: 0.0, elements, stored: &[], matrix: matrix_sink };
        AngularSpringForceField::add_k_to_matrix(&(), at);
        assert_eq!(matrix.places, [(1, 1), (3, 3)]);
    }

    #[test]
    fn there_is_no_frame_before_the_first() {
        let mut t = TestScene::new();
        let root = t.root();
        let state = [("template", "Rigid3"), ("position", "0 0 0 0 0 0 1 1 0 0 0 0 0 1")];
        t.add(&mechanical_object::DESCRIPTION, root, &state).unwrap();
        t.add(&DESCRIPTION, root, &[("indices", "0 1")]).unwrap();
        let e = t.add(&DESCRIPTION, root, &[("indices", "1 0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("indices"));
    }
}
