//! `IdentityMapping`: a copy of a state, or the centres of rigid frames.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::mapping::Mapping;
use sim_core::component::mechanical_state::AnyInitialState;
use sim_core::math::{Coord, Deriv, Rigid3Type, RigidCoord, RigidDeriv, StateType, Vec3, Vec3Type};
use std::marker::PhantomData;

use super::ends::{INPUT, ends, pair, parts};

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "IdentityMapping",
    old_names: &[],
    family: Family::Mapping,
    summary: "A copy of a state, or the centres of its rigid frames",
    templates: &["Vec3,Vec3", "Rigid3,Rigid3", "Rigid3,Vec3"],
    attributes: &[INPUT],
    samples: &[
        Sample::new("").template("Vec3,Vec3"),
        Sample::new("").template("Rigid3,Rigid3"),
        Sample::new("").template("Rigid3,Vec3"),
    ],
    build,
};

/// A copy of a state of the same type.
pub struct IdentityMapping<S>(PhantomData<S>);

impl<S: StateType> Mapping for IdentityMapping<S> {
    type Input = S;
    type Output = S;
    type Constants = ();
    type Element = ();
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn apply(_: &(), _: &[()], _: &mut [()], x_out: &mut [S::Coord], x_in: &[S::Coord]) {
        x_out.copy_from_slice(x_in);
    }

    fn apply_j(_: &(), _: &[()], _: &[()], v_out: &mut [S::Deriv], v_in: &[S::Deriv]) {
        v_out.copy_from_slice(v_in);
    }

    fn apply_jt(_: &(), _: &[()], _: &[()], f_in: &mut [S::Deriv], f_out: &[S::Deriv]) {
        for (f_in, f_out) in f_in.iter_mut().zip(f_out) {
            *f_in += *f_out;
        }
    }
}

/// The centres of rigid frames.
pub struct CentreMapping;

impl Mapping for CentreMapping {
    type Input = Rigid3Type;
    type Output = Vec3Type;
    type Constants = ();
    type Element = ();
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn apply(_: &(), _: &[()], _: &mut [()], x_out: &mut [Vec3], x_in: &[RigidCoord]) {
        for (x_out, x_in) in x_out.iter_mut().zip(x_in) {
            *x_out = x_in.center();
        }
    }

    fn apply_j(_: &(), _: &[()], _: &[()], v_out: &mut [Vec3], v_in: &[RigidDeriv]) {
        for (v_out, v_in) in v_out.iter_mut().zip(v_in) {
            *v_out = v_in.linear();
        }
    }

    fn apply_jt(_: &(), _: &[()], _: &[()], f_in: &mut [RigidDeriv], f_out: &[Vec3]) {
        for (f_in, f_out) in f_in.iter_mut().zip(f_out) {
            f_in.add_linear(f_out);
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (input, output) = ends(b)?;
    let n = b.scene.initial(input).len();
    match (b.scene.initial(input), b.scene.initial(output)) {
        (AnyInitialState::Vec3(_), AnyInitialState::Vec3(_)) => {
            let parts = parts::<IdentityMapping<Vec3Type>>(b, (), vec![], vec![], n)?;
            b.scene.add_mapping(b.component, input, output, parts);
        }
        (AnyInitialState::Rigid3(_), AnyInitialState::Rigid3(_)) => {
            let parts = parts::<IdentityMapping<Rigid3Type>>(b, (), vec![], vec![], n)?;
            b.scene.add_mapping(b.component, input, output, parts);
        }
        (AnyInitialState::Rigid3(_), AnyInitialState::Vec3(_)) => {
            let parts = parts::<CentreMapping>(b, (), vec![], vec![], n)?;
            b.scene.add_mapping(b.component, input, output, parts);
        }
        (AnyInitialState::Vec3(_), AnyInitialState::Rigid3(_)) => {
            let templates = pair(b, (input, output));
            return Err(BuildError::new(format!("an IdentityMapping of {templates} does not exist")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::component::mapping::MappingParts;
    use sim_core::testing::{Random, mapping};

    fn plain<M: Mapping<Constants = (), Element = (), Stored = ()>>(n_out: usize) -> MappingParts<M> {
        let (elements, stored) = (vec![], vec![]);
        MappingParts { constants: (), elements, stored, n_out, map_forces: true, apply_rest_position: false }
    }

    #[test]
    fn conforms() {
        let mut random = Random::new(1);
        let points = random.moved(&[Vec3::zeros(); 4], 1.0);
        mapping(&plain::<IdentityMapping<Vec3Type>>(4), &points, 1);
        let frames = random.moved(&[RigidCoord::default(); 3], 1.0);
        mapping(&plain::<IdentityMapping<Rigid3Type>>(3), &frames, 2);
        mapping(&plain::<CentreMapping>(3), &frames, 3);
    }

    #[test]
    fn the_output_takes_the_size_of_the_input() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", "1 2 3 4 5 6")]).unwrap();
        let child = t.child(root, "copy");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[]).unwrap();
        t.add(&DESCRIPTION, child, &[]).unwrap();
        let state = t.scene.initial_as::<Vec3Type>(t.scene.state_of_component(c).unwrap()).unwrap();
        assert_eq!(state.position, [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
        let below = t.child(child, "frames");
        t.add(&mechanical_object::DESCRIPTION, below, &[("template", "Rigid3")]).unwrap();
        assert!(t.add(&DESCRIPTION, below, &[]).is_err());
        assert!(t.add(&DESCRIPTION, root, &[]).is_err(), "the root has no parent");
    }
}
