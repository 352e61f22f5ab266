//! SOFA's `CentralDifferenceSolver`: leapfrog, with damping by mass.

use std::any::Any;

use engine::data::{set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::constraint_solver::{IntegrationFactors, OfTimeStep};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, OdeSolver, SolveRecord};
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::vectors::{VecCoordId, VecDerivId};

/// With a = M^-1 f, projected, and r the Rayleigh mass: v' = v (1/h - r/2) / (1/h + r/2) + a / (1/h + r/2), then x' = x + h v'.
/// Velocities are those between two steps. Masses must be diagonal.
///
/// **Source:** as SOFA's CentralDifferenceSolver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CentralDifferenceSolver {
    /// Rayleigh mass [1/s].
    pub rayleigh_mass: f64,
}

/// Central differences (leapfrog), with damping by mass.
#[derive(Attributes)]
#[attributes(ignored("threadSafeVisitor"))]
struct Settings {
    /// Rayleigh damping by mass [1/s]
    #[attribute(default = "0", non_negative)]
    rayleigh_mass: f64,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::OdeSolver, "CentralDifferenceSolver", |b| {
        let solver = CentralDifferenceSolver { rayleigh_mass: Settings::read(b)?.rayleigh_mass };
        b.scene.add_ode_solver(b.component, Box::new(solver));
        Ok(())
    })
    .old_names(&["CentralDifference"])
    .samples(&[Sample::new("rayleighMass='0'"), Sample::new("rayleighMass='0.4'")]);

impl OdeSolver for CentralDifferenceSolver {
    fn class(&self) -> &'static str {
        "CentralDifferenceSolver"
    }

    fn needs_linear_solver(&self, _masses_are_diagonal: bool) -> bool {
        false
    }

    fn needs_diagonal_masses(&self) -> bool {
        true
    }

    fn integration_factors(&self) -> IntegrationFactors {
        // As SOFA's.
        IntegrationFactors { position: OfTimeStep::new(1.0, 2), velocity: OfTimeStep::new(1.0, 1) }
    }

    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        _linear: Option<&dyn LinearSolver>,
    ) -> SolveRecord {
        let tag = visitor.group.tag;
        let dt = visitor.visit.parameters.dt;
        let r = self.rayleigh_mass;
        let rec = &mut *visitor.visit.rec;
        let mut real = || rec.scalar_value::<f64>();
        let (h, of_velocity, of_acceleration) = (real(), real(), real());
        rec.sweep("factors");
        rec.scalar(
            "factors",
            tag,
            (val(dt), set(h), set(of_velocity), set(of_acceleration)),
            move |(dt, h, of_velocity, of_acceleration)| {
                *h = dt;
                (*of_velocity, *of_acceleration) = if r == 0.0 {
                    (1.0, dt)
                } else {
                    ((1.0 / dt - r / 2.0) / (1.0 / dt + r / 2.0), 1.0 / (1.0 / dt + r / 2.0))
                };
            },
        );
        let [v, a] = [0, 1].map(VecDerivId::temporary);
        visitor.each_root("begin", |visit, at| visit.v_copy(at, v, VecDerivId::VELOCITY));
        visitor.add_separate_gravity(v);
        visitor.compute_force(VecDerivId::FORCE, VecCoordId::POSITION, v);
        visitor.acc_from_f(a, VecDerivId::FORCE, VecCoordId::POSITION);
        visitor.project_response(a);
        visitor.each_root("integrate", |visit, at| {
            let (x_next, v_next) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
            visit.v_scale_by(at, v, of_velocity);
            visit.v_set_sum(at, v_next, v, a, of_acceleration);
            visit.x_moved(at, x_next, VecCoordId::POSITION, v_next, h);
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
