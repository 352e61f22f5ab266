//! `FixedTranslationProjectiveConstraint`: degrees of freedom whose velocity does not change.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// Degrees of freedom whose velocity does not change.
#[derive(Attributes)]
#[attributes(ignored("topology", "coordinates", "_coordinates", "drawSize"))]
struct Settings {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// whether all points are concerned
    fix_all: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "FixedTranslationProjectiveConstraint", build)
        .templates(&["Vec3", "Vec2", "Vec1", "Vec6", "Rigid3", "Rigid2"])
        .samples(&[Sample::new("indices='0 1'")]);

/// Degrees of freedom that no force moves, frames with their rotations.
///
/// d = 0 for the displacements and forces d of each degree of freedom.
///
/// **Source:** as SOFA's, which clears rotations too, whatever the name says, and does not look at `coordinates`. Multipliers do not
/// move them either. Velocities are left as they are, and so is an assembled matrix.
pub struct FixedTranslationProjectiveConstraint<S>(PhantomData<S>);

impl<S: StateType> ProjectiveConstraint for FixedTranslationProjectiveConstraint<S> {
    type State = S;
    type Constants = ();
    /// The points.
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;

    fn project_response(_: &(), ProjectResponse { elements, d, .. }: ProjectResponse<'_, Self>) {
        elements.iter().for_each(|i| d[*i as usize] = S::Deriv::zero());
    }

    fn fixed_dofs(_: &(), _: &[u32], _: usize) -> Vec<u32> {
        Vec::new()
    }

    fn projected_columns(_: &(), points: &[u32], _: usize) -> Vec<u32> {
        all_scalars::<Self>(points.iter().copied())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let n = b.size(state);
    let indices = if s.fix_all { (0..n as u32).collect() } else { s.indices.within(n, b)? };
    for_state_type!(b, state, S => b.add_projective_constraint(
        state,
        ProjectiveConstraintParts::<FixedTranslationProjectiveConstraint<S>>::new((), indices),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::RigidDeriv;

    #[test]
    fn frames_are_held_with_their_rotations() {
        let mut d = [RigidDeriv { linear: Vec3::x(), angular: Vec3::y() }; 2];
        let params = crate::test_support::AT_START;
        type C = FixedTranslationProjectiveConstraint<Rigid3Type>;
        C::project_response(&(), ProjectResponse { params, elements: &[1], d: &mut d });
        assert_eq!((d[0].linear, d[1]), (Vec3::x(), RigidDeriv::default()));
        assert!(C::fixed_dofs(&(), &[1], 2).is_empty());
        assert_eq!(C::projected_columns(&(), &[1], 2), [6, 7, 8, 9, 10, 11]);
    }

    #[test]
    fn an_index_beyond_the_points_is_left_out_with_a_warning() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        t.add(&DESCRIPTION, root, &[("fixAll", "1")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        t.add(&DESCRIPTION, root, &[("indices", "1 7")]).unwrap();
        assert!(t.warnings[0].starts_with("indices: 1 indices"), "{:?}", t.warnings);
    }
}
