//! `IdentityMapping`: a copy of a state, or the centres of rigid frames.

use std::marker::PhantomData;

use sim_core::component::mechanical_state::AnyInitialState;
use sim_core::prelude::*;

use super::ends::{InputAttribute, ends, pair};

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<InputAttribute>(Family::Mapping, "IdentityMapping", build)
        .summary("A copy of a state, or the centres of its rigid frames")
        .templates(&["Vec3,Vec3", "Rigid3,Rigid3", "Rigid3,Vec3"])
        .samples(&[
            Sample::new("").template("Vec3,Vec3"),
            Sample::new("").template("Rigid3,Rigid3"),
            Sample::new("").template("Rigid3,Vec3"),
        ]);

/// A copy of a state of the same type.
pub struct IdentityMapping<S>(PhantomData<S>);

impl<S: StateType> Mapping for IdentityMapping<S> {
    type Input = S;
    type Output = S;
    type Constants = ();
    type Element = ();
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn apply(_: &(), Apply { x_out, x_in, .. }: Apply<'_, Self>) {
        x_out.copy_from_slice(x_in);
    }

    fn apply_j(_: &(), ApplyJ { v_out, v_in, .. }: ApplyJ<'_, Self>) {
        v_out.copy_from_slice(v_in);
    }

    fn apply_jt(_: &(), ApplyJt { f_in, f_out, .. }: ApplyJt<'_, Self>) {
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

    fn apply(_: &(), Apply { x_out, x_in, .. }: Apply<'_, Self>) {
        for (x_out, x_in) in x_out.iter_mut().zip(x_in) {
            *x_out = x_in.center();
        }
    }

    fn apply_j(_: &(), ApplyJ { v_out, v_in, .. }: ApplyJ<'_, Self>) {
        for (v_out, v_in) in v_out.iter_mut().zip(v_in) {
            *v_out = v_in.linear();
        }
    }

    fn apply_jt(_: &(), ApplyJt { f_in, f_out, .. }: ApplyJt<'_, Self>) {
        for (f_in, f_out) in f_in.iter_mut().zip(f_out) {
            f_in.add_linear(f_out);
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (input, output) = ends(b)?;
    let n = b.size(input);
    if b.scene.initial(input).template() == b.scene.initial(output).template() {
        return for_state_type!(b, input, S => {
            b.add_mapping(input, output, MappingParts::<IdentityMapping<S>>::new((), vec![], vec![], n))
        });
    }
    match (b.scene.initial(input), b.scene.initial(output)) {
        (AnyInitialState::Rigid3(_), AnyInitialState::Vec3(_)) => {
            b.add_mapping(input, output, MappingParts::<CentreMapping>::new((), vec![], vec![], n))
        }
        _ => {
            let templates = pair(b, (input, output));
            Err(BuildError::new(format!("an IdentityMapping of {templates} does not exist")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::RigidCoord;
    use sim_core::testing::{Random, mapping};

    fn plain<M: Mapping<Constants = (), Element = (), Stored = ()>>(n_out: usize) -> MappingParts<M> {
        MappingParts::new((), vec![], vec![], n_out)
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
