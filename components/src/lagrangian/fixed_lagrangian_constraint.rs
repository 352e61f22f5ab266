//! `FixedLagrangianConstraint`: points that multipliers hold at rest.

use std::marker::PhantomData;

use sim_core::component::lagrangian_constraint::{
    BuildRows, LagrangianConstraint, LagrangianConstraintParts, Resolution, RowSink,
};
use sim_core::component::matrix::End;
use sim_core::prelude::*;

use super::rotation::euler_angles;

/// Points that Lagrange multipliers hold at their rest positions.
#[derive(Attributes)]
#[attributes(ignored("endTime", "group"))]
struct Settings {
    /// points that are held
    indices: Deferred<Indices>,
    /// whether all points are held
    fix_all: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::LagrangianConstraint, "FixedLagrangianConstraint", build)
        .templates(&["Vec3", "Vec1", "Vec2", "Vec6", "Rigid3"])
        .samples(&[Sample::new("indices='0 1'")]);

/// Points of a state that stay at their rest positions; of frames the orientation too.
///
/// δ = x − x₀ for each scalar of a point, with x₀ at rest, and J = I; of a frame's orientation, δ are the three angles of q q₀⁻¹. The
/// multipliers make W λ + δ = 0.
///
/// **Source:** as SOFA's, where velocities are solved for too: the violation is that of positions there. That of an orientation is in
/// roll, pitch and yaw about the axes of the world, so that motions depend in the second order on how the whole is turned. Rows of a Vec3 and of a
/// frame begin with the multipliers of the step before.
pub struct FixedLagrangianConstraint<S>(PhantomData<S>);

impl<S: StateType> LagrangianConstraint for FixedLagrangianConstraint<S> {
    type State1 = S;
    type State2 = S;
    type Constants = ();
    /// The points.
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;
    const KEEPS_FORCES: bool = (S::Deriv::SIZE == 3 && !S::IS_FRAME) || (S::Deriv::SIZE == 6 && S::IS_FRAME);

    fn build_rows(_: &(), at: BuildRows<'_, Self>, rows: &mut impl RowSink) {
        for &i in at.elements {
            let (free, rest) = (at.first.free_x[i as usize], at.first.rest[i as usize]);
            let moved = free.position() - rest.position();
            let mut violation = [0.0; 6];
            let n = <S::Deriv as Deriv>::Translation::SIZE;
            (0..n).for_each(|k| violation[k] = moved.scalar(k));
            if let (Some(q), Some(q_rest)) = (free.orientation(), rest.orientation()) {
                let turned = euler_angles(&(q * q_rest.conjugate()));
                violation[n..n + 3].copy_from_slice(turned.as_slice());
            }
            let of_block =
                if S::Deriv::SIZE.is_multiple_of(3) && Self::KEEPS_FORCES { 3 } else { S::Deriv::SIZE };
            for (k, violation) in violation.iter().enumerate().take(S::Deriv::SIZE) {
                if k % of_block == 0 {
                    rows.block(of_block as u32, Resolution::Bilateral { load: 1.0 }, None);
                }
                rows.row(*violation);
                let mut direction = S::Deriv::default();
                *direction.scalar_mut(k) = 1.0;
                rows.add(End::First, i, &direction);
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let n = b.size(state);
    let elements: Vec<u32> =
        if s.fix_all { (0..n as u32).collect() } else { s.indices.get(b)?.below(n)?.to_vec() };
    if elements.is_empty() {
        b.warn(Some("indices"), "no point is held: give `indices`, or `fixAll`");
    }
    for_state_type!(b, state, S in [Vec3Type, Vec1Type, Vec2Type, Vec6Type, Rigid3Type] => {
        let parts = LagrangianConstraintParts::<FixedLagrangianConstraint<S>> { constants: (), elements };
        b.scene.add_lagrangian_constraint(b.component, state, state, parts);
        Ok(())
    })
}
