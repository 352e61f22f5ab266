//! SOFA's `WarpPreconditioner`: another solver's factors as a preconditioner.

use std::any::Any;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, Preconditioner, SolveRecord, SolverSetting};
use sim_core::scene::{ComponentId, NodeId};
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};

/// Lends a conjugate gradient the factors of another linear solver.
///
/// SOFA's z = R A^-1 R^T r has the identity for R in each step in which A is assembled; at `assemblingRate` 1 of the
/// `RotationMatrixSystem`, that is all of them. At other rates the rotations are left out, which the system warns of.
///
/// **Source:** as SOFA's WarpPreconditioner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpPreconditioner {
    component: ComponentId,
    at: NodeId,
    /// Whose factors it lends; else those of the first other solver of its node.
    solver: Option<ComponentId>,
}

/// Lends a conjugate gradient the factors of another linear solver.
#[derive(Attributes)]
#[attributes(
    ignored("parallelInverseProduct", summary = "of constraint corrections"),
    ignored("linearSystem", summary = "its assembling rate is that of the node's RotationMatrixSystem"),
    ignored("useRotationFinder", "update_step", summary = "of no effect in SOFA")
)]
struct Settings {
    /// whose factors it lends; else the first other linear solver of its node
    linear_solver: Option<LinkTarget>,
}

pub(super) const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::LinearSolver,
    "WarpPreconditioner",
    build,
)
.templates(&["RotationMatrix", "RotationMatrixd"])
.samples(&[Sample::new("linearSolver='@factors'")
    .before("<PCGLinearSolver name='served' iterations='500' tolerance='1e-28' preconditioner='@linear'/>")
    .after("<SparseLDLSolver name='factors'/>")]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let solver = linked_preconditioner(b, "linearSolver", s.linear_solver)?;
    let (component, at) = (b.component, b.scene.component(b.component).node);
    b.scene.add_linear_solver(component, Box::new(WarpPreconditioner { component, at, solver }));
    Ok(())
}

/// The linear solver that a link leads to, which must be one that can serve as a preconditioner.
///
/// # Errors
/// If it leads to something else.
pub(super) fn linked_preconditioner(
    b: &Builder<'_>,
    attribute: &str,
    link: Option<LinkTarget>,
) -> Result<Option<ComponentId>, BuildError> {
    let Some(link) = link else { return Ok(None) };
    let found = match link {
        LinkTarget::Component(c) => b.scene.solvers.linear.iter().find(|l| l.component == c),
        LinkTarget::Node(_) => None,
    };
    match found {
        Some(l) if l.node.is_preconditioner() => Ok(Some(l.component)),
        Some(l) => Err(BuildError::attribute(
            attribute,
            format!("{} makes no factors, so it cannot serve as a preconditioner", l.node.class()),
        )),
        None => Err(BuildError::attribute(attribute, format!("`{attribute}` leads to no linear solver"))),
    }
}

impl WarpPreconditioner {
    fn factors<'a>(&self, visitor: &MechanicalVisitor<'a, '_, '_>) -> Option<&'a dyn LinearSolver> {
        let beside = || visitor.linear_solver_beside(self.at, self.component);
        let found = visitor.linear_solver(self.solver.or_else(beside)?)?;
        // Of two that lend each other's factors, neither has any.
        let lends = found.as_any().is::<Self>();
        (found.is_preconditioner() && !lends).then_some(found)
    }
}

impl LinearSolver for WarpPreconditioner {
    fn class(&self) -> &'static str {
        "WarpPreconditioner"
    }

    fn record_solve(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, system: LinearSystem) -> SolveRecord {
        match self.factors(visitor) {
            Some(factors) => factors.record_solve(visitor, system),
            None => missing(visitor),
        }
    }

    fn is_preconditioner(&self) -> bool {
        true
    }

    fn record_preconditioner(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        factors: MbkFactors,
        rate: u32,
    ) -> Option<Box<dyn Preconditioner>> {
        let own = visitor.setting_at(self.at, |setting| match setting {
            SolverSetting::WarpingRate(rate) => Some(rate),
            _ => None,
        });
        // The system is set up where the conjugate gradient's is due.
        let rate = rate.saturating_mul(own.unwrap_or(1));
        self.factors(visitor)?.record_preconditioner(visitor, factors, rate)
    }

    fn is_of_whole_group(&self) -> bool {
        true
    }

    fn merged(&self, _others: &[&dyn LinearSolver]) -> Option<Box<dyn LinearSolver>> {
        None
    }

    fn is_equal(&self, other: &dyn LinearSolver) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What is recorded where a link leads to nothing that makes factors: the step fails.
pub(super) fn missing(visitor: &mut MechanicalVisitor<'_, '_, '_>) -> SolveRecord {
    let tag = visitor.group.tag;
    let rec = &mut *visitor.visit.rec;
    let failed = rec.scalar_value::<bool>();
    rec.sweep("failed");
    rec.scalar("failed", tag, (engine::data::set(failed),), |(failed,)| *failed = true);
    let reason = "there is no linear solver beside it that makes factors: add a SparseLDLSolver";
    SolveRecord { iterations: None, failed: Some(failed), reason: Some(reason), ..SolveRecord::default() }
}
