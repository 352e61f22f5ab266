//! `UniformLagrangianConstraint`: all values of a state are held.

use sim_core::component::lagrangian_constraint::{
    BuildRows, ConstraintOrder, LagrangianConstraint, LagrangianConstraintParts, Resolution, RowSink,
};
use sim_core::component::matrix::End;
use sim_core::math::Vec1;
use sim_core::prelude::*;

/// Holds all values of a Vec1 state at zero, or at rest.
#[derive(Attributes)]
#[attributes(ignored("endTime", "group"))]
struct Settings {
    /// whether each value is solved by itself, and not all as one block
    #[attribute(default = "1")]
    iterative: bool,
    /// whether values are held at rest, and not at zero
    constrain_to_rest_pos: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::LagrangianConstraint, "UniformLagrangianConstraint", build)
        .templates(&["Vec1"])
        .samples(&[Sample::new("iterative='0'"), Sample::new("constrainToRestPos='1'")]);

/// All values of a state are zero, or what they are at rest.
///
/// δ = x − a for each value, a at rest or 0, and J = I; δ = v + (x − a)/h where velocities are solved for, in a step h. The multipliers
/// make W λ + δ = 0.
///
/// **Source:** as SOFA's.
pub struct UniformLagrangianConstraint;

/// The attributes.
#[derive(Clone, Copy, Debug)]
pub struct Uniform {
    iterative: bool,
    to_rest: bool,
}

impl LagrangianConstraint for UniformLagrangianConstraint {
    type State1 = Vec1Type;
    type State2 = Vec1Type;
    type Constants = Uniform;
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;

    fn build_rows(c: &Uniform, at: BuildRows<'_, Self>, rows: &mut impl RowSink) {
        let n = at.first.free_x.len();
        for i in 0..n {
            if c.iterative || i == 0 {
                let of_block = if c.iterative { 1 } else { n as u32 };
                rows.block(of_block, Resolution::Bilateral { load: 1.0 }, None);
            }
            let aim = if c.to_rest { at.first.rest[i][0] } else { 0.0 };
            rows.row(match at.order {
                ConstraintOrder::Position => at.first.free_x[i][0] - aim,
                ConstraintOrder::Velocity => at.first.free_v[i][0] + (at.first.x[i][0] - aim) / at.dt,
            });
            rows.add(End::First, i as u32, &Vec1::new(1.0));
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    b.check_template::<Vec1Type>(state)?;
    let constants = Uniform { iterative: s.iterative, to_rest: s.constrain_to_rest_pos };
    let parts = LagrangianConstraintParts::<UniformLagrangianConstraint> { constants, elements: Vec::new() };
    b.scene.add_lagrangian_constraint(b.component, state, state, parts);
    Ok(())
}
