//! SOFA's `RungeKutta4Solver`: the classical explicit scheme of fourth order.

use std::any::Any;

use engine::data::{set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::constraint_solver::{IntegrationFactors, OfTimeStep};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, OdeSolver, SolveRecord};
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::vectors::{VecCoordId, VecDerivId};

/// The classical Runge-Kutta scheme of fourth order; masses must be diagonal.
///
/// With acc(x, v) = M^-1 f(x, v), projected: k₁ = v, a₁ = acc(x, v); k₂ = v + h/2 a₁, a₂ = acc(x + h/2 k₁, k₂); k₃ = v + h/2 a₂, a₃ =
/// acc(x + h/2 k₂, k₃); k₄ = v + h a₃, a₄ = acc(x + h k₃, k₄). Then x += h/6 (k₁ + 2 k₂ + 2 k₃ + k₄), and v the same with a.
///
/// **Source:** as SOFA's RungeKutta4Solver; a linear solver in its node is not used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RungeKutta4Solver;

/// Classical explicit Runge-Kutta scheme of fourth order.
#[derive(Attributes)]
#[attributes(ignored("threadSafeVisitor"))]
struct Settings {}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::OdeSolver, "RungeKutta4Solver", |b| {
        b.scene.add_ode_solver(b.component, Box::new(RungeKutta4Solver));
        Ok(())
    })
    .old_names(&["RungeKutta4"])
    .samples(&[Sample::new("")]);

/// k_i velocities and accelerations.
const fn k_v(i: u8) -> VecDerivId {
    VecDerivId::temporary(2 * i)
}
const fn k_a(i: u8) -> VecDerivId {
    VecDerivId::temporary(2 * i + 1)
}

impl OdeSolver for RungeKutta4Solver {
    fn class(&self) -> &'static str {
        "RungeKutta4Solver"
    }

    fn integration_factors(&self) -> IntegrationFactors {
        // As SOFA's.
        IntegrationFactors { position: OfTimeStep::new(0.0, 0), velocity: OfTimeStep::new(0.5, 1) }
    }

    fn needs_linear_solver(&self, _masses_are_diagonal: bool) -> bool {
        false
    }

    fn needs_diagonal_masses(&self) -> bool {
        true
    }

    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        _linear: Option<&dyn LinearSolver>,
    ) -> SolveRecord {
        let tag = visitor.group.tag;
        let dt = visitor.visit.parameters.dt;
        let rec = &mut *visitor.visit.rec;
        let (half, full, third, sixth) = (
            rec.scalar_value::<f64>(),
            rec.scalar_value::<f64>(),
            rec.scalar_value::<f64>(),
            rec.scalar_value::<f64>(),
        );
        rec.sweep("factors");
        rec.scalar(
            "factors",
            tag,
            (val(dt), set(half), set(full), set(third), set(sixth)),
            |(h, half, full, third, sixth)| {
                (*half, *full, *third, *sixth) = (h / 2.0, h, h / 3.0, h / 6.0);
            },
        );
        let x0 = VecCoordId::POSITION;
        let v0 = VecDerivId::temporary(8);
        visitor.each_root("begin", |visit, at| visit.v_copy(at, v0, VecDerivId::VELOCITY));
        visitor.add_separate_gravity(v0);

        let x = VecCoordId::temporary(0);
        let steps = [None, Some(half), Some(half), Some(full)];
        for (i, step) in steps.into_iter().enumerate() {
            let i = i as u8;
            visitor.each_root("stage", |visit, at| match step {
                None => {
                    visit.x_copy(at, x, x0);
                    visit.v_copy(at, k_v(0), v0);
                }
                Some(h) => {
                    visit.x_moved(at, x, x0, k_v(i - 1), h); // X = x + h k_v
                    visit.v_set_sum(at, k_v(i), v0, k_a(i - 1), h); // k_v = v + h k_a
                }
            });
            visitor.project_position_and_velocity(x, k_v(i));
            visitor.propagate(x, k_v(i));
            visitor.compute_force(VecDerivId::FORCE, x, k_v(i));
            visitor.acc_from_f(k_a(i), VecDerivId::FORCE, x);
            visitor.project_response(k_a(i));
        }

        visitor.each_root("integrate", |visit, at| {
            // x' = x + h/6 k1 + h/3 k2 + h/3 k3 + h/6 k4, and v' alike.
            let (next, other) = (VecCoordId::POSITION_NEXT, VecCoordId::temporary(1));
            visit.x_moved(at, other, x0, k_v(0), sixth);
            visit.x_moved(at, x, other, k_v(1), third);
            visit.x_moved(at, other, x, k_v(2), third);
            visit.x_moved(at, next, other, k_v(3), sixth);
            let v = VecDerivId::VELOCITY_NEXT;
            visit.v_set_sum(at, v, v0, k_a(0), sixth);
            visit.v_add_scaled(at, v, k_a(1), third);
            visit.v_add_scaled(at, v, k_a(2), third);
            visit.v_add_scaled(at, v, k_a(3), sixth);
            visit.check_finite(at, next, v);
        });
        SolveRecord::default()
    }

    fn merged(&self, others: &[&dyn OdeSolver]) -> Option<Box<dyn OdeSolver>> {
        let same = others.iter().all(|o| o.as_any().is::<Self>());
        same.then(|| Box::new(*self) as Box<dyn OdeSolver>)
    }

    fn is_equal(&self, other: &dyn OdeSolver) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
