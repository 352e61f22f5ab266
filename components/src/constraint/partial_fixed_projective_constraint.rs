//! `PartialFixedProjectiveConstraint`: points that keep still in some directions.

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
    attribute("indices", AttributeKind::IndexRows(1), "points concerned; point 0 if not given").default("0"),
    attribute("fixAll", AttributeKind::Bool, "whether all points are concerned").default("0"),
    attribute(
        "fixedDirections",
        AttributeKind::Bools,
        "which of the 3 (Rigid3: 6) directions keep still; all if not given",
    ),
    attribute("projectVelocity", AttributeKind::Bool, "whether initial velocities are removed too")
        .default("0"),
    ignored("showObject"),
    ignored("drawSize"),
];

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "PartialFixedProjectiveConstraint",
    old_names: &["PartialFixedConstraint"],
    family: Family::Constraint,
    summary: "Points that no force moves in some directions",
    templates: &["Vec3", "Rigid3"],
    attributes: &[ATTRIBUTES],
    samples: &[
        Sample::new("indices='0 1' fixedDirections='1 0 1'").template("Vec3"),
        Sample::new("indices='0 1' fixedDirections='1 0 1 0 1 0'").template("Rigid3"),
    ],
    build,
};

/// The directions that keep still; the first three, for points.
type Directions = [bool; 6];

/// Points of a state that no force moves in some directions.
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

    fn project_response(fixed: &Directions, indices: &[u32], d: &mut [S::Deriv]) {
        for i in indices {
            let d = &mut d[*i as usize];
            *d = without(fixed, d);
        }
    }

    fn project_velocity(fixed: &Directions, indices: &[u32], v: &mut [S::Deriv]) {
        Self::project_response(fixed, indices, v);
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
    let state = b.state()?;
    if b.scene.initial(state).template() == Vec3Type::NAME {
        build_as::<Vec3Type>(b, state)
    } else {
        build_as::<Rigid3Type>(b, state)
    }
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId) -> Result<(), BuildError> {
    let n = b.scene.initial(state).len();
    let mut constants = [true; 6];
    if b.is_set("fixedDirections") {
        let given = b.booleans("fixedDirections")?;
        if given.len() != S::Deriv::SIZE {
            let (n, wanted) = (given.len(), S::Deriv::SIZE);
            return Err(BuildError::attribute(
                "fixedDirections",
                format!("`fixedDirections` has {n} entries; a {} has {wanted} directions", S::NAME),
            ));
        }
        constants[..given.len()].copy_from_slice(&given);
    }
    let mut elements =
        if b.boolean("fixAll")? { (0..n as u32).collect() } else { indices_within(b, "indices", n)? };
    elements.sort_unstable();
    elements.dedup();
    let projects_velocity = b.boolean("projectVelocity")?;
    b.scene.add_projective_constraint(
        b.component,
        state,
        ProjectiveConstraintParts::<PartialFixedProjectiveConstraint<S>> {
            constants,
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
    fn only_the_fixed_directions_are_cleared() {
        type Points = PartialFixedProjectiveConstraint<Vec3Type>;
        let fixed = [true, false, true, true, true, true];
        let mut d = [Vec3::new(1.0, 2.0, 3.0); 2];
        Points::project_response(&fixed, &[1], &mut d);
        assert_eq!(d, [Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 2.0, 0.0)]);
        assert_eq!(Points::fixed_scalars(&fixed, &[1], 2), [3, 5]);
        assert!(Points::fixed_dofs(&fixed, &[1], 2).is_empty());
        let fixed = [false, false, false, true, true, false];
        let v = Vec3::new(1.0, 2.0, 3.0);
        let mut d = [RigidDeriv { linear: v, angular: v }];
        PartialFixedProjectiveConstraint::<Rigid3Type>::project_response(&fixed, &[0], &mut d);
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
