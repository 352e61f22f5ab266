//! SOFA's `StaticSolver`: positions at which forces balance. The file is long since a solver is recorded as sweeps over vectors, each a
//! line.

use std::any::Any;

use engine::data::{Scalar, set};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::constraint_solver::{IntegrationFactors, OfTimeStep};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, NewtonRaphson, OdeSolver, SolveRecord};
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use sim_core::visitor::vectors::{VecCoordId, VecDerivId};

use super::newton::{Equation, Estimate, NewtonLink, record_newton};

/// Solves f(x) = 0 by Newton's method from the present positions, once a step: -K dx = f, x += alpha dx. Velocities stay as they
/// are; damping forces see them.
///
/// A step that ends before it has converged leaves the last estimate, as in SOFA.
///
/// **Source:** as SOFA's StaticSolver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticSolver {
    newton: NewtonLink,
    /// What holds where the scene has no NewtonRaphsonSolver.
    default: NewtonRaphson,
}

/// Positions at which forces balance, by Newton's method.
#[derive(Attributes)]
#[attributes(ignored(
    "should_diverge_when_residual_is_growing",
    "iterations",
    summary = "of no effect in SOFA"
))]
struct Settings {
    /// the linear solver; else the first found in this node or below
    _linear_solver: Option<LinkTarget>,
    /// the NewtonRaphsonSolver; else the first found in this node or below, else one with defaults
    newton_solver: Option<LinkTarget>,
    /// greatest number of iterations, where there is no NewtonRaphsonSolver
    #[attribute(default = "1", name = "newton_iterations", non_negative)]
    newton_iterations: i64,
    /// norm of a step below which it ends, where there is no NewtonRaphsonSolver; not looked at where it is not positive
    #[attribute(default = "0", name = "absolute_correction_tolerance_threshold")]
    absolute_correction: f64,
    /// the same against the norm of positions
    #[attribute(default = "0", name = "relative_correction_tolerance_threshold")]
    relative_correction: f64,
    /// norm of the residual below which it ends, where there is no NewtonRaphsonSolver; not looked at where it is not positive
    #[attribute(default = "1e-5", name = "absolute_residual_tolerance_threshold")]
    absolute_residual: f64,
    /// as in SOFA, what takes the place of `relative_correction_tolerance_threshold`, though it is called after the residual
    #[attribute(name = "relative_residual_tolerance_threshold")]
    relative_residual: Option<f64>,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::OdeSolver, "StaticSolver", build).samples(&[
        Sample::new(""),
        Sample::new("").before(
            "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='4' maxNbIterationsLineSearch='3'/>",
        ),
    ]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    if s.relative_residual.is_some() {
        let text = "it is compared with the size of a step, as in SOFA, and not with the residual: a NewtonRaphsonSolver has thresholds for that";
        b.warn(Some("relative_residual_tolerance_threshold"), text);
    }
    let default = NewtonRaphson {
        max_iterations: u32::try_from(s.newton_iterations).unwrap_or(u32::MAX),
        absolute_estimate: s.absolute_correction,
        relative_estimate: s.relative_residual.unwrap_or(s.relative_correction),
        absolute_residual: s.absolute_residual,
        ..NewtonRaphson::default()
    };
    let newton = NewtonLink::of(b, s.newton_solver);
    b.scene.add_ode_solver(b.component, Box::new(StaticSolver { newton, default }));
    Ok(())
}

const X: VecCoordId = VecCoordId::temporary(2);
const KEPT: VecCoordId = VecCoordId::temporary(3);

/// f(x) = 0.
struct Balance {
    factors: MbkFactors,
}

impl Equation for Balance {
    const RESIDUAL: VecDerivId = VecDerivId::FORCE;
    const STEP: VecDerivId = VecDerivId::temporary(9);
    const ESTIMATE: Estimate = Estimate::Positions(X);

    fn record_residual(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>) {
        visitor.compute_force(VecDerivId::FORCE, X, VecDerivId::VELOCITY);
        visitor.project_response(VecDerivId::FORCE);
    }

    fn record_system(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>) -> LinearSystem {
        visitor.each_root("newton_begin", |visit, at| visit.x_copy(at, KEPT, X));
        LinearSystem {
            factors: self.factors,
            right_hand_side: VecDerivId::FORCE,
            solution: Self::STEP,
            earlier: None,
        }
    }

    fn record_move(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, alpha: Scalar<f64>) {
        visitor.each_root("newton_move", |visit, at| visit.x_moved(at, X, KEPT, Self::STEP, alpha));
        visitor.propagate(X, VecDerivId::VELOCITY);
    }
}

impl OdeSolver for StaticSolver {
    fn class(&self) -> &'static str {
        "StaticSolver"
    }

    /// **Source:** as in SOFA, which adds it in other integrators only.
    fn adds_separate_gravity(&self) -> bool {
        false
    }

    fn gives_velocities(&self) -> bool {
        false
    }

    fn needs_linear_solver(&self, _masses_are_diagonal: bool) -> bool {
        true
    }

    fn integration_factors(&self) -> IntegrationFactors {
        // As SOFA's.
        IntegrationFactors { position: OfTimeStep::new(1.0, 1), velocity: OfTimeStep::new(1.0, 0) }
    }

    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        linear: Option<&dyn LinearSolver>,
    ) -> SolveRecord {
        let Some(linear) = linear else { return SolveRecord::default() };
        let tag = visitor.group.tag;
        let rec = &mut *visitor.visit.rec;
        let factors = MbkFactors { m: rec.scalar_value(), b: rec.scalar_value(), k: rec.scalar_value() };
        rec.sweep("factors");
        rec.scalar("factors", tag, (set(factors.m), set(factors.b), set(factors.k)), |(m, b, k)| {
            (*m, *b, *k) = (0.0, 0.0, -1.0);
        });
        visitor.each_root("begin", |visit, at| {
            visit.x_copy(at, X, VecCoordId::POSITION);
            visit.v_clear(at, Balance::STEP);
        });
        let newton = self.newton.find(visitor).unwrap_or(self.default);
        let record = record_newton(visitor, newton, linear, &Balance { factors });
        visitor.each_root("integrate", |visit, at| {
            let (x, v) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
            visit.x_copy(at, x, X);
            visit.v_copy(at, v, VecDerivId::VELOCITY);
            visit.check_finite(at, x, v);
        });
        record
    }

    /// How it goes on is said by another component, which belongs to one solver: none is merged.
    fn merged(&self, _others: &[&dyn OdeSolver]) -> Option<Box<dyn OdeSolver>> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
