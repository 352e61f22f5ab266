//! `VoidMapping`: a state that nothing moves.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::ends::pair;

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<InputAttribute>(Family::Mapping, "VoidMapping", build)
        .summary("Keeps the state of its node where it is; no force on it comes up")
        .templates(&["Vec3,Vec3", "Vec3,Rigid3", "Rigid3,Vec3", "Rigid3,Rigid3"]);

/// A state that nothing moves.
///
/// **Source:** as SOFA's: its node counts as mapped, so that no integrator moves its state, and the mapping itself does nothing: positions stay,
/// forces and masses stay where they act. SOFA leaves a velocity that the scene gives as it is; here it is 0, as the positions have it.
pub struct VoidMapping<I, O>(PhantomData<(I, O)>);

impl<I: StateType, O: StateType> Mapping for VoidMapping<I, O> {
    type Input = I;
    type Output = O;
    type Constants = ();
    /// Where each point stays.
    type Element = O::Coord;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn apply(_: &(), Apply { elements, x_out, .. }: Apply<'_, Self>) {
        x_out.copy_from_slice(elements);
    }

    fn apply_j(_: &(), ApplyJ { v_out, .. }: ApplyJ<'_, Self>) {
        v_out.fill(O::Deriv::default());
    }

    fn apply_jt(_: &(), _: ApplyJt<'_, Self>) {}

    fn add_jacobian(_: &(), _: AddJacobian<'_, Self>) {}

    fn carriers(_: &[O::Coord], _: usize, _: impl FnMut(u32, u32)) {}
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (input, output) = b.mapping_ends()?;
    let wrong = BuildError::new(format!(
        "a VoidMapping of {} does not exist; use Vec3,Vec3",
        pair(b, (input, output))
    ));
    for_state_type!(b, input, I in [Vec3Type, Rigid3Type] => {
        for_state_type!(b, output, O in [Vec3Type, Rigid3Type] => {
            let Some(initial) = b.scene.initial_as::<O>(output) else { return Err(wrong) };
            let places = initial.position.clone();
            let n = places.len();
            b.add_mapping(input, output, MappingParts::<VoidMapping<I, O>>::new((), places, vec![], n))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::testing::{Random, mapping};

    #[test]
    fn conforms() {
        let mut random = Random::new(4);
        let places: Vec<Vec3> = random.derivs(3);
        let parts = MappingParts::<VoidMapping<Vec3Type, Vec3Type>>::new((), places, vec![], 3);
        mapping(&parts, &random.moved(&[Vec3::zeros(); 2], 1.0), 4);
    }

    #[test]
    fn points_stay_whatever_the_input_is() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(
            &mechanical_object::DESCRIPTION,
            root,
            &[("template", "Rigid3"), ("position", "9 9 9 0 0 0 1")],
        )
        .unwrap();
        let child = t.child(root, "still");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[("position", "1 2 3 4 5 6")]).unwrap();
        t.add(&DESCRIPTION, child, &[]).unwrap();
        let state = t.scene.state_of_component(c).unwrap();
        let x = t.scene.initial_as::<Vec3Type>(state).unwrap().position.clone();
        assert_eq!(x, [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
        assert_eq!(t.scene.parts.mappings.len(), 1);
    }
}
