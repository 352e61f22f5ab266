//! Newton's method with a line search, as loops in the graph; and SOFA's `NewtonRaphsonSolver`, which says how it goes on. The file is
//! long for a loop in a loop: iterations, and in each a search along a line, with the history that reports show.

use std::sync::Arc;

use engine::data::{Data, Role, Scalar, gather, set, update, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::convergence::NewtonRecord;
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::solver::{LinearSolver, LinearSystem, NewtonRaphson, SolveRecord, SolverSetting};
use sim_core::scene::{ComponentId, NodeId};
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::vectors::{VecCoordId, VecDerivId};
use sim_core::visitor::visit::At;

/// How Newton's method goes on and ends, for the integrators that use it. Where a threshold is not positive, it is not looked at.
#[derive(Attributes)]
#[attributes(
    ignored("updateStateWhenDiverged", summary = "of no effect in SOFA: the last iterate is kept"),
    ignored("status", "residualGraph", summary = "output of SOFA's; see the report")
)]
struct Settings {
    /// greatest number of iterations
    #[attribute(default = "1", name = "maxNbIterationsNewton", non_negative)]
    max_iterations: i64,
    /// ratio of the residuals' norms of two iterations below which it ends
    #[attribute(default = "1e-5", name = "relativeSuccessiveStoppingThreshold")]
    relative_successive: f64,
    /// ratio of the norms of the residual and the first one below which it ends
    #[attribute(default = "1e-5", name = "relativeInitialStoppingThreshold")]
    relative_initial: f64,
    /// norm of the residual below which it ends
    #[attribute(default = "1e-5", name = "absoluteResidualStoppingThreshold")]
    absolute_residual: f64,
    /// ratio of the norms of a step and the positions before it below which it ends
    #[attribute(default = "0", name = "relativeEstimateDifferenceThreshold")]
    relative_estimate: f64,
    /// norm of a step below which it ends
    #[attribute(default = "0", name = "absoluteEstimateDifferenceThreshold")]
    absolute_estimate: f64,
    /// greatest number of steps of the line search; 0 counts as 1, with which the whole step is taken
    #[attribute(default = "1", name = "maxNbIterationsLineSearch", non_negative)]
    max_line_search: i64,
    /// by how much a step that does not lessen the residual is shortened
    #[attribute(default = "0.5", positive)]
    line_search_coefficient: f64,
    /// whether the first line search that does not lessen the residual is warned of
    #[attribute(default = "true")]
    warn_when_line_search_fails: bool,
    /// whether the first step that ends at the limit of iterations is warned of; not where the limit is 1
    #[attribute(default = "true")]
    warn_when_diverge: bool,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::SolverSettings, "NewtonRaphsonSolver", build)
        .summary("Says how integrators find their step by Newton's method: how often, how near, and how a step is shortened.");

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let count = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
    let newton = NewtonRaphson {
        max_iterations: count(s.max_iterations),
        relative_successive: s.relative_successive,
        relative_initial: s.relative_initial,
        absolute_residual: s.absolute_residual,
        relative_estimate: s.relative_estimate,
        absolute_estimate: s.absolute_estimate,
        max_line_search: count(s.max_line_search).max(1),
        line_search_coefficient: s.line_search_coefficient,
        warns_of_divergence: s.warn_when_diverge,
        warns_of_line_search: s.warn_when_line_search_fails,
    };
    b.scene.solvers.settings.insert(b.component, SolverSetting::NewtonRaphson(newton));
    Ok(())
}

/// Where an integrator finds how Newton's method is to go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NewtonLink {
    /// The integrator's node.
    pub at: NodeId,
    /// The component that it names; else the first in its node or below.
    pub named: Option<ComponentId>,
}

impl NewtonLink {
    /// That of an integrator that is being built.
    pub fn of(b: &Builder<'_>, link: Option<LinkTarget>) -> Self {
        let named = match link {
            Some(LinkTarget::Component(c)) => Some(c),
            _ => None,
        };
        Self { at: b.scene.component(b.component).node, named }
    }

    /// What the component says, if there is one.
    pub fn find(&self, visitor: &MechanicalVisitor<'_, '_, '_>) -> Option<NewtonRaphson> {
        let newton = |setting| match setting {
            SolverSetting::NewtonRaphson(newton) => Some(newton),
            _ => None,
        };
        match self.named {
            Some(c) => visitor.setting(c).and_then(newton),
            None => visitor.setting_at(self.at, newton),
        }
    }
}

/// An equation that Newton's method solves.
pub(super) trait Equation {
    /// The projected residual, whose norm is looked at.
    const RESIDUAL: VecDerivId;
    /// Where the solution of each linear system goes; the next one begins with it.
    const STEP: VecDerivId;
    /// The present estimate, whose size is compared with that of a step.
    const ESTIMATE: Estimate;

    /// Records the residual at the present estimate.
    fn record_residual(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>);
    /// Records the right-hand side of the linear system at the present estimate, and keeps the estimate.
    fn record_system(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>) -> LinearSystem;
    /// Records that the estimate is the one kept, moved by `alpha` times the step.
    fn record_move(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, alpha: Scalar<f64>);
}

/// What an equation is solved for.
pub(super) enum Estimate {
    Positions(VecCoordId),
    Velocities(VecDerivId),
}

/// Records the solution of an equation.
///
/// After each iteration the residual, then the step, are compared with the thresholds in SOFA's order, squares with squares,
/// strictly; a step is looked at in its whole length, whatever the line search made of it. Where no step of the line search
/// lessens the residual, the whole step is taken.
///
/// **Source:** as SOFA's NewtonRaphsonSolver. It warns of each step that ends at the limit of iterations, also where that is 1, and of
/// each line search that fails; here the first is warned of, and reports count the others.
pub(super) fn record_newton<E: Equation>(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    newton: NewtonRaphson,
    linear: &dyn LinearSolver,
    equation: &E,
) -> SolveRecord {
    let tag = visitor.group.tag;
    equation.record_residual(visitor);
    let first_square = visitor.v_dot("newton_residual", E::RESIDUAL, E::RESIDUAL);
    let rec = &mut *visitor.visit.rec;
    let mut real = || rec.scalar_value::<f64>();
    let (first, before, now, alpha) = (real(), real(), real(), real());
    let (limit, search_limit, count) =
        (rec.scalar_value::<u32>(), rec.scalar_value::<u32>(), rec.scalar_value::<u32>());
    let (done, failed, is_less, is_not) = (
        rec.scalar_value::<bool>(),
        rec.scalar_value::<bool>(),
        rec.scalar_value::<bool>(),
        rec.scalar_value::<bool>(),
    );
    rec.sweep("newton_begin");
    rec.scalar(
        "newton_begin",
        tag,
        (gather(first_square), set(first), set(now), set(limit), set(search_limit), set(failed), set(count)),
        move |(square, first, now, limit, search_limit, failed, count)| {
            (*first, *now, *count) = (square, square, 0);
            *failed = !square.is_finite();
            let threshold = newton.absolute_residual;
            let is_there = threshold > 0.0 && square <= threshold * threshold;
            *limit = if is_there || *failed { 0 } else { newton.max_iterations };
            *search_limit = newton.max_line_search;
        },
    );
    let failed_searches = (newton.max_line_search > 1).then(|| rec.scalar_value::<u32>());
    if let Some(failed_searches) = failed_searches {
        rec.scalar("newton_begin", tag, (set(failed_searches),), |(n,)| *n = 0);
    }
    let most = super::begin_most(rec, tag);
    let residuals = history(visitor, newton.max_iterations);
    record_history(visitor, residuals, now, count);
    visitor.visit.rec.begin_loop(limit);
    let size_before = (newton.relative_estimate > 0.0).then(|| {
        let size = match E::ESTIMATE {
            Estimate::Positions(x) => visitor.x_square("newton_estimate", x, None),
            Estimate::Velocities(v) => visitor.v_dot("newton_estimate", v, v),
        };
        super::at_once(visitor, "newton_estimate", size)
    });
    let system = LinearSystem { earlier: Some(count), ..equation.record_system(visitor) };
    let solve = linear.record_solve(visitor, system);
    let rec = &mut *visitor.visit.rec;
    super::record_most(rec, tag, solve.iterations, most);
    rec.sweep("newton_step");
    rec.scalar("newton_step", tag, (set(alpha), set(before), val(now)), |(alpha, before, now)| {
        (*alpha, *before) = (1.0, now);
    });
    let measure = |visitor: &mut MechanicalVisitor<'_, '_, '_>| {
        equation.record_move(visitor, alpha);
        equation.record_residual(visitor);
        let square = visitor.v_dot("newton_residual", E::RESIDUAL, E::RESIDUAL);
        let rec = &mut *visitor.visit.rec;
        rec.sweep("newton_residual");
        rec.scalar("newton_residual", tag, (gather(square), set(now)), |(square, now)| *now = square);
    };
    if let Some(failed_searches) = failed_searches {
        visitor.visit.rec.begin_loop(search_limit);
        measure(visitor);
        let rec = &mut *visitor.visit.rec;
        let coefficient = newton.line_search_coefficient;
        rec.scalar(
            "newton_line_search",
            tag,
            (val(now), val(before), set(alpha), set(is_less), set(is_not)),
            move |(now, before, alpha, is_less, is_not)| {
                (*is_less, *is_not) = (now < before, now >= before || now.is_nan());
                *alpha = if *is_less { *alpha } else { *alpha * coefficient };
            },
        );
        rec.break_if(is_less);
        rec.end_loop();
        rec.begin_if(is_not);
        rec.sweep("newton_step");
        rec.scalar("newton_step", tag, (set(alpha), set(failed_searches)), |(alpha, n)| {
            (*alpha, *n) = (1.0, *n + 1);
        });
        measure(visitor);
        visitor.visit.rec.end_if();
    } else {
        measure(visitor);
    }
    let looks_at_step = newton.relative_estimate > 0.0 || newton.absolute_estimate > 0.0;
    let step_square = looks_at_step.then(|| visitor.v_dot("newton_step", E::STEP, E::STEP));
    let rec = &mut *visitor.visit.rec;
    rec.sweep("newton_test");
    let linear_failed = solve.failed.unwrap_or_else(|| rec.scalar_value::<bool>());
    rec.scalar(
        "newton_test",
        tag,
        (val(now), val(before), val(first), val(linear_failed), set(done), set(failed), set(count)),
        move |(now, before, first, linear_failed, done, failed, count)| {
            *count += 1;
            *failed = !now.is_finite() || linear_failed;
            let below =
                |square: f64, threshold: f64, of: f64| threshold > 0.0 && square < threshold * threshold * of;
            *done = *failed
                || below(now, newton.relative_successive, before)
                || below(now, newton.relative_initial, first)
                || below(now, newton.absolute_residual, 1.0);
        },
    );
    if let Some(step) = step_square {
        // Without one, nobody asks for it.
        let size = size_before.unwrap_or(now);
        rec.scalar("newton_test", tag, (gather(step), val(size), set(done)), move |(step, size, done)| {
            let (relative, absolute) = (newton.relative_estimate, newton.absolute_estimate);
            *done |= relative > 0.0 && step < relative * relative * size;
            *done |= absolute > 0.0 && step < absolute * absolute;
        });
    }
    record_history(visitor, residuals, now, count);
    let rec = &mut *visitor.visit.rec;
    rec.break_if(done);
    rec.end_loop();
    let reason = solve.reason;
    let linear_iterations = solve.iterations.and(Some(most));
    let (iterations, failed) = (Some(count), Some(failed));
    let ended = NewtonRecord {
        limit: newton.max_iterations,
        ended: done,
        failed_line_searches: failed_searches,
        warns_of_divergence: newton.warns_of_divergence,
        warns_of_line_search: newton.warns_of_line_search,
    };
    SolveRecord {
        iterations,
        linear_iterations,
        failed,
        residuals,
        newton: Some(ended),
        linear: solve.linear,
        reason,
        ..SolveRecord::default()
    }
}

/// Greatest number of residuals that are kept for the report.
const MOST_RESIDUALS: u32 = 64;

/// The buffer for the norms of residuals, which the group's first object keeps.
fn history(visitor: &mut MechanicalVisitor<'_, '_, '_>, max_iterations: u32) -> Option<Data<f64>> {
    const KEPT: &str = "residuals of Newton's method";
    let At { state, object, .. } = first(visitor)?;
    let n = max_iterations.saturating_add(1).min(MOST_RESIDUALS) as usize;
    let kept = visitor.visit.vectors[state.0 as usize].kept::<Data<f64>>(KEPT);
    let store = visitor.visit.rec.store();
    if let Some(kept) = kept {
        if store.len(*kept) != n {
            store.replace(*kept, vec![0.0; n]);
        }
        return Some(*kept);
    }
    let data = store.create(KEPT, object, Role::Scratch, vec![0.0; n]);
    visitor.visit.vectors[state.0 as usize].keep(KEPT, Arc::new(data), vec![data.id()]);
    Some(data)
}

/// The first object of the group.
fn first(visitor: &MechanicalVisitor<'_, '_, '_>) -> Option<At> {
    visitor.group_objects().next().map(|o| visitor.at(o.root))
}

/// Records that a residual's norm goes into its place.
fn record_history(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    residuals: Option<Data<f64>>,
    square: Scalar<f64>,
    count: Scalar<u32>,
) {
    let (Some(residuals), Some(At { tag, object, .. })) = (residuals, first(visitor)) else { return };
    visitor.visit.rec.sweep("newton_history");
    let accesses = (update(residuals), val(square), val(count));
    visitor.visit.rec.own("newton_history", tag, object, accesses, |(residuals, square, count)| {
        let last = residuals.len() - 1;
        residuals[(count as usize).min(last)] = square.sqrt();
    });
}
