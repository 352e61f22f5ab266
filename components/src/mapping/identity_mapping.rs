//! `IdentityMapping`: a copy of a state, or the centres of rigid frames.
//!
//! y = x, and of frames y = c, their centres: v_y = v, f += f_y, without torque.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::ends::pair;

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<InputAttribute>(Family::Mapping, "IdentityMapping", build)
        .summary("A copy of a state, or the centres of its rigid frames")
        .templates(&[
            "Vec3,Vec3",
            "Rigid3,Rigid3",
            "Rigid3,Vec3",
            "Vec1,Vec1",
            "Vec2,Vec2",
            "Vec6,Vec6",
            "Rigid2,Rigid2",
            "Vec6,Vec3",
            "Rigid2,Vec2",
        ])
        .samples(&[
            Sample::new("").template("Vec3,Vec3"),
            Sample::new("").template("Rigid3,Rigid3"),
            Sample::new("").template("Rigid3,Vec3"),
            Sample::new("").template("Vec1,Vec1"),
            Sample::new("").template("Vec2,Vec2"),
            Sample::new("").template("Vec6,Vec6"),
            Sample::new("").template("Rigid2,Rigid2"),
            Sample::new("").template("Vec6,Vec3"),
            Sample::new("").template("Rigid2,Vec2"),
        ])
        .follows(Following::of_mapping(Mapped::AreTheInputs));

/// A copy of a state of the same type.
pub struct IdentityMapping<S>(PhantomData<S>);

impl<S: StateType> Mapping for IdentityMapping<S> {
    type Input = S;
    type Output = S;
    type Constants = ();
    type Element = ();
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;
    const BY_POINTS: bool = true;

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

    fn apply_j_at(_: &(), ApplyJ { v_out, v_in, .. }: ApplyJ<'_, Self>, points: &[u32]) {
        for i in points.iter().map(|i| *i as usize) {
            v_out[i] = v_in[i];
        }
    }

    fn apply_jt_at(_: &(), ApplyJt { f_in, f_out, .. }: ApplyJt<'_, Self>, points: &[u32]) {
        for i in points.iter().map(|i| *i as usize) {
            f_in[i] += f_out[i];
        }
    }
}

/// The centres of rigid frames, or the first three components of points of six.
pub struct CentreMapping<I, O>(PhantomData<(I, O)>);

impl<I: StateType, O: StateType> Mapping for CentreMapping<I, O> {
    type Input = I;
    type Output = O;
    type Constants = ();
    type Element = ();
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn apply(_: &(), Apply { x_out, x_in, .. }: Apply<'_, Self>) {
        for (x_out, x_in) in x_out.iter_mut().zip(x_in) {
            *x_out = O::Coord::at(x_in.center());
        }
    }

    fn apply_j(_: &(), ApplyJ { v_out, v_in, .. }: ApplyJ<'_, Self>) {
        for (v_out, v_in) in v_out.iter_mut().zip(v_in) {
            v_out.set_block(0, v_in.linear());
        }
    }

    fn apply_jt(_: &(), ApplyJt { f_in, f_out, .. }: ApplyJt<'_, Self>) {
        for (f_in, f_out) in f_in.iter_mut().zip(f_out) {
            f_in.add_linear(&f_out.linear());
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let ends = b.mapping_ends()?;
    let [input, output] = [ends.0, ends.1].map(|s| b.scene.initial(s).template());
    match (input, output) {
        _ if input == output => {
            let n = b.size(ends.0);
            for_state_type!(b, ends.0, S => {
                b.add_mapping(ends.0, ends.1, MappingParts::<IdentityMapping<S>>::new((), vec![], vec![], n))
            })
        }
        ("Rigid3", "Vec3") => add_centres::<Rigid3Type, Vec3Type>(b, ends),
        ("Vec6", "Vec3") => add_centres::<Vec6Type, Vec3Type>(b, ends),
        ("Rigid2", "Vec2") => add_centres::<Rigid2Type, Vec2Type>(b, ends),
        _ => {
            let templates = pair(b, ends);
            Err(BuildError::new(format!("an IdentityMapping of {templates} does not exist")))
        }
    }
}

fn add_centres<I: VectorsAccess, O: VectorsAccess>(
    b: &mut Builder<'_>,
    (input, output): (StateId, StateId),
) -> Result<(), BuildError> {
    let n = b.size(input);
    b.add_mapping(input, output, MappingParts::<CentreMapping<I, O>>::new((), vec![], vec![], n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{Rigid2Coord, RigidCoord, Vec1, Vec6};
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
        mapping(&plain::<CentreMapping<Rigid3Type, Vec3Type>>(3), &frames, 3);
        let six = random.moved(&[Vec6::zeros(); 3], 1.0);
        mapping(&plain::<IdentityMapping<Vec6Type>>(3), &six, 4);
        mapping(&plain::<CentreMapping<Vec6Type, Vec3Type>>(3), &six, 5);
        let flat = random.moved(&[Rigid2Coord::default(); 3], 1.0);
        mapping(&plain::<IdentityMapping<Rigid2Type>>(3), &flat, 6);
        mapping(&plain::<CentreMapping<Rigid2Type, Vec2Type>>(3), &flat, 7);
        mapping(&plain::<IdentityMapping<Vec1Type>>(2), &random.moved(&[Vec1::zeros(); 2], 1.0), 8);
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
