//! Several integrators in one node.

use crate::component::solver::{LinearSolver, OdeSolver, SolveRecord};
use crate::visitor::mechanical::MechanicalVisitor;
use crate::visitor::vectors::{VecCoordId, VecDerivId};
use engine::data::{set, val};

/// Records a further integrator of a node, which goes on from what the one before has left; gives back what there is to read of both.
///
/// **Source:** as in SOFA, whose integrators of a node each take a whole time step, one after the other, before constraints project the
/// state and mapped states follow.
pub(super) fn record_further(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    (ode, linear): (&dyn OdeSolver, Option<&dyn LinearSolver>),
    before: SolveRecord,
) -> SolveRecord {
    visitor.each_root("go_on", |visit, at| {
        visit.x_copy(at, VecCoordId::POSITION_BETWEEN, VecCoordId::POSITION_NEXT);
        visit.v_copy(at, VecDerivId::VELOCITY_BETWEEN, VecDerivId::VELOCITY_NEXT);
    });
    visitor.go_on(true);
    let solve = ode.record(visitor, linear);
    visitor.go_on(false);
    let tag = visitor.group.tag;
    let rec = &mut *visitor.visit.rec;
    let failed = match (before.failed, solve.failed) {
        (Some(a), Some(b)) => {
            let either = rec.scalar_value::<bool>();
            rec.sweep("failed");
            rec.scalar("failed", tag, (val(a), val(b), set(either)), |(a, b, either)| *either = a || b);
            Some(either)
        }
        (a, b) => a.or(b),
    };
    SolveRecord { failed, reason: before.reason.or(solve.reason), ..solve }
}
