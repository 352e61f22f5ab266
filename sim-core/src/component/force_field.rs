//! Force fields on one mechanical state.

use super::MechanicalParams;
use super::matrix::BlockSink;
use crate::math::{Mat3, Real, StateType};

/// A force field: forces from positions and velocities, and their derivative.
///
/// There is no `self` in the kernels: they become tasks of a graph and may only see what they are given. `elements` are
/// constant during a simulation (springs, rest shapes, material); `stored` is what `add_force` leaves for the
/// `add_d_force` calls of the same step (rotations, contact flags), and, where [`Self::CARRIES_OVER`] says so, for the steps
/// to come (plastic strain); both are contiguous arrays in an order of the author's choice. Kernels must be deterministic:
/// same input, same bits.
pub trait ForceField: Send + Sync + 'static {
    /// The degrees of freedom it acts on.
    type State: StateType;
    /// Numbers that hold for the whole component.
    type Constants: Copy + Send + Sync + 'static;
    /// Constant data per element (or per block of elements).
    type Element: Copy + Send + Sync + 'static;
    /// What `add_force` leaves, per element (or per block).
    type Stored: Copy + Send + Sync + 'static;
    /// SOFA's class name.
    const NAME: &'static str;
    /// Whether there is any tangent; where not, no `add_d_force` task is recorded.
    const HAS_STIFFNESS: bool = true;
    /// Whether the component may also join two states, so that it may stand above the solver of its one state: it is then
    /// evaluated once per step, into external forces.
    const JOINS_STATES: bool = false;

    /// Whether `add_force` reads what the last one left in `stored`. It is part of the state then: kept from step to step,
    /// and as it was before where a step fails. Otherwise each `add_force` must overwrite all of it.
    const CARRIES_OVER: bool = false;

    /// Whether it knows how points have turned, see [`Self::rotations`].
    const HAS_ROTATIONS: bool = false;

    /// Whether the force on points at rest changes with time, so that they may not stay there.
    fn changes_by_time(c: &Self::Constants) -> bool {
        let _ = c;
        false
    }

    /// f += F(x, v) [N]; refreshes `stored`.
    fn add_force(c: &Self::Constants, at: AddForce<'_, Self>);

    /// df += k_factor K dx + b_factor B dx with the tangent that the last `add_force` stored.
    ///
    /// To be written unless [`Self::HAS_STIFFNESS`] is false: a program without it does not compile.
    fn add_d_force(c: &Self::Constants, at: AddDForce<'_, Self>) {
        const {
            assert!(
                !Self::HAS_STIFFNESS,
                "a force field needs add_d_force, or `const HAS_STIFFNESS: bool = false`"
            );
        }
        let _ = (c, at);
    }

    /// Adds the 3 by 3 blocks of k_factor K + b_factor B to an assembled matrix; a component that adds none acts explicitly
    /// there, as in SOFA.
    ///
    /// The places of the blocks and their order must follow from `constants` and `elements` alone, since they are looked up
    /// once: what does not act now adds zeros.
    fn add_k_to_matrix(c: &Self::Constants, at: AddKToMatrix<'_, Self>) {
        let _ = (c, at);
    }

    /// Of each point, the rotation of what is around it from its rest to `x`; the identity where nothing is. Overwrites `rotations`.
    ///
    /// To be written where [`Self::HAS_ROTATIONS`] is true.
    fn rotations(
        c: &Self::Constants,
        elements: &[Self::Element],
        x: &[<Self::State as StateType>::Coord],
        rotations: &mut [Mat3],
    ) {
        let _ = (c, elements, x);
        rotations.fill(Mat3::identity());
    }

    /// Potential energy [J], where the component defines one.
    fn potential_energy(
        c: &Self::Constants,
        elements: &[Self::Element],
        x: &[<Self::State as StateType>::Coord],
    ) -> Option<Real> {
        let _ = (c, elements, x);
        None
    }
}

/// What [`ForceField::add_force`] is given.
pub struct AddForce<'a, F: ForceField + ?Sized> {
    /// Time and time step.
    pub params: MechanicalParams,
    /// Constant data per element.
    pub elements: &'a [F::Element],
    /// What the tangent needs, to be written.
    pub stored: &'a mut [F::Stored],
    /// Forces to add to [N].
    pub f: &'a mut [DerivOf<F>],
    /// Positions [m].
    pub x: &'a [CoordOf<F>],
    /// Velocities [m/s].
    pub v: &'a [DerivOf<F>],
}

/// What [`ForceField::add_d_force`] is given.
pub struct AddDForce<'a, F: ForceField + ?Sized> {
    /// Factor of K; the component's own Rayleigh term is in it.
    pub k_factor: Real,
    /// Factor of B.
    pub b_factor: Real,
    /// Constant data per element.
    pub elements: &'a [F::Element],
    /// What the last `add_force` stored.
    pub stored: &'a [F::Stored],
    /// Change of forces to add to [N].
    pub df: &'a mut [DerivOf<F>],
    /// Displacement [m].
    pub dx: &'a [DerivOf<F>],
}

/// What [`ForceField::add_k_to_matrix`] is given.
pub struct AddKToMatrix<'a, F: ForceField + ?Sized> {
    /// Factor of K; the component's own Rayleigh term is in it.
    pub k_factor: Real,
    /// Factor of B.
    pub b_factor: Real,
    /// Constant data per element.
    pub elements: &'a [F::Element],
    /// What the last `add_force` stored.
    pub stored: &'a [F::Stored],
    /// Takes the blocks.
    pub matrix: &'a mut dyn BlockSink,
}

/// Positions of a force field's state.
pub type CoordOf<F> = <<F as ForceField>::State as StateType>::Coord;
/// Velocities, forces and displacements of a force field's state.
pub type DerivOf<F> = <<F as ForceField>::State as StateType>::Deriv;

/// A force field as its constructor leaves it: what the scene takes over.
pub struct ForceFieldParts<F: ForceField> {
    /// Numbers for the whole component.
    pub constants: F::Constants,
    /// Constant data per element.
    pub elements: Vec<F::Element>,
    /// Initial content of what `add_force` stores.
    pub stored: Vec<F::Stored>,
    /// The component's own Rayleigh stiffness (attribute `rayleighStiffness`).
    pub rayleigh_stiffness: Real,
}

impl<F: ForceField> ForceFieldParts<F> {
    /// A force field without Rayleigh stiffness of its own.
    pub fn new(constants: F::Constants, elements: Vec<F::Element>, stored: Vec<F::Stored>) -> Self {
        Self { constants, elements, stored, rayleigh_stiffness: 0.0 }
    }
    /// A force field on each of `n` points (or frames), which stores something for each and has no elements besides.
    pub fn of_points(constants: F::Constants, n: usize) -> Self
    where
        F::Stored: Default,
    {
        Self::new(constants, Vec::new(), vec![F::Stored::default(); n])
    }
    /// The same with its own Rayleigh stiffness [s].
    pub fn rayleigh_stiffness(mut self, rayleigh_stiffness: Real) -> Self {
        self.rayleigh_stiffness = rayleigh_stiffness;
        self
    }
}
