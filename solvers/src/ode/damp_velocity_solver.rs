//! SOFA's `DampVelocitySolver`: lessens the velocities that an integrator has left.

use std::any::Any;

use sim_core::component::attributes::Attributes;
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, OdeSolver, SolveRecord};
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::vectors::VecDerivId;

/// v *= exp(-rate h); then each degree of freedom that is slower than `threshold` stops. Positions stay as the integrator before
/// it in its node has left them.
///
/// **Source:** as SOFA's DampVelocitySolver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DampVelocitySolver {
    /// Decay of velocities [1/s].
    pub rate: f64,
    /// Length of a velocity below which it becomes zero; 0: none does.
    pub threshold: f64,
}

/// Lessens the velocities that the integrator before it in its node has left.
#[derive(Attributes)]
struct Settings {
    /// decay of velocities [1/s]
    #[attribute(default = "0.99")]
    rate: f64,
    /// speed below which a degree of freedom stops [m/s]
    #[attribute(default = "0", non_negative)]
    threshold: f64,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::OdeSolver, "DampVelocitySolver", |b| {
        let s = Settings::read(b)?;
        let solver = DampVelocitySolver { rate: s.rate, threshold: s.threshold };
        b.scene.add_ode_solver(b.component, Box::new(solver));
        Ok(())
    })
    .old_names(&["DampVelocity"])
    .samples(&[Sample::new("rate='0.9' threshold='0.05'").before("<EulerImplicitSolver name='led'/>")]);

impl OdeSolver for DampVelocitySolver {
    fn class(&self) -> &'static str {
        "DampVelocitySolver"
    }

    fn needs_linear_solver(&self, _masses_are_diagonal: bool) -> bool {
        false
    }

    fn follows(&self) -> bool {
        true
    }

    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        _linear: Option<&dyn LinearSolver>,
    ) -> SolveRecord {
        let Self { rate, threshold } = *self;
        visitor.each_root("damp", |visit, at| visit.v_damp(at, VecDerivId::VELOCITY_NEXT, rate, threshold));
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
