//! Who solves for the multipliers of constraints, and who corrects the free motion by them.

use super::lagrangian_constraint::{ConstraintBlock, ConstraintOrder};
use super::solver::{LinearSolver, SolveRecord};
use crate::math::Mat3;
use crate::visitor::constraints::{CorrectedUnit, UnitRows};
use crate::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use crate::visitor::visit::{At, Visit};
use engine::data::{Data, Scalar, Workspace};
use engine::graph::ComponentTag;

/// A number that is a coefficient times a power of the time step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfTimeStep {
    /// The coefficient.
    pub coefficient: f64,
    /// The power.
    pub power: i32,
}

impl OfTimeStep {
    /// A coefficient times a power of the time step.
    pub const fn new(coefficient: f64, power: i32) -> Self {
        Self { coefficient, power }
    }

    /// Its value for a time step [s].
    pub fn at(self, dt: f64) -> f64 {
        self.coefficient * dt.powi(self.power)
    }
}

/// What an integrator makes of the solution of its linear system: of A c = J^T lambda come x += p c and v += q c.
///
/// **Source:** as SOFA's getPositionIntegrationFactor and getVelocityIntegrationFactor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntegrationFactors {
    /// p.
    pub position: OfTimeStep,
    /// q.
    pub velocity: OfTimeStep,
}

impl IntegrationFactors {
    /// Of an integrator that has none: constraints do nothing.
    pub const NONE: Self = Self { position: OfTimeStep::new(0.0, 0), velocity: OfTimeStep::new(0.0, 0) };
}

/// What a correction does with a compliance C: W = w J C J^T, x = x_free + p C J^T lambda, v = v_free + q C J^T lambda.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectionFactors {
    /// w.
    pub compliance: OfTimeStep,
    /// p.
    pub position: OfTimeStep,
    /// q.
    pub velocity: OfTimeStep,
    /// Added to the diagonal of W where the correction has a share in it.
    pub regularization: f64,
    /// What the compliance is where a solver asks for it without building W (SOFA leaves factors out there).
    pub unbuilt: OfTimeStep,
}

/// The linear system of an integrator, as constraint corrections find it.
#[derive(Clone, Copy)]
pub struct IntegratorSystem<'a> {
    /// Of its matrix m M + b B + k K.
    pub factors: MbkFactors,
    /// How often a force is in its right-hand side.
    pub of_force: Scalar<f64>,
    /// Who solves it.
    pub linear: &'a dyn LinearSolver,
}

/// A constraint correction: it knows how far the states of its node give way.
pub trait ConstraintCorrection: Send + Sync + 'static {
    /// SOFA's class name.
    fn class(&self) -> &'static str;

    /// Whether it asks for the factors of the integrator's matrix, which a direct linear solver leaves.
    fn needs_factors(&self) -> bool {
        false
    }

    /// Whether it corrects all states of the integrator's system, coupled with its own or not, so that the factors must be of all.
    fn is_of_whole_system(&self) -> bool {
        false
    }

    /// Whether it makes something of the integrator's matrix by itself, in [`Self::record_preparation`].
    fn prepares(&self) -> bool {
        false
    }

    /// Whether it asks how the points of its state have turned, see
    /// [`ForceField::HAS_ROTATIONS`](super::force_field::ForceField::HAS_ROTATIONS).
    fn needs_rotations(&self) -> bool {
        false
    }

    /// Records, within the free motion, what it needs of the integrator's system, before that is solved. Forces and tangents are those
    /// at the beginning of the step.
    fn record_preparation(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        root: At,
        system: IntegratorSystem<'_>,
    ) {
        let _ = (visitor, root, system);
    }

    /// The independent states that it corrects, `root` among them, with the first block row of each in its vectors.
    fn members(&self, visit: &Visit<'_, '_>, root: At) -> Vec<(At, u32)> {
        let _ = visit;
        vec![(root, 0)]
    }

    /// Its factors where multipliers correct what `order` says, for an integrator.
    fn factors(&self, order: ConstraintOrder, integrator: IntegrationFactors) -> CorrectionFactors;

    /// C as blocks of its diagonal, one for each block row of the unit, where it has no others.
    fn block_compliances(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit) -> Option<Data<Mat3>> {
        let _ = (visit, unit);
        None
    }

    /// Records that `out` holds J C J^T, row by row, for the rows of the unit.
    fn record_compliance(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit, out: Data<f64>);

    /// Records that the unit's `motion`, which holds J^T lambda in blocks, becomes C J^T lambda.
    fn record_motion(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit);
}

/// The rows and compliances of a step, which a constraint solver makes a problem of.
pub struct ConstraintProblemData<'a> {
    /// Whose tasks solve it.
    pub at: At,
    /// The constraints, in the order of their rows.
    pub constraints: &'a [ConstraintData],
    /// What is corrected.
    pub units: &'a [UnitData],
    /// Written: all multipliers, in the order of rows.
    pub forces: Data<f64>,
    /// Written: the first row of each constraint.
    pub first_rows: Data<u32>,
    /// The solver's identity in errors and traces.
    pub tag: ComponentTag,
}

/// The rows of a constraint, as data.
#[derive(Clone, Copy, Debug)]
pub struct ConstraintData {
    /// Its blocks.
    pub blocks: Data<ConstraintBlock>,
    /// Violations after the free motion, one per row.
    pub violations: Data<f64>,
    /// Multipliers to begin with, one per row; shorter, or empty: zero.
    pub initial: Data<f64>,
    /// Blocks and multipliers of the step before, for solvers that begin there by the ids of blocks, and of this one.
    pub former: Option<[Data<FormerForce>; 2]>,
}

/// The multipliers of a block in the step before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FormerForce {
    /// The block's id.
    pub id: u32,
    /// Its multipliers.
    pub forces: [f64; 3],
}

/// What a unit gives to the problem.
#[derive(Clone, Copy)]
pub struct UnitData {
    /// Of each of its rows, the constraint and the row among the constraint's.
    pub rows: Data<[u32; 2]>,
    /// J C J^T of these rows, row by row; nothing is written there where the solver takes `blocks` in its place.
    pub compliance: Data<f64>,
    /// C as blocks of its diagonal, if it has no others and the solver asks for no more.
    pub blocks: Option<Data<Mat3>>,
    /// The Jacobian.
    pub jacobian: Workspace<UnitRows>,
    /// Its factors.
    pub factors: CorrectionFactors,
}

/// A constraint solver: finds the multipliers.
pub trait ConstraintSolver: Send + Sync + 'static {
    /// SOFA's class name.
    fn class(&self) -> &'static str;

    /// Whether it asks for J C J^T of all units; else only for that of units whose C is more than blocks on its diagonal.
    fn builds(&self) -> bool {
        true
    }

    /// Whether columns of what projective constraints hold are left out of the Jacobian.
    fn projects(&self) -> bool {
        true
    }

    /// Whether its multipliers are forces under which mappings take their geometric stiffness in the next step.
    fn leaves_forces(&self) -> bool {
        true
    }

    /// What multipliers correct, where the animation loop asks for `order`.
    fn order(&self, order: ConstraintOrder) -> ConstraintOrder {
        order
    }

    /// Records the solution.
    fn record(&self, visit: &mut Visit<'_, '_>, problem: &ConstraintProblemData<'_>) -> SolveRecord;
}
