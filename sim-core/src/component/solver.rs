//! Solvers: sequences of visitors and loops, recorded once and replayed.

use std::any::Any;

use super::constraint_solver::IntegrationFactors;
use crate::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use crate::visitor::vectors::VecDerivId;
use engine::data::Scalar;

/// What a recorded solver tells the driver to read after each step.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolveRecord {
    /// Iterations of the linear solver's loop.
    pub iterations: Option<Scalar<u32>>,
    /// Whether the solver met a value that is not finite, or could not solve the system.
    pub failed: Option<Scalar<bool>>,
    /// What is to be said where it failed, if more is known than that the state is not finite.
    pub reason: Option<&'static str>,
}

/// An ODE solver: writes `POSITION_NEXT` and `VELOCITY_NEXT` of the independent states of a group.
pub trait OdeSolver: Send + Sync + 'static {
    /// SOFA's class name.
    fn class(&self) -> &'static str;

    /// Whether it solves a linear system, and so needs a linear solver, for these masses.
    fn needs_linear_solver(&self, masses_are_diagonal: bool) -> bool;

    /// Whether it divides forces by masses, so that every mass must be diagonal and stand on a state that moves by itself.
    fn needs_diagonal_masses(&self) -> bool {
        false
    }

    /// What a correction by Lagrange multipliers makes of the solution of its linear system.
    fn integration_factors(&self) -> IntegrationFactors {
        IntegrationFactors::NONE
    }

    /// Records one step of the group.
    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        linear: Option<&dyn LinearSolver>,
    ) -> SolveRecord;

    /// The solver of a group merged from this one's and the others'; `None` where they cannot be merged.
    fn merged(&self, others: &[&dyn OdeSolver]) -> Option<Box<dyn OdeSolver>>;

    /// Whether another solver records the same for the same objects. If it says no, a group of both is recorded anew
    /// whenever it changes.
    fn is_equal(&self, _other: &dyn OdeSolver) -> bool {
        false
    }

    /// For `merged`, to see another solver's type.
    fn as_any(&self) -> &dyn Any;
}

/// A linear system (m M + b B + k K) x = b over a group's independent states.
#[derive(Clone, Copy, Debug)]
pub struct LinearSystem {
    /// Factors of the matrix.
    pub factors: MbkFactors,
    /// The right-hand side, projected.
    pub right_hand_side: VecDerivId,
    /// Where the solution goes.
    pub solution: VecDerivId,
}

/// A linear solver.
pub trait LinearSolver: Send + Sync + 'static {
    /// SOFA's class name.
    fn class(&self) -> &'static str;

    /// Records the solution of one system.
    fn record_solve(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, system: LinearSystem) -> SolveRecord;

    /// Whether it leaves factors of the matrix, by which constraint corrections solve.
    fn has_factors(&self) -> bool {
        false
    }

    /// Whether what it records of an object depends on the joint components beside it: then a change of those that join two
    /// objects of one solver has all recorded anew.
    fn depends_on_joints(&self) -> bool {
        false
    }

    /// Whether what it records of an object depends on all that its group holds: then any change of the group has all recorded
    /// anew.
    fn is_of_whole_group(&self) -> bool {
        false
    }

    /// The solver of a group merged from this one's and the others'; `None` where they cannot be merged.
    fn merged(&self, others: &[&dyn LinearSolver]) -> Option<Box<dyn LinearSolver>>;

    /// Whether another solver records the same for the same objects, see [`OdeSolver::is_equal`].
    fn is_equal(&self, _other: &dyn LinearSolver) -> bool {
        false
    }

    /// For `merged`, to see another solver's type.
    fn as_any(&self) -> &dyn Any;
}
