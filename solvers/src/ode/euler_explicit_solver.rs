//! SOFA's `EulerExplicitSolver`: forward or symplectic Euler.

use std::any::Any;

use engine::data::{set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::LinkTarget;
use sim_core::component::constraint_solver::{IntegrationFactors, OfTimeStep};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, OdeSolver, SolveRecord};
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use sim_core::visitor::vectors::{VecCoordId, VecDerivId};

/// a = M^-1 f; symplectic: v += h a, x += h v; else x += h v, v += h a.
///
/// Where a mass is not diagonal, or stands on a mapped state, M a = f is solved by the linear solver.
///
/// **Source:** as SOFA's EulerExplicitSolver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EulerExplicitSolver {
    /// Whether positions move with the new velocity.
    pub symplectic: bool,
}

/// Explicit Euler, symplectic by default.
#[derive(Attributes)]
#[attributes(ignored("threadSafeVisitor"))]
struct Settings {
    /// positions move with the new velocity
    #[attribute(default = "true")]
    symplectic: bool,
    /// used where a mass is not diagonal
    _linear_solver: Option<LinkTarget>,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::OdeSolver, "EulerExplicitSolver", |b| {
        let solver = EulerExplicitSolver { symplectic: Settings::read(b)?.symplectic };
        b.scene.add_ode_solver(b.component, Box::new(solver));
        Ok(())
    })
    .old_names(&["EulerExplicit", "EulerSolver", "ExplicitEuler"])
    .samples(&[Sample::new("symplectic='1'"), Sample::new("symplectic='0'")]);

impl OdeSolver for EulerExplicitSolver {
    fn class(&self) -> &'static str {
        "EulerExplicitSolver"
    }

    fn integration_factors(&self) -> IntegrationFactors {
        // As SOFA's: where positions come before velocities, a force of this step does not move them.
        let position = if self.symplectic { OfTimeStep::new(1.0, 2) } else { OfTimeStep::new(0.0, 0) };
        IntegrationFactors { position, velocity: OfTimeStep::new(1.0, 1) }
    }

    fn needs_linear_solver(&self, masses_are_diagonal: bool) -> bool {
        !masses_are_diagonal
    }

    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        linear: Option<&dyn LinearSolver>,
    ) -> SolveRecord {
        let symplectic = self.symplectic;
        let tag = visitor.group.tag;
        let dt = visitor.visit.parameters.dt;
        let rec = &mut *visitor.visit.rec;
        let h = rec.scalar_value::<f64>();
        let (m, b, k) = (rec.scalar_value(), rec.scalar_value(), rec.scalar_value());
        rec.sweep("factors");
        rec.scalar("factors", tag, (val(dt), set(h), set(m), set(b), set(k)), |(dt, h, m, b, k)| {
            (*h, *m, *b, *k) = (dt, 1.0, 0.0, 0.0);
        });
        // The working velocity: gravity that is kept apart comes before the forces.
        let v = VecDerivId::temporary(6);
        visitor.each_root("begin", |visit, at| visit.v_copy(at, v, VecDerivId::VELOCITY));
        visitor.add_separate_gravity(v);
        let f = VecDerivId::FORCE;
        visitor.compute_force(f, VecCoordId::POSITION, v);
        let mut record = SolveRecord::default();
        let a = match linear {
            Some(linear) if !visitor.masses_are_diagonal() => {
                visitor.project_response(f);
                let system = LinearSystem {
                    factors: MbkFactors { m, b, k },
                    right_hand_side: f,
                    solution: VecDerivId::SOLUTION,
                    earlier: None,
                };
                record = linear.record_solve(visitor, system);
                VecDerivId::SOLUTION
            }
            _ => {
                let a = VecDerivId::temporary(0);
                visitor.acc_from_f(a, f, VecCoordId::POSITION);
                visitor.project_response(a);
                a
            }
        };
        visitor.each_root("integrate", |visit, at| visit.explicit_update(at, v, a, h, symplectic));
        record
    }

    fn merged(&self, others: &[&dyn OdeSolver]) -> Option<Box<dyn OdeSolver>> {
        let same = others.iter().all(|o| o.as_any().downcast_ref::<Self>() == Some(self));
        same.then(|| Box::new(*self) as Box<dyn OdeSolver>)
    }

    fn is_equal(&self, other: &dyn OdeSolver) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
