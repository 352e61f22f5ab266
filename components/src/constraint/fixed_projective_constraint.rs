//! `FixedProjectiveConstraint`: points that keep still.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{
    AttributeDescription, AttributeKind, ComponentDescription, Family, Sample,
};
use sim_core::component::projective_constraint::{ProjectiveConstraint, ProjectiveConstraintParts};
use sim_core::math::{Deriv, Rigid3Type, StateType, Vec3Type};
use sim_core::scene::StateId;
use sim_core::visitor::vectors::VectorsAccess;
use std::marker::PhantomData;

use crate::attributes::{attribute, ignored};
use crate::indices::indices_within;

const ATTRIBUTES: &[AttributeDescription] = &[
    ignored("topology"),
    attribute("indices", AttributeKind::IndexRows(1), "points that keep still; point 0 if not given")
        .default("0"),
    attribute("fixAll", AttributeKind::Bool, "whether all points keep still").default("0"),
    attribute("activate_projectVelocity", AttributeKind::Bool, "whether initial velocities are removed too")
        .default("0"),
    ignored("showObject"),
    ignored("drawSize"),
];

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "FixedProjectiveConstraint",
    old_names: &["FixedConstraint"],
    family: Family::Constraint,
    summary: "Points that no force moves",
    templates: &["Vec3", "Rigid3"],
    attributes: &[ATTRIBUTES],
    samples: &[Sample::new("indices='0 1'")],
    build,
};

/// Points of a state that no force moves.
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

    fn project_response(_: &(), indices: &[u32], d: &mut [S::Deriv]) {
        clear(indices, d);
    }

    fn project_velocity(_: &(), indices: &[u32], v: &mut [S::Deriv]) {
        clear(indices, v);
    }

    fn fixed_dofs(_: &(), indices: &[u32], _: usize) -> Vec<u32> {
        indices.to_vec()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let state = b.state()?;
    if b.scene.initial(state).template() == Vec3Type::NAME {
        build_as::<Vec3Type>(b, state)
    } else {
        build_as::<Rigid3Type>(b, state)
    }
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId) -> Result<(), BuildError> {
    let n = b.scene.initial(state).len();
    let mut elements =
        if b.boolean("fixAll")? { (0..n as u32).collect() } else { indices_within(b, "indices", n)? };
    elements.sort_unstable();
    elements.dedup();
    let projects_velocity = b.boolean("activate_projectVelocity")?;
    b.scene.add_projective_constraint(
        b.component,
        state,
        ProjectiveConstraintParts::<FixedProjectiveConstraint<S>> {
            constants: (),
            elements,
            projects_velocity,
            projects_position: false,
        },
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidDeriv, Vec3};

    #[test]
    fn fixed_points_get_no_displacement() {
        let mut d = [Vec3::new(1.0, 2.0, 3.0); 3];
        FixedProjectiveConstraint::<Vec3Type>::project_response(&(), &[0, 2], &mut d);
        assert_eq!(d, [Vec3::zeros(), Vec3::new(1.0, 2.0, 3.0), Vec3::zeros()]);
        let one = Vec3::new(1.0, 1.0, 1.0);
        let mut d = [RigidDeriv { linear: one, angular: one }];
        FixedProjectiveConstraint::<Rigid3Type>::project_response(&(), &[0], &mut d);
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
