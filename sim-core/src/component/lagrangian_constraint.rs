//! Constraints with Lagrange multipliers: rows of a Jacobian on one state or two, and by how much each is violated.

use super::matrix::End;
use crate::math::{Deriv, Real, StateType, Vec3};

/// What the multipliers of a step correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintOrder {
    /// Positions and velocities, by violations of positions (SOFA's default).
    Position,
    /// Velocities, by violations of velocities (SOFA's `solveVelocityConstraintFirst`).
    Velocity,
}

/// What a block of rows demands of its multipliers.
///
/// **Source:** as SOFA's constraint resolutions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// No violation remains.
    Bilateral {
        /// Share of the violation that each sweep takes back.
        load: Real,
    },
    /// One row: it pushes or does nothing.
    Unilateral,
    /// Three rows, along the normal and two tangents: it pushes, and the tangential force stays in Coulomb's cone.
    Friction {
        /// Coefficient of friction.
        mu: Real,
        /// Error at which the block is solved, if not 0; else the solver's.
        tolerance: Real,
    },
    /// Three rows, likewise, by the violation times a factor.
    AugmentedFriction {
        /// Coefficient of friction.
        mu: Real,
        /// Force per violation.
        epsilon: Real,
        /// Error at which the block is solved, if not 0; else the solver's.
        tolerance: Real,
    },
    /// One row: it keeps its value between two bounds.
    Stopper {
        /// Lower bound.
        min: Real,
        /// Upper bound.
        max: Real,
    },
}

impl Resolution {
    /// Error at which a block is solved by itself; 0 where the solver's counts.
    pub fn tolerance(&self) -> Real {
        match *self {
            Self::Friction { tolerance, .. } | Self::AugmentedFriction { tolerance, .. } => tolerance,
            Self::Bilateral { .. } | Self::Unilateral | Self::Stopper { .. } => 0.0,
        }
    }
}

/// Rows that are solved together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintBlock {
    /// How many.
    pub n_rows: u32,
    /// What they demand.
    pub resolution: Resolution,
    /// Which of the constraint's blocks it is from step to step; none where that is not known.
    pub id: Option<u32>,
}

/// An entry of the Jacobian: the direction in which three scalars of a state count in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowEntry {
    /// The row among those of the constraint.
    pub row: u32,
    /// The state.
    pub end: End,
    /// Which three scalars, as in a [`BlockSink`](super::matrix::BlockSink).
    pub block: u32,
    /// The entry.
    pub direction: Vec3,
}

/// Takes the rows of a constraint, one after the other.
pub trait RowSink {
    /// Begins a block of so many rows.
    fn block(&mut self, n_rows: u32, resolution: Resolution, id: Option<u32>);
    /// Begins the next row; `violation` is the value of the constraint after the free motion.
    fn row(&mut self, violation: Real);
    /// Adds to three scalars of the present row.
    fn entry(&mut self, end: End, block: u32, direction: Vec3);

    /// Adds to all scalars of a degree of freedom.
    fn add<D: Deriv>(&mut self, end: End, dof: u32, direction: &D) {
        for k in 0..D::BLOCKS {
            self.entry(end, dof * D::BLOCKS as u32 + k as u32, direction.block(k));
        }
    }
}

/// A constraint with Lagrange multipliers on one state, or on two.
pub trait LagrangianConstraint: Send + Sync + 'static {
    /// The first state's type.
    type State1: StateType;
    /// The second state's type; the first's for a constraint on one state.
    type State2: StateType;
    /// Numbers that hold for the whole component.
    type Constants: Copy + Send + Sync + 'static;
    /// Constant data per element.
    type Element: Copy + Send + Sync + 'static;
    /// SOFA's class name.
    const NAME: &'static str;
    /// Whether multipliers begin at those of the step before. The number of rows is then the same in each step.
    const KEEPS_FORCES: bool = false;

    /// Writes the rows: the Jacobian at the beginning of the step, violations after the free motion.
    fn build_rows(c: &Self::Constants, at: BuildRows<'_, Self>, rows: &mut impl RowSink);
}

/// What [`LagrangianConstraint::build_rows`] is given.
pub struct BuildRows<'a, C: LagrangianConstraint + ?Sized> {
    /// What the multipliers correct.
    pub order: ConstraintOrder,
    /// Time step [s].
    pub dt: Real,
    /// Constant data per element.
    pub elements: &'a [C::Element],
    /// The first state.
    pub first: FreeState<'a, C::State1>,
    /// The second state.
    pub second: FreeState<'a, C::State2>,
}

/// A state at the beginning of a step and after its free motion.
pub struct FreeState<'a, S: StateType> {
    /// Positions at the beginning of the step [m].
    pub x: &'a [S::Coord],
    /// Rest positions [m].
    pub rest: &'a [S::Coord],
    /// Positions after the free motion [m].
    pub free_x: &'a [S::Coord],
    /// Velocities after the free motion [m/s].
    pub free_v: &'a [S::Deriv],
}

/// A constraint with multipliers as its constructor leaves it.
pub struct LagrangianConstraintParts<C: LagrangianConstraint> {
    /// Numbers for the whole component.
    pub constants: C::Constants,
    /// Constant data per element.
    pub elements: Vec<C::Element>,
}
