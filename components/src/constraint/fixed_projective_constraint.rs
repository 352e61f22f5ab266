//! `FixedProjectiveConstraint`: points that keep still.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// Points that no force moves.
#[derive(Attributes)]
#[attributes(ignored("topology", "showObject", "drawSize"))]
struct Settings {
    /// points that keep still; point 0 if not given
    #[attribute(default = "0")]
    indices: Deferred<Indices>,
    /// whether all points keep still
    fix_all: bool,
    /// whether initial velocities are removed too
    #[attribute(name = "activate_projectVelocity")]
    project_velocity: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "FixedProjectiveConstraint", build)
        .old_names(&["FixedConstraint"])
        .follows(Following::of_points(&["indices"]))
        .at_run_time(RunTime::Only(&["indices"]))
        .templates(TEMPLATES)
        .samples(&[Sample::new("indices='0 1'"), Sample::new("indices='0 1' endTime='0.05'")]);

/// Points of a state that no force moves.
///
/// d = 0 for the displacements and forces d of each point; an assembled matrix has there the rows and columns of the identity.
///
/// **Source:** as SOFA's: displacements are zero, positions are not moved back, and a velocity that a point has at the
/// beginning stays unless `activate_projectVelocity`.
pub struct FixedProjectiveConstraint<S>(PhantomData<S>);

fn clear<D: Deriv>(indices: &[u32], d: &mut [D]) {
    for i in indices {
        d[*i as usize] = D::zero();
    }
}

impl<S: StateType> ProjectiveConstraint for FixedProjectiveConstraint<S> {
    type State = S;
    type Constants = ();
    /// The points.
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;

    fn project_response(_: &(), ProjectResponse { elements, d, .. }: ProjectResponse<'_, Self>) {
        clear(elements, d);
    }

    fn project_velocity(_: &(), ProjectVelocity { elements, v, .. }: ProjectVelocity<'_, Self>) {
        clear(elements, v);
    }

    fn fixed_dofs(_: &(), indices: &[u32], _: usize) -> Vec<u32> {
        indices.to_vec()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let elements = points(b, state, s.fix_all, &s.indices)?;
    for_state_type!(b, state, S => {
        let mut parts = ProjectiveConstraintParts::<FixedProjectiveConstraint<S>>::new((), elements);
        parts.projects_velocity = s.project_velocity;
        b.add_projective_constraint(state, parts)
    })
}

/// The points of a constraint, ascending; those beyond the state's are left out with a warning.
pub(super) fn points(
    b: &mut Builder<'_>,
    state: StateId,
    all: bool,
    indices: &Deferred<Indices>,
) -> Result<Vec<u32>, BuildError> {
    let n = b.size(state);
    let mut points = if all { (0..n as u32).collect() } else { indices.get(b)?.within(n, b)? };
    points.sort_unstable();
    points.dedup();
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::RigidDeriv;

    #[test]
    fn fixed_points_get_no_displacement() {
        let mut d = [Vec3::new(1.0, 2.0, 3.0); 3];
        let at = ProjectResponse { params: crate::test_support::AT_START, elements: &[0, 2], d: &mut d };
        FixedProjectiveConstraint::<Vec3Type>::project_response(&(), at);
        assert_eq!(d, [Vec3::zeros(), Vec3::new(1.0, 2.0, 3.0), Vec3::zeros()]);
        let one = Vec3::new(1.0, 1.0, 1.0);
        let mut d = [RigidDeriv { linear: one, angular: one }];
        let at = ProjectResponse { params: crate::test_support::AT_START, elements: &[0], d: &mut d };
        FixedProjectiveConstraint::<Rigid3Type>::project_response(&(), at);
        assert_eq!(d, [RigidDeriv::default()]);
        let scalars = FixedProjectiveConstraint::<Vec3Type>::fixed_scalars(&(), &[2], 3);
        assert_eq!(scalars, [6, 7, 8]);
    }

    #[test]
    fn indices_beyond_the_points_are_left_out_with_a_warning() {
        let mut t = TestScene::new();
        let root = t.root();
        assert!(t.add(&DESCRIPTION, root, &[]).is_err(), "no state");
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "3")]).unwrap();
        t.add(&DESCRIPTION, root, &[("indices", "0 2 3 9")]).unwrap();
        assert!(t.warnings[0].contains("2 indices"), "{:?}", t.warnings);
        let e = t.add(&DESCRIPTION, root, &[("indices", "-1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("indices"));
        t.add(&DESCRIPTION, root, &[("indices", "")]).unwrap();
        assert_eq!(t.scene.parts.constraints.len(), 2);
    }
}
