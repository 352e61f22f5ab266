//! SOFA's `BDFOdeSolver`: backward differentiation, solved by Newton's method. The file is long since a solver is recorded as sweeps over
//! vectors, each a line, and for the order that grows with the first steps.

use std::any::Any;

use engine::data::{Scalar, set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, OdeSolver, SolveRecord};
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use sim_core::visitor::vectors::{VecCoordId, VecDerivId};

use super::implicit::ImplicitAttributes;
use super::newton::{Equation, Estimate, NewtonLink, record_newton};

/// x' - x = h b v', M (v' - v) = h b (f(x', v') + (-rM M + rK K) v'), by Newton's method from x + h v, v.
///
/// The order of a step is the least of `order` and the number of the step, counted from one in the scene's time, and b that
/// of the formula of this order: 1, 2/3, 6/11, 12/25... As in SOFA, the formula's older states are the present one, whatever
/// they were: SOFA keeps them in vectors that are one and the same. So for orders above one it is backward Euler with steps
/// of b h, while the clock goes on by h.
///
/// **Source:** as SOFA's BDFOdeSolver, checked against its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BDFOdeSolver {
    /// Greatest order of a step.
    pub order: u32,
    /// Rayleigh stiffness rK [s].
    pub rayleigh_stiffness: f64,
    /// Rayleigh mass rM [1/s].
    pub rayleigh_mass: f64,
    newton: NewtonLink,
}

/// Backward differentiation, solved by Newton's method; as in SOFA, for orders above one with the present state for older ones.
#[derive(Attributes)]
#[attributes(ignored("threadSafeVisitor"))]
struct Settings {
    /// greatest order of a step, 1 to 6
    #[attribute(default = "1", positive)]
    order: i64,
    #[attribute(flatten)]
    implicit: ImplicitAttributes,
    /// the NewtonRaphsonSolver; else the first found in this node or below
    newton_solver: Option<LinkTarget>,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::OdeSolver, "BDFOdeSolver", build).samples(&[
        Sample::new("rayleighStiffness='0.02' rayleighMass='0.1'")
            .before("<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='3'/>"),
        Sample::new("order='3'").before(
            "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='3' maxNbIterationsLineSearch='3'/>",
        ),
    ]);

/// The greatest order at which the formulas are stable.
const GREATEST: i64 = 6;

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    if s.order > GREATEST {
        b.warn(Some("order"), format!("backward differentiation of order {} is not stable", s.order));
    }
    let solver = BDFOdeSolver {
        order: u32::try_from(s.order).unwrap_or(u32::MAX),
        rayleigh_stiffness: s.implicit.rayleigh_stiffness,
        rayleigh_mass: s.implicit.rayleigh_mass,
        newton: NewtonLink::of(b, s.newton_solver),
    };
    b.scene.add_ode_solver(b.component, Box::new(solver));
    Ok(())
}

const X: VecCoordId = VecCoordId::temporary(2);
const V: VecDerivId = VecDerivId::temporary(10);
/// Displacement since the beginning of the step, and what of it is not h b v'.
const MOVED: VecDerivId = VecDerivId::temporary(11);
const EXCESS: VecDerivId = VecDerivId::temporary(12);
const KEPT_V: VecDerivId = VecDerivId::temporary(13);
const KEPT_MOVED: VecDerivId = VecDerivId::temporary(14);
/// v' - v, as long as M is multiplied with it.
const GAINED: VecDerivId = VecDerivId::temporary(15);

/// The two equations of a step, of which the second has the norm that is looked at, with its sign turned.
struct Step {
    /// h b, and its negative.
    span: Scalar<f64>,
    minus_span: Scalar<f64>,
    minus_one: Scalar<f64>,
    /// Of v' in the forces, times h b; of v' - v; of the excess.
    damping: MbkFactors,
    inertia: MbkFactors,
    excess: MbkFactors,
    left: MbkFactors,
}

impl Equation for Step {
    const RESIDUAL: VecDerivId = VecDerivId::temporary(16);
    const STEP: VecDerivId = VecDerivId::temporary(9);
    const ESTIMATE: Estimate = Estimate::Velocities(V);

    fn record_residual(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>) {
        let (f, r) = (VecDerivId::FORCE, Self::RESIDUAL);
        visitor.compute_force(f, X, V);
        // -r = h b (f + (-rM M + rK K) v') - M (v' - v).
        visitor.each_root("newton_residual", |visit, at| {
            visit.v_copy(at, r, f);
            visit.v_scale_by(at, r, self.span);
            visit.v_difference(at, GAINED, V, VecDerivId::VELOCITY);
            visit.v_copy(at, EXCESS, MOVED);
            visit.v_add_scaled(at, EXCESS, V, self.minus_span);
        });
        visitor.project_response(EXCESS);
        super::clear_mapped(visitor, r);
        visitor.propagate_dx(V);
        visitor.add_mbk_dx(r, V, self.damping);
        super::clear_mapped(visitor, r);
        visitor.propagate_dx(GAINED);
        visitor.add_mbk_dx(r, GAINED, self.inertia);
        visitor.project_response(r);
    }

    fn record_system(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>) -> LinearSystem {
        let b = VecDerivId::RIGHT_HAND_SIDE;
        super::begin_right_hand_side(visitor, b, Self::RESIDUAL);
        visitor.propagate_dx(EXCESS);
        visitor.add_mbk_dx(b, EXCESS, self.excess); // - h b K r1
        visitor.project_response(b);
        visitor.each_root("newton_begin", |visit, at| {
            visit.v_copy(at, KEPT_V, V);
            visit.v_copy(at, KEPT_MOVED, MOVED);
            visit.v_add_scaled(at, KEPT_MOVED, EXCESS, self.minus_one);
        });
        LinearSystem { factors: self.left, right_hand_side: b, solution: Self::STEP, earlier: None }
    }

    fn record_move(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, alpha: Scalar<f64>) {
        let rec = &mut *visitor.visit.rec;
        let along = rec.scalar_value::<f64>();
        rec.sweep("newton_move");
        rec.scalar(
            "newton_move",
            visitor.group.tag,
            (val(alpha), val(self.span), set(along)),
            |(a, s, along)| {
                *along = a * s;
            },
        );
        visitor.each_root("newton_move", |visit, at| {
            visit.v_set_sum(at, V, KEPT_V, Self::STEP, alpha);
            visit.v_set_sum(at, MOVED, KEPT_MOVED, Self::STEP, along);
            visit.x_displaced(at, X, VecCoordId::POSITION, MOVED);
        });
        visitor.project_position_and_velocity(X, V);
        visitor.propagate(X, V);
    }
}

impl OdeSolver for BDFOdeSolver {
    fn class(&self) -> &'static str {
        "BDFOdeSolver"
    }

    /// **Source:** as in SOFA, which adds it in other integrators only.
    fn adds_separate_gravity(&self) -> bool {
        false
    }

    fn keeps_history(&self) -> bool {
        true
    }

    fn needs_linear_solver(&self, _masses_are_diagonal: bool) -> bool {
        true
    }

    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        linear: Option<&dyn LinearSolver>,
    ) -> SolveRecord {
        let Some(linear) = linear else { return SolveRecord::default() };
        let Some(newton) = self.newton.find(visitor) else { return without_newton(visitor) };
        let tag = visitor.group.tag;
        let (dt, number) = (visitor.visit.parameters.dt, visitor.visit.parameters.step);
        let rec = &mut *visitor.visit.rec;
        let mut factors =
            || MbkFactors { m: rec.scalar_value(), b: rec.scalar_value(), k: rec.scalar_value() };
        let (damping, inertia, excess, left) = (factors(), factors(), factors(), factors());
        let mut real = || rec.scalar_value::<f64>();
        let (span, minus_span, minus_one, h) = (real(), real(), real(), real());
        let Self { order, rayleigh_stiffness: r_k, rayleigh_mass: r_m, .. } = *self;
        rec.sweep("factors");
        rec.scalar(
            "factors",
            tag,
            (val(dt), val(number), set(h), set(span), set(minus_span), set(minus_one)),
            move |(dt, number, h, span, minus_span, minus_one)| {
                // 1 / b is the sum of 1 / j up to the order, where steps are equal.
                let order = u64::from(order).min(number.saturating_add(1));
                let sum: f64 = (1..=order).map(|j| 1.0 / j as f64).sum();
                (*h, *span, *minus_span, *minus_one) = (dt, dt / sum, -dt / sum, -1.0);
            },
        );
        rec.scalar(
            "factors",
            tag,
            (
                val(span),
                set(damping.m),
                set(damping.b),
                set(damping.k),
                set(left.m),
                set(left.b),
                set(left.k),
            ),
            move |(s, d_m, d_b, d_k, m, b, k)| {
                (*d_m, *d_b, *d_k) = (-s * r_m, 0.0, s * r_k);
                (*m, *b, *k) = (1.0 + s * r_m, -s, -s * (r_k + s));
            },
        );
        rec.scalar(
            "factors",
            tag,
            (
                val(span),
                set(inertia.m),
                set(inertia.b),
                set(inertia.k),
                set(excess.m),
                set(excess.b),
                set(excess.k),
            ),
            |(s, i_m, i_b, i_k, e_m, e_b, e_k)| {
                (*i_m, *i_b, *i_k) = (-1.0, 0.0, 0.0);
                (*e_m, *e_b, *e_k) = (0.0, 0.0, -s);
            },
        );
        visitor.each_root("begin", |visit, at| {
            visit.v_copy(at, V, VecDerivId::VELOCITY);
            visit.v_copy(at, MOVED, V);
            visit.v_scale_by(at, MOVED, h);
            visit.x_displaced(at, X, VecCoordId::POSITION, MOVED);
            visit.v_clear(at, Step::STEP);
        });
        visitor.project_position_and_velocity(X, V);
        visitor.propagate(X, V);
        let step = Step { span, minus_span, minus_one, damping, inertia, excess, left };
        let record = record_newton(visitor, newton, linear, &step);
        visitor.each_root("integrate", |visit, at| {
            let (x, v) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
            visit.x_copy(at, x, X);
            visit.v_copy(at, v, V);
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

/// Without a NewtonRaphsonSolver the step fails; SOFA's solver is in error, and nothing moves.
fn without_newton(visitor: &mut MechanicalVisitor<'_, '_, '_>) -> SolveRecord {
    let tag = visitor.group.tag;
    visitor.each_root("integrate", |visit, at| {
        visit.x_copy(at, VecCoordId::POSITION_NEXT, VecCoordId::POSITION);
        visit.v_copy(at, VecDerivId::VELOCITY_NEXT, VecDerivId::VELOCITY);
        visit.check_finite(at, VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
    });
    let rec = &mut *visitor.visit.rec;
    let failed = rec.scalar_value::<bool>();
    rec.sweep("failed");
    rec.scalar("failed", tag, (set(failed),), |(failed,)| *failed = true);
    let reason = "it needs a NewtonRaphsonSolver in its node or below";
    SolveRecord { iterations: None, failed: Some(failed), reason: Some(reason), ..SolveRecord::default() }
}
