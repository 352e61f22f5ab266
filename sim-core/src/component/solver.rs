//! Solvers: sequences of visitors and loops, recorded once and replayed.

use std::any::Any;

use super::constraint_solver::IntegrationFactors;
use super::convergence::{LinearRecord, NewtonRecord};
use crate::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use crate::visitor::vectors::VecDerivId;
use engine::data::{Data, Scalar};

/// What a recorded solver tells the driver to read after each step.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolveRecord {
    /// Iterations of the linear solver's loop.
    pub iterations: Option<Scalar<u32>>,
    /// Of a method around a linear solver that iterates: the greatest number of iterations that one of its linear systems took.
    pub linear_iterations: Option<Scalar<u32>>,
    /// Whether the solver met a value that is not finite, or could not solve the system.
    pub failed: Option<Scalar<bool>>,
    /// Norms of the residuals of Newton's method: the first one, then one after each of its iterations, which `iterations` counts.
    /// Of more than there is room for, the last one is in the last place.
    pub residuals: Option<Data<f64>>,
    /// How Newton's method has ended, where there is one.
    pub newton: Option<NewtonRecord>,
    /// How the linear solver has ended, where it iterates.
    pub linear: Option<LinearRecord>,
    /// Of what sweeps until an error is small: the error that the last sweep has left, that at which it ends, and 1 where it
    /// ended there, 0 where it had as many sweeps as it may.
    pub remaining: Option<Data<f64>>,
    /// What is to be said where it failed, if more is known than that the state is not finite.
    pub reason: Option<&'static str>,
}

/// An ODE solver: writes `POSITION_NEXT` and `VELOCITY_NEXT` of the independent states of a group.
pub trait OdeSolver: Send + Sync + 'static {
    /// SOFA's class name.
    fn class(&self) -> &'static str;

    /// Whether it solves a linear system, and so needs a linear solver, for these masses.
    fn needs_linear_solver(&self, masses_are_diagonal: bool) -> bool;

    /// Whether what it moves has velocities, by which rest is told; where not, nothing of it falls asleep.
    fn gives_velocities(&self) -> bool {
        true
    }

    /// Whether it adds the weight of masses with `separateGravity` to velocities; where not, that acts on nothing.
    fn adds_separate_gravity(&self) -> bool {
        true
    }

    /// Whether it carries momenta from step to step, in which the force of an inertia that turns is contained.
    fn goes_by_momenta(&self) -> bool {
        false
    }

    /// Whether it divides forces by masses, so that every mass must be diagonal, and every state that moves by itself has its own:
    /// that of masses on mapped states is no inertia, only their weight acts.
    fn needs_diagonal_masses(&self) -> bool {
        false
    }

    /// Whether what it divides by masses was multiplied by all of them, those on mapped states too, which must not be there then.
    fn multiplies_by_masses(&self) -> bool {
        false
    }

    /// Whether it divides forces by masses in an object's first step, by those that are diagonal and stand on a state that moves by
    /// itself.
    fn begins_by_masses(&self) -> bool {
        false
    }

    /// Whether its recording gives its matrix to constraint corrections, see
    /// [`MechanicalVisitor::prepare_corrections`].
    fn prepares_corrections(&self) -> bool {
        false
    }

    /// What a correction by Lagrange multipliers makes of the solution of its linear system.
    fn integration_factors(&self) -> IntegrationFactors {
        IntegrationFactors::NONE
    }

    /// Whether it changes what the integrator of its node has left, instead of integrating: SOFA's solvers of a node run one
    /// after the other.
    fn follows(&self) -> bool {
        false
    }

    /// Whether it keeps something of its own from step to step (an acceleration, a momentum), so that of several integrators of a node
    /// one at most may.
    fn keeps_history(&self) -> bool {
        false
    }

    /// Records one step of the group; of one that follows an integrator, what it does to `POSITION_NEXT` and `VELOCITY_NEXT`.
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
    /// How many systems were solved in this step before, where this is one of several.
    pub earlier: Option<Scalar<u32>>,
}

/// A preconditioner that is recorded, so that it can be applied.
pub trait Preconditioner {
    /// Records z := P r over the group's independent states.
    fn record_apply(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, z: VecDerivId, r: VecDerivId);

    /// Records whether it could not be made, or applied.
    fn record_failed(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>) -> Scalar<bool>;

    /// What is to be said then.
    fn reason(&self) -> Option<&'static str>;
}

/// What components of a scene set for solvers beside them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolverSetting {
    /// How Newton's method goes on and ends.
    NewtonRaphson(NewtonRaphson),
    /// Once in how many set-ups of its system a preconditioner's matrix is assembled.
    AssemblingRate(u32),
    /// Once in how many set-ups the matrix under a warped preconditioner is assembled.
    WarpingRate(u32),
    /// The attribute that leaves a part out of a system's matrix: no solver here uses such a system.
    PartialSystem(&'static str),
}

/// How Newton's method goes on and ends; a threshold of zero is not looked at.
///
/// **Source:** as SOFA's NewtonRaphsonSolver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonRaphson {
    /// Greatest number of iterations.
    pub max_iterations: u32,
    /// Ratio |r| / |r before| below which it ends.
    pub relative_successive: f64,
    /// Ratio |r| / |first r| below which it ends.
    pub relative_initial: f64,
    /// |r| below which it ends.
    pub absolute_residual: f64,
    /// Ratio |dx| / |x before| below which it ends.
    pub relative_estimate: f64,
    /// |dx| below which it ends.
    pub absolute_estimate: f64,
    /// Greatest number of steps of a line search; one: the whole step is taken as it is.
    pub max_line_search: u32,
    /// By how much a step that does not lessen |r| is shortened.
    pub line_search_coefficient: f64,
    /// Whether steps that end at the limit of iterations are warned of.
    pub warns_of_divergence: bool,
    /// Whether line searches that fail are warned of.
    pub warns_of_line_search: bool,
}

impl Default for NewtonRaphson {
    fn default() -> Self {
        Self {
            max_iterations: 1,
            relative_successive: 1e-5,
            relative_initial: 1e-5,
            absolute_residual: 1e-5,
            relative_estimate: 0.0,
            absolute_estimate: 0.0,
            max_line_search: 1,
            line_search_coefficient: 0.5,
            warns_of_divergence: true,
            warns_of_line_search: true,
        }
    }
}

/// A linear solver.
pub trait LinearSolver: Send + Sync + 'static {
    /// SOFA's class name.
    fn class(&self) -> &'static str;

    /// Records the solution of one system.
    ///
    /// A solver that begins somewhere begins with what `system.solution` holds; of [`VecDerivId::SOLUTION`] that is the solution
    /// of the step before.
    fn record_solve(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, system: LinearSystem) -> SolveRecord;

    /// Whether it begins with the solution of the step before.
    fn begins_with_former_solution(&self) -> bool {
        false
    }

    /// Whether it leaves factors of the matrix, by which constraint corrections solve.
    fn has_factors(&self) -> bool {
        false
    }

    /// Whether it assembles the matrix, from which constraints clear rows.
    fn assembles(&self) -> bool {
        self.has_factors()
    }

    /// Whether it can serve as a preconditioner.
    fn is_preconditioner(&self) -> bool {
        false
    }

    /// Records what has to be there before it is applied as a preconditioner: P, an approximation of the inverse of
    /// m M + b B + k K, made anew once in `rate` times that this is run. None where it cannot serve as one.
    fn record_preconditioner(
        &self,
        _visitor: &mut MechanicalVisitor<'_, '_, '_>,
        _factors: MbkFactors,
        _rate: u32,
    ) -> Option<Box<dyn Preconditioner>> {
        None
    }

    /// How many tasks on one object it records that can run side by side, see
    /// [`ObjectsBeside`](crate::visitor::object::ObjectsBeside).
    fn tasks_beside(&self) -> u32 {
        0
    }

    /// Whether what it records of an object depends on the joint components beside it: then any change of these has all recorded
    /// anew.
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
