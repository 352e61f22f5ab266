//! Force fields that join two mechanical states.

use super::MechanicalParams;
use crate::math::{Real, StateType};
use engine::data::Adder;

/// A force field between two states.
///
/// It keeps nothing between `add_force` and `add_d_force`, so that each side's worker may compute it for itself
/// (mirroring); both only *add* to forces.
pub trait InteractionForceField: Send + Sync + 'static {
    /// The first state's type.
    type State1: StateType;
    /// The second state's type.
    type State2: StateType;
    /// Numbers that hold for the whole component.
    type Constants: Copy + Send + Sync + 'static;
    /// Constant data per element.
    type Element: Copy + Send + Sync + 'static;
    /// SOFA's class name.
    const NAME: &'static str;

    /// f1 += F1, f2 += F2 [N].
    #[allow(clippy::too_many_arguments)]
    fn add_force(
        c: &Self::Constants,
        p: &MechanicalParams,
        elements: &[Self::Element],
        f1: &mut Adder<'_, <Self::State1 as StateType>::Deriv>,
        f2: &mut Adder<'_, <Self::State2 as StateType>::Deriv>,
        x1: &[<Self::State1 as StateType>::Coord],
        x2: &[<Self::State2 as StateType>::Coord],
        v1: &[<Self::State1 as StateType>::Deriv],
        v2: &[<Self::State2 as StateType>::Deriv],
    );

    /// df += k_factor K dx, the tangent taken at (x, v).
    #[allow(clippy::too_many_arguments)]
    fn add_d_force(
        c: &Self::Constants,
        k_factor: Real,
        elements: &[Self::Element],
        df1: &mut Adder<'_, <Self::State1 as StateType>::Deriv>,
        df2: &mut Adder<'_, <Self::State2 as StateType>::Deriv>,
        x1: &[<Self::State1 as StateType>::Coord],
        x2: &[<Self::State2 as StateType>::Coord],
        v1: &[<Self::State1 as StateType>::Deriv],
        v2: &[<Self::State2 as StateType>::Deriv],
        dx1: &[<Self::State1 as StateType>::Deriv],
        dx2: &[<Self::State2 as StateType>::Deriv],
    );

    /// Potential energy [J], where the component defines one.
    fn potential_energy(
        c: &Self::Constants,
        elements: &[Self::Element],
        x1: &[<Self::State1 as StateType>::Coord],
        x2: &[<Self::State2 as StateType>::Coord],
    ) -> Option<Real> {
        let _ = (c, elements, x1, x2);
        None
    }
}

/// An interaction force field as its constructor leaves it.
pub struct InteractionForceFieldParts<F: InteractionForceField> {
    /// Numbers for the whole component.
    pub constants: F::Constants,
    /// Constant data per element.
    pub elements: Vec<F::Element>,
    /// The component's own Rayleigh stiffness.
    pub rayleigh_stiffness: Real,
}

impl<F: InteractionForceField> InteractionForceFieldParts<F> {
    /// A force field without Rayleigh stiffness of its own.
    pub fn new(constants: F::Constants, elements: Vec<F::Element>) -> Self {
        Self { constants, elements, rayleigh_stiffness: 0.0 }
    }
}
