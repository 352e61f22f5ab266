//! `FixedRotationProjectiveConstraint`: frames that keep their rotation about some axes.

use sim_core::math::Quat;
use sim_core::prelude::*;

/// Frames that keep their rotation about some axes of space.
#[derive(Attributes)]
struct Settings {
    /// whether the rotation about x is kept
    #[attribute(name = "FixedXRotation")]
    fixed_x_rotation: bool,
    /// whether the rotation about y is kept
    #[attribute(name = "FixedYRotation")]
    fixed_y_rotation: bool,
    /// whether the rotation about z is kept
    #[attribute(name = "FixedZRotation")]
    fixed_z_rotation: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "FixedRotationProjectiveConstraint", build)
        .templates(&[Rigid3Type::NAME])
        .samples(&[Sample::new("FixedXRotation='1' FixedZRotation='1'")]);

/// All frames, whose orientations lose their rotation about the axes and get that which they began with.
///
/// **Source:** as SOFA's: an orientation q is swing times twist, the twist being the part of q about the axis; twists are taken off about x,
/// then y, then z, from what is left. Responses, velocities and an assembled matrix are left as they are, so that a frame turns in the
/// solve and is turned back.
pub struct FixedRotationProjectiveConstraint;

/// The twist of a rotation about an axis, and the swing that is left.
fn twist_and_swing(q: &Quat, axis: usize) -> [Quat; 2] {
    let mut about = Vec3::zeros();
    about[axis] = q.imag()[axis];
    let twist = Quat::from_parts(q.w, about);
    let twist = if twist == Quat::default() { Quat::identity() } else { twist.normalize() };
    [twist, (q * twist.conjugate()).normalize()]
}

impl ProjectiveConstraint for FixedRotationProjectiveConstraint {
    type State = Rigid3Type;
    /// About which axes.
    type Constants = [bool; 3];
    /// The orientation that each frame begins with.
    type Element = Quat;
    const NAME: &'static str = DESCRIPTION.class;

    fn project_response(_: &[bool; 3], _: ProjectResponse<'_, Self>) {}

    fn project_position(fixed: &[bool; 3], ProjectPosition { elements, x, .. }: ProjectPosition<'_, Self>) {
        for (x, begin) in x.iter_mut().zip(elements) {
            let (mut left, mut left_of_begin, mut kept) = (x.orientation, *begin, Quat::identity());
            for axis in (0..3).filter(|k| fixed[*k]) {
                left = twist_and_swing(&left, axis)[1];
                let [twist, swing] = twist_and_swing(&left_of_begin, axis);
                (kept, left_of_begin) = (twist * kept, swing);
            }
            x.orientation = left * kept;
        }
    }

    fn fixed_dofs(_: &[bool; 3], _: &[Quat], _: usize) -> Vec<u32> {
        Vec::new()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let fixed = [s.fixed_x_rotation, s.fixed_y_rotation, s.fixed_z_rotation];
    let Some(frames) = b.scene.initial_as::<Rigid3Type>(state) else {
        return Err(BuildError::new("a FixedRotationProjectiveConstraint acts on a Rigid3 state"));
    };
    let elements = frames.position.iter().map(|x| x.orientation).collect();
    let mut parts = ProjectiveConstraintParts::<FixedRotationProjectiveConstraint>::new(fixed, elements);
    parts.projects_position = fixed.contains(&true);
    b.add_projective_constraint(state, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, quat_from_euler_degrees};

    fn projected(fixed: [bool; 3], begin: Vec3, now: Vec3) -> Quat {
        let params = crate::test_support::AT_START;
        let mut x = [RigidCoord { center: Vec3::x(), orientation: quat_from_euler_degrees(now) }];
        let mut elements = [quat_from_euler_degrees(begin)];
        type C = FixedRotationProjectiveConstraint;
        C::project_position(&fixed, ProjectPosition { params, elements: &mut elements, x: &mut x });
        assert_eq!(x[0].center, Vec3::x());
        x[0].orientation
    }

    #[test]
    fn the_rotation_about_an_axis_is_that_at_the_beginning() {
        let near = |a: Quat, b: Vec3| assert!((a - quat_from_euler_degrees(b)).norm() < 1e-15, "{a:?}");
        let (z20, z50) = (Vec3::z() * 20.0, Vec3::z() * 50.0);
        near(projected([false, false, true], z20, z50), z20);
        near(projected([false, true, false], z20, z50), z50);
        near(projected([true; 3], Vec3::zeros(), Vec3::new(0.0, 30.0, 0.0)), Vec3::zeros());
        near(projected([false; 3], z20, z50), z50);
        // Half a turn about another axis has no part about this one.
        let half = projected([true, false, false], Vec3::zeros(), Vec3::y() * 180.0);
        assert!((half.norm() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn it_acts_on_frames() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        assert!(t.add(&DESCRIPTION, root, &[("FixedXRotation", "1")]).is_err());
    }
}
