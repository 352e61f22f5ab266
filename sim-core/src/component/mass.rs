//! Masses.

use super::matrix::BlockSink;
use crate::math::{Real, StateType, Vec3};

/// A mass: weight, the product with the mass matrix and, where the matrix is diagonal, its inverse.
pub trait Mass: Send + Sync + 'static {
    /// The degrees of freedom it acts on.
    type State: StateType;
    /// Numbers that hold for the whole component.
    type Constants: Copy + Send + Sync + 'static;
    /// Constant data per element (vertex masses, edge masses).
    type Element: Copy + Send + Sync + 'static;
    /// SOFA's class name.
    const NAME: &'static str;

    /// Whether the matrix is diagonal, so that `acc_from_f` exists.
    fn is_diagonal(c: &Self::Constants) -> bool;

    /// f += M g, lumped.
    fn add_gravity(
        c: &Self::Constants,
        elements: &[Self::Element],
        gravity: &Vec3,
        f: &mut [<Self::State as StateType>::Deriv],
    );

    /// Velocity-dependent inertia forces (gyroscopic torque), where the component has any: f += F(x, v).
    fn add_inertia_force(
        c: &Self::Constants,
        elements: &[Self::Element],
        f: &mut [<Self::State as StateType>::Deriv],
        x: &[<Self::State as StateType>::Coord],
        v: &[<Self::State as StateType>::Deriv],
    ) {
        let _ = (c, elements, f, x, v);
    }

    /// result += factor M dx. `x` is the present position (for inertia that turns with a body).
    fn add_m_dx(
        c: &Self::Constants,
        elements: &[Self::Element],
        factor: Real,
        result: &mut [<Self::State as StateType>::Deriv],
        dx: &[<Self::State as StateType>::Deriv],
        x: &[<Self::State as StateType>::Coord],
    );

    /// a = M^-1 f for a diagonal mass.
    fn acc_from_f(
        c: &Self::Constants,
        elements: &[Self::Element],
        a: &mut [<Self::State as StateType>::Deriv],
        f: &[<Self::State as StateType>::Deriv],
        x: &[<Self::State as StateType>::Coord],
    );

    /// Adds the 3 by 3 blocks of factor M to an assembled matrix; `x` is the present position.
    fn add_m_to_matrix(
        c: &Self::Constants,
        elements: &[Self::Element],
        factor: Real,
        x: &[<Self::State as StateType>::Coord],
        matrix: &mut dyn BlockSink,
    );

    /// Total mass [kg].
    fn total_mass(c: &Self::Constants, elements: &[Self::Element], n_dofs: usize) -> Real;
}

/// A mass as its constructor leaves it.
pub struct MassParts<M: Mass> {
    /// Numbers for the whole component.
    pub constants: M::Constants,
    /// Constant data per element.
    pub elements: Vec<M::Element>,
    /// Whether gravity is added to the velocity by the solver instead (attribute `separateGravity`).
    pub separate_gravity: bool,
    /// The component's own Rayleigh mass (attribute `rayleighMass`).
    pub rayleigh_mass: Real,
    /// Whether `add_inertia_force` does anything.
    pub has_inertia_force: bool,
}

impl<M: Mass> MassParts<M> {
    /// A mass without inertia force; what attributes decide is not set yet.
    pub fn new(constants: M::Constants, elements: Vec<M::Element>) -> Self {
        Self { constants, elements, separate_gravity: false, rayleigh_mass: 0.0, has_inertia_force: false }
    }
}
