//! Masses.

use super::matrix::BlockSink;
use crate::math::{Real, StateType, Vec3};

/// Mass and inverse inertia of a rigid body, which a mass keeps for other components of its node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidBodyMass {
    /// Mass [kg].
    pub mass: Real,
    /// Inverse of the inertia about the centre [1/(kg m^2)]: in world axes, or in the body's where it turns with it.
    pub inverse: crate::math::Mat3,
    /// Whether the inertia turns with the body.
    pub turns: bool,
}

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
    fn add_gravity(c: &Self::Constants, at: AddGravity<'_, Self>);

    /// Velocity-dependent inertia forces (gyroscopic torque), where the component has any: f += F(x, v).
    fn add_inertia_force(c: &Self::Constants, at: AddInertiaForce<'_, Self>) {
        let _ = (c, at);
    }

    /// result += factor M dx.
    fn add_m_dx(c: &Self::Constants, at: AddMDx<'_, Self>);

    /// a = M^-1 f for a diagonal mass, where its elements reach; elsewhere it is 0 before.
    fn acc_from_f(c: &Self::Constants, at: AccFromF<'_, Self>);

    /// Adds the 3 by 3 blocks of factor M to an assembled matrix.
    fn add_m_to_matrix(c: &Self::Constants, at: AddMToMatrix<'_, Self>);

    /// Total mass [kg].
    fn total_mass(c: &Self::Constants, elements: &[Self::Element], n_dofs: usize) -> Real;
}

/// What [`Mass::add_gravity`] is given.
pub struct AddGravity<'a, M: Mass + ?Sized> {
    /// Constant data per element.
    pub elements: &'a [M::Element],
    /// Gravity [m/s^2].
    pub gravity: Vec3,
    /// Forces to add to [N].
    pub f: &'a mut [DerivOf<M>],
}

/// What [`Mass::add_inertia_force`] is given.
pub struct AddInertiaForce<'a, M: Mass + ?Sized> {
    /// Constant data per element.
    pub elements: &'a [M::Element],
    /// Forces to add to [N].
    pub f: &'a mut [DerivOf<M>],
    /// Positions [m].
    pub x: &'a [CoordOf<M>],
    /// Velocities [m/s].
    pub v: &'a [DerivOf<M>],
}

/// What [`Mass::add_m_dx`] is given.
pub struct AddMDx<'a, M: Mass + ?Sized> {
    /// Factor of M; the component's own Rayleigh term is in it.
    pub factor: Real,
    /// Constant data per element.
    pub elements: &'a [M::Element],
    /// Product to add to.
    pub result: &'a mut [DerivOf<M>],
    /// What M is multiplied by: displacements, velocities or accelerations.
    pub dx: &'a [DerivOf<M>],
    /// Present positions [m], for inertia that turns with a body.
    pub x: &'a [CoordOf<M>],
}

/// What [`Mass::acc_from_f`] is given.
pub struct AccFromF<'a, M: Mass + ?Sized> {
    /// Constant data per element.
    pub elements: &'a [M::Element],
    /// Accelerations, to be written where there is mass [m/s^2].
    pub a: &'a mut [DerivOf<M>],
    /// Forces [N].
    pub f: &'a [DerivOf<M>],
    /// Positions [m], for inertia that turns with a body.
    pub x: &'a [CoordOf<M>],
}

/// What [`Mass::add_m_to_matrix`] is given.
pub struct AddMToMatrix<'a, M: Mass + ?Sized> {
    /// Factor of M; the component's own Rayleigh term is in it.
    pub factor: Real,
    /// Constant data per element.
    pub elements: &'a [M::Element],
    /// Present positions [m], for inertia that turns with a body.
    pub x: &'a [CoordOf<M>],
    /// Takes the blocks.
    pub matrix: &'a mut dyn BlockSink,
}

/// Positions of a mass's state.
pub type CoordOf<M> = <<M as Mass>::State as StateType>::Coord;
/// Velocities, forces and displacements of a mass's state.
pub type DerivOf<M> = <<M as Mass>::State as StateType>::Deriv;

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
