//! `PartialFixedProjectiveConstraint`: points that keep still in some directions.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::fixed_projective_constraint::points;

/// Points that no force moves in some directions.
#[derive(Attributes)]
#[attributes(ignored("topology", "showObject", "drawSize"))]
struct Settings {
    /// points concerned; point 0 if not given
    #[attribute(default = "0")]
    indices: Deferred<Indices>,
    /// whether all points are concerned
    fix_all: bool,
    /// which of the 3 (Rigid3: 6) directions keep still; all if not given
    fixed_directions: Option<Vec<bool>>,
    /// whether initial velocities are removed too
    project_velocity: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "PartialFixedProjectiveConstraint", build)
        .old_names(&["PartialFixedConstraint"])
        .follows(Following::of_points(&["indices"]))
        .at_run_time(RunTime::Only(&["indices"]))
        .templates(TEMPLATES)
        .samples(&[
            Sample::new("indices='0 1' fixedDirections='1 0 1'").template("Vec3"),
            Sample::new("indices='0 1' fixedDirections='1 0 1 0 1 0'").template("Rigid3"),
        ]);

/// The directions that keep still; the first three, for points.
type Directions = [bool; 6];

/// Points of a state that no force moves in some directions.
///
/// In each fixed direction the displacement and the force are 0, the velocity where `projectVelocity` says so.
///
/// **Source:** as SOFA's: an assembled matrix loses the rows and columns of the fixed directions; positions are not moved back.
pub struct PartialFixedProjectiveConstraint<S>(PhantomData<S>);

/// The scalars of `d` with those of the fixed directions cleared.
fn without<D: Deriv>(fixed: &Directions, d: &D) -> D {
    // A deriv has its scalars one after the other; basis vectors pick them out without allocation.
    let mut kept = D::zero();
    for (k, fixed) in fixed.iter().take(D::SIZE).enumerate() {
        if !fixed {
            let mut axis = [0.0; 6];
            axis[k] = 1.0;
            let axis = D::from_scalars(&axis).unwrap_or_default();
            kept += axis * axis.inner(d);
        }
    }
    kept
}

impl<S: StateType> ProjectiveConstraint for PartialFixedProjectiveConstraint<S> {
    type State = S;
    type Constants = Directions;
    /// The points.
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;

    fn project_response(fixed: &Directions, ProjectResponse { elements, d, .. }: ProjectResponse<'_, Self>) {
        for i in elements {
            let d = &mut d[*i as usize];
            *d = without(fixed, d);
        }
    }

    fn project_velocity(
        fixed: &Directions,
        ProjectVelocity { params, elements, v }: ProjectVelocity<'_, Self>,
    ) {
        Self::project_response(fixed, ProjectResponse { params, elements, d: v });
    }

    fn fixed_dofs(fixed: &Directions, indices: &[u32], _: usize) -> Vec<u32> {
        let all = fixed.iter().take(S::Deriv::SIZE).all(|f| *f);
        if all { indices.to_vec() } else { Vec::new() }
    }

    fn fixed_scalars(fixed: &Directions, indices: &[u32], _: usize) -> Vec<u32> {
        let size = S::Deriv::SIZE as u32;
        let directions = move || (0..size).filter(|k| fixed[*k as usize]);
        indices.iter().flat_map(|i| directions().map(move |k| size * i + k)).collect()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let points = points(b, state, s.fix_all, &s.indices)?;
    for_state_type!(b, state, S => {
        let directions = directions::<S>(s.fixed_directions.as_deref())?;
        let mut parts =
            ProjectiveConstraintParts::<PartialFixedProjectiveConstraint<S>>::new(directions, points);
        parts.projects_velocity = s.project_velocity;
        b.add_projective_constraint(state, parts)
    })
}

fn directions<S: StateType>(given: Option<&[bool]>) -> Result<Directions, BuildError> {
    let mut directions = [true; 6];
    let Some(given) = given else { return Ok(directions) };
    if given.len() != S::Deriv::SIZE {
        let (n, wanted) = (given.len(), S::Deriv::SIZE);
        let text = format!("`fixedDirections` has {n} entries; a {} has {wanted} directions", S::NAME);
        return Err(BuildError::attribute("fixedDirections", text));
    }
    directions[..given.len()].copy_from_slice(given);
    Ok(directions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::RigidDeriv;

    #[test]
    fn only_the_fixed_directions_are_cleared() {
        type Points = PartialFixedProjectiveConstraint<Vec3Type>;
        let fixed = [true, false, true, true, true, true];
        let mut d = [Vec3::new(1.0, 2.0, 3.0); 2];
        Points::project_response(
            &fixed,
            ProjectResponse { params: crate::test_support::AT_START, elements: &[1], d: &mut d },
        );
        assert_eq!(d, [Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 2.0, 0.0)]);
        assert_eq!(Points::fixed_scalars(&fixed, &[1], 2), [3, 5]);
        assert!(Points::fixed_dofs(&fixed, &[1], 2).is_empty());
        let fixed = [false, false, false, true, true, false];
        let v = Vec3::new(1.0, 2.0, 3.0);
        let mut d = [RigidDeriv { linear: v, angular: v }];
        let at = ProjectResponse { params: crate::test_support::AT_START, elements: &[0], d: &mut d };
        PartialFixedProjectiveConstraint::<Rigid3Type>::project_response(&fixed, at);
        assert_eq!(d, [RigidDeriv { linear: v, angular: Vec3::new(0.0, 0.0, 3.0) }]);
    }

    #[test]
    fn the_directions_must_fit_the_state() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[]).unwrap();
        t.add(&DESCRIPTION, root, &[("fixedDirections", "1 0 1")]).unwrap();
        let e = t.add(&DESCRIPTION, root, &[("fixedDirections", "1 0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("fixedDirections"));
    }
}
