//! Force fields that join two mechanical states.

use super::MechanicalParams;
use super::matrix::BlockSinkBetween;
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
    /// Whether the second state feels it. One that is only looked at may be under a solver that knows nothing of it.
    const ACTS_ON_SECOND: bool = true;

    /// f1 += F1, f2 += F2 [N].
    fn add_force(c: &Self::Constants, at: AddForceBetween<'_, Self>);

    /// df += k_factor K dx, the tangent taken at (x, v).
    fn add_d_force(c: &Self::Constants, at: AddDForceBetween<'_, Self>);

    /// Adds the 3 by 3 blocks of k_factor K to a matrix over both states, the tangent taken at (x, v); a component that adds none
    /// has none.
    ///
    /// The places of the blocks and their order must follow from `constants` and `elements` alone, since they are looked up
    /// once: what does not act now adds zeros.
    fn add_k_to_matrix(c: &Self::Constants, at: AddKToMatrixBetween<'_, Self>) {
        let _ = (c, at);
    }

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

/// What [`InteractionForceField::add_force`] is given.
pub struct AddForceBetween<'a, F: InteractionForceField + ?Sized> {
    /// Time and time step.
    pub params: MechanicalParams,
    /// Constant data per element.
    pub elements: &'a [F::Element],
    /// Takes forces on the first state [N].
    pub f1: Adder<'a, Deriv1<F>>,
    /// Takes forces on the second state [N].
    pub f2: Adder<'a, Deriv2<F>>,
    /// Positions of the first state [m].
    pub x1: &'a [Coord1<F>],
    /// Positions of the second state [m].
    pub x2: &'a [Coord2<F>],
    /// Velocities of the first state [m/s].
    pub v1: &'a [Deriv1<F>],
    /// Velocities of the second state [m/s].
    pub v2: &'a [Deriv2<F>],
}

/// What [`InteractionForceField::add_d_force`] is given.
pub struct AddDForceBetween<'a, F: InteractionForceField + ?Sized> {
    /// Factor of K; the component's own Rayleigh term is in it.
    pub k_factor: Real,
    /// Constant data per element.
    pub elements: &'a [F::Element],
    /// Takes changes of forces on the first state [N].
    pub df1: Adder<'a, Deriv1<F>>,
    /// Takes changes of forces on the second state [N].
    pub df2: Adder<'a, Deriv2<F>>,
    /// Positions of the first state [m].
    pub x1: &'a [Coord1<F>],
    /// Positions of the second state [m].
    pub x2: &'a [Coord2<F>],
    /// Velocities of the first state [m/s].
    pub v1: &'a [Deriv1<F>],
    /// Velocities of the second state [m/s].
    pub v2: &'a [Deriv2<F>],
    /// Displacement of the first state [m].
    pub dx1: &'a [Deriv1<F>],
    /// Displacement of the second state [m].
    pub dx2: &'a [Deriv2<F>],
}

/// What [`InteractionForceField::add_k_to_matrix`] is given.
pub struct AddKToMatrixBetween<'a, F: InteractionForceField + ?Sized> {
    /// Factor of K; the component's own Rayleigh term is in it.
    pub k_factor: Real,
    /// Constant data per element.
    pub elements: &'a [F::Element],
    /// Positions of the first state [m].
    pub x1: &'a [Coord1<F>],
    /// Positions of the second state [m].
    pub x2: &'a [Coord2<F>],
    /// Velocities of the first state [m/s].
    pub v1: &'a [Deriv1<F>],
    /// Velocities of the second state [m/s].
    pub v2: &'a [Deriv2<F>],
    /// Takes the blocks.
    pub matrix: &'a mut dyn BlockSinkBetween,
}

/// Positions of the first state.
pub type Coord1<F> = <<F as InteractionForceField>::State1 as StateType>::Coord;
/// Velocities, forces and displacements of the first state.
pub type Deriv1<F> = <<F as InteractionForceField>::State1 as StateType>::Deriv;
/// Positions of the second state.
pub type Coord2<F> = <<F as InteractionForceField>::State2 as StateType>::Coord;
/// Velocities, forces and displacements of the second state.
pub type Deriv2<F> = <<F as InteractionForceField>::State2 as StateType>::Deriv;

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
