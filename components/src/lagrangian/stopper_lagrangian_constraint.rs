//! `StopperLagrangianConstraint`: a value between two bounds.

use sim_core::component::lagrangian_constraint::{
    BuildRows, LagrangianConstraint, LagrangianConstraintParts, Resolution, RowSink,
};
use sim_core::component::matrix::End;
use sim_core::component::mechanical_state::StateAccess;
use sim_core::math::Vec1;
use sim_core::prelude::*;

/// Keeps one value of a Vec1 state between two bounds.
#[derive(Attributes)]
#[attributes(ignored("endTime", "group"))]
struct Settings {
    /// which value
    #[attribute(default = "0")]
    index: Index,
    /// lower bound
    #[attribute(default = "-100")]
    min: Real,
    /// upper bound
    #[attribute(default = "100")]
    max: Real,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::LagrangianConstraint, "StopperLagrangianConstraint", build)
        .templates(&["Vec1"])
        .samples(&[Sample::new("min='-0.01' max='0.01'")]);

/// A value that stays between two bounds.
///
/// One row, δ = x, J = 1: with q = δ + W λ without its own λ, and the place c nearest to q between `min` and `max`, λ = (c − q)/w.
///
/// **Source:** as SOFA's: positions are bounded, where velocities are solved for too. A value that begins beyond a bound is put
/// there when the scene is built; one that is mapped is where its mapping puts it.
pub struct StopperLagrangianConstraint;

impl LagrangianConstraint for StopperLagrangianConstraint {
    type State1 = Vec1Type;
    type State2 = Vec1Type;
    /// The bounds.
    type Constants = [Real; 2];
    /// Which value.
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;

    fn build_rows([min, max]: &[Real; 2], at: BuildRows<'_, Self>, rows: &mut impl RowSink) {
        for &i in at.elements {
            rows.block(1, Resolution::Stopper { min: *min, max: *max }, None);
            rows.row(at.first.free_x[i as usize][0]);
            rows.add(End::First, i, &Vec1::new(1.0));
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    b.check_template::<Vec1Type>(state)?;
    let index = s.index.below(b.size(state))?;
    if s.min > s.max {
        return Err(BuildError::attribute("min", "`min` is greater than `max`"));
    }
    let is_mapped = b.scene.parts.mappings.iter().any(|m| m.second == state);
    if let Some(initial) = Vec1Type::of_mut(b.scene.initial_mut(state)).filter(|_| !is_mapped) {
        let x = &mut initial.position[index as usize].x;
        *x = x.clamp(s.min, s.max);
    }
    let parts = LagrangianConstraintParts::<StopperLagrangianConstraint> {
        constants: [s.min, s.max],
        elements: vec![index],
    };
    b.scene.add_lagrangian_constraint(b.component, state, state, parts);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    #[test]
    fn a_value_begins_between_the_bounds() {
        let mut t = TestScene::new();
        let root = t.root();
        let given = [("template", "Vec1"), ("position", "3 -7 5")];
        let c = t.add(&mechanical_object::DESCRIPTION, root, &given).unwrap();
        let state = t.scene.state_of_component(c).unwrap();
        let bounds = [("min", "-1"), ("max", "4")];
        for index in ["0", "1", "2"] {
            t.add(&DESCRIPTION, root, &[("index", index), bounds[0], bounds[1]]).unwrap();
        }
        let x: Vec<f64> =
            t.scene.initial_as::<Vec1Type>(state).unwrap().position.iter().map(|x| x.x).collect();
        assert_eq!(x, [3.0, -1.0, 4.0]);
        let error = t.add(&DESCRIPTION, root, &[("min", "1"), ("max", "0")]).unwrap_err();
        assert_eq!(error.attribute.as_deref(), Some("min"));
    }
}
