//! SOFA's `RungeKutta2Solver`: the explicit mid-point rule.

use std::any::Any;

use engine::data::{set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::constraint_solver::{IntegrationFactors, OfTimeStep};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, OdeSolver, SolveRecord};
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::vectors::{VecCoordId, VecDerivId};

/// The explicit mid-point rule, of second order; masses must be diagonal.
///
/// With acc(x, v), which projects x, v and the acceleration: X = x + h/2 v, V = v + h/2 acc(x, v); then x += h V,
/// v += h acc(X, V).
///
/// **Source:** as SOFA's RungeKutta2Solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RungeKutta2Solver;

/// Explicit mid-point rule, of second order.
#[derive(Attributes)]
#[attributes(ignored("threadSafeVisitor"))]
struct Settings {}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::OdeSolver, "RungeKutta2Solver", |b| {
        b.scene.add_ode_solver(b.component, Box::new(RungeKutta2Solver));
        Ok(())
    })
    .old_names(&["RungeKutta2"])
    .samples(&[Sample::new("")]);

impl OdeSolver for RungeKutta2Solver {
    fn class(&self) -> &'static str {
        "RungeKutta2Solver"
    }

    fn needs_linear_solver(&self, _masses_are_diagonal: bool) -> bool {
        false
    }

    fn needs_diagonal_masses(&self) -> bool {
        true
    }

    fn integration_factors(&self) -> IntegrationFactors {
        // As SOFA's: a force of this step does not move positions.
        IntegrationFactors { position: OfTimeStep::new(0.0, 0), velocity: OfTimeStep::new(0.5, 1) }
    }

    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        _linear: Option<&dyn LinearSolver>,
    ) -> SolveRecord {
        let tag = visitor.group.tag;
        let dt = visitor.visit.parameters.dt;
        let rec = &mut *visitor.visit.rec;
        let (half, full) = (rec.scalar_value::<f64>(), rec.scalar_value::<f64>());
        rec.sweep("factors");
        rec.scalar("factors", tag, (val(dt), set(half), set(full)), |(h, half, full)| {
            (*half, *full) = (h / 2.0, h);
        });
        let (x, middle) = (VecCoordId::temporary(0), VecCoordId::temporary(1));
        let [v, a, v_middle] = [0, 1, 2].map(VecDerivId::temporary);
        visitor.each_root("begin", |visit, at| {
            visit.x_copy(at, x, VecCoordId::POSITION);
            visit.v_copy(at, v, VecDerivId::VELOCITY);
        });
        visitor.add_separate_gravity(v);
        let accelerate = |visitor: &mut MechanicalVisitor<'_, '_, '_>, x, v| {
            visitor.project_position_and_velocity(x, v);
            visitor.propagate(x, v);
            visitor.compute_force(VecDerivId::FORCE, x, v);
            visitor.acc_from_f(a, VecDerivId::FORCE, x);
            visitor.project_response(a);
        };
        accelerate(visitor, x, v);
        visitor.each_root("middle", |visit, at| {
            visit.x_moved(at, middle, x, v, half);
            visit.v_set_sum(at, v_middle, v, a, half);
        });
        accelerate(visitor, middle, v_middle);
        visitor.each_root("integrate", |visit, at| {
            let (x_next, v_next) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
            visit.x_moved(at, x_next, x, v_middle, full);
            visit.v_set_sum(at, v_next, v, a, full);
            visit.check_finite(at, x_next, v_next);
        });
        SolveRecord::default()
    }

    fn merged(&self, others: &[&dyn OdeSolver]) -> Option<Box<dyn OdeSolver>> {
        others.iter().all(|o| self.is_equal(*o)).then(|| Box::new(*self) as Box<dyn OdeSolver>)
    }

    fn is_equal(&self, other: &dyn OdeSolver) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
