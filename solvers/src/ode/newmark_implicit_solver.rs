//! SOFA's `NewmarkImplicitSolver`: Newmark's method, with one linear system a step. The file is long since a solver is recorded as sweeps
//! over vectors, each a line, and for the first step's acceleration.

use std::any::Any;

use engine::data::{set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::constraint_solver::{IntegrationFactors, OfTimeStep};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, OdeSolver, SolveRecord};
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use sim_core::visitor::vectors::{VecCoordId, VecDerivId};

use super::implicit::ImplicitAttributes;

/// Newmark's method for the linearised equation, in accelerations.
///
/// With the acceleration a of the step before, A a' = b, where A = (1 + h g rM) M - h g B - (h^2 beta + h g rK) K and
/// b = f + (-h (1-g) rM M + h (1-g) B + (h (1-g) rK + h^2 (1-2 beta)/2) K) a, with (-rM M + B + (rK + h) K) v besides.
/// Then h v + h^2 ((1/2 - beta) a + beta a') is added to x, and h ((1-g) a + g a') to v. In an object's first step, a is the
/// projected M^-1 f by its own mass, whatever stands on states that are mapped from it; 0 where that is not diagonal. As in SOFA,
/// the term in a, that of B too, is left out where there is no Rayleigh damping and beta is 1/2.
///
/// **Source:** as SOFA's NewmarkImplicitSolver; Newmark 1959.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewmarkImplicitSolver {
    /// Rayleigh stiffness rK [s].
    pub rayleigh_stiffness: f64,
    /// Rayleigh mass rM [1/s].
    pub rayleigh_mass: f64,
    /// Velocity decay applied after the step [1/s].
    pub velocity_damping: f64,
    /// Weight g of the new acceleration in velocities.
    pub gamma: f64,
    /// Weight of the new acceleration in positions.
    pub beta: f64,
}

/// Newmark's method: solves one linear system a step.
#[derive(Attributes)]
#[attributes(ignored("threadSafeVisitor"))]
struct Settings {
    #[attribute(flatten)]
    implicit: ImplicitAttributes,
    /// velocity decay, applied after the step [1/s]
    #[attribute(default = "0", name = "vdamping", non_negative)]
    velocity_damping: f64,
    /// weight of the new acceleration in velocities
    #[attribute(default = "0.5", non_negative)]
    gamma: f64,
    /// weight of the new acceleration in positions
    #[attribute(default = "0.25", non_negative)]
    beta: f64,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::OdeSolver, "NewmarkImplicitSolver", |b| {
        let s = Settings::read(b)?;
        let solver = NewmarkImplicitSolver {
            rayleigh_stiffness: s.implicit.rayleigh_stiffness,
            rayleigh_mass: s.implicit.rayleigh_mass,
            velocity_damping: s.velocity_damping,
            gamma: s.gamma,
            beta: s.beta,
        };
        b.scene.add_ode_solver(b.component, Box::new(solver));
        Ok(())
    })
    .old_names(&["NewmarkImplicit"])
    .samples(&[
        Sample::new(""),
        Sample::new("gamma='0.6' beta='0.3' rayleighStiffness='0.02' rayleighMass='0.1' vdamping='0.2'"),
    ]);

const A: VecDerivId = VecDerivId::temporary(9);
const FIRST: VecDerivId = VecDerivId::temporary(10);
const NEW: VecDerivId = VecDerivId::temporary(11);

impl OdeSolver for NewmarkImplicitSolver {
    fn class(&self) -> &'static str {
        "NewmarkImplicitSolver"
    }

    fn keeps_history(&self) -> bool {
        true
    }

    fn needs_linear_solver(&self, _masses_are_diagonal: bool) -> bool {
        true
    }

    fn begins_by_masses(&self) -> bool {
        true
    }

    fn integration_factors(&self) -> IntegrationFactors {
        // As SOFA's, whatever gamma and beta are.
        IntegrationFactors { position: OfTimeStep::new(1.0, 1), velocity: OfTimeStep::new(1.0, 0) }
    }

    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        linear: Option<&dyn LinearSolver>,
    ) -> SolveRecord {
        let Some(linear) = linear else { return SolveRecord::default() };
        let tag = visitor.group.tag;
        let dt = visitor.visit.parameters.dt;
        let rec = &mut *visitor.visit.rec;
        let mut factors =
            || MbkFactors { m: rec.scalar_value(), b: rec.scalar_value(), k: rec.scalar_value() };
        let (of_a, of_v, left) = (factors(), factors(), factors());
        let mut real = || rec.scalar_value::<f64>();
        let (h, decay, x_old, x_new, v_old, v_new) = (real(), real(), real(), real(), real(), real());
        let Self { rayleigh_stiffness: r_k, rayleigh_mass: r_m, velocity_damping, gamma: g, beta } = *self;
        rec.sweep("factors");
        rec.scalar(
            "factors",
            tag,
            (
                val(dt),
                set(of_a.m),
                set(of_a.b),
                set(of_a.k),
                set(of_v.m),
                set(of_v.b),
                set(of_v.k),
                set(left.m),
                set(left.b),
                set(left.k),
            ),
            move |(h, a_m, a_b, a_k, v_m, v_b, v_k, m, b, k)| {
                (*a_m, *a_b) = (-h * (1.0 - g) * r_m, h * (1.0 - g));
                *a_k = h * (1.0 - g) * r_k + h * h * (1.0 - 2.0 * beta) / 2.0;
                (*v_m, *v_b, *v_k) = (-r_m, 1.0, r_k + h);
                (*m, *b, *k) = (1.0 + h * g * r_m, -h * g, -h * h * beta - h * r_k * g);
            },
        );
        rec.scalar(
            "factors",
            tag,
            (val(dt), set(h), set(decay), set(x_old), set(x_new), set(v_old), set(v_new)),
            move |(dt, h, decay, x_old, x_new, v_old, v_new)| {
                (*h, *decay) = (dt, (-dt * velocity_damping).exp());
                (*x_old, *x_new) = (dt * dt * (0.5 - beta), dt * dt * beta);
                (*v_old, *v_new) = (dt * (1.0 - g), dt * g);
            },
        );

        let (f, b) = (VecDerivId::FORCE, VecDerivId::RIGHT_HAND_SIDE);
        let (x, v) = (VecCoordId::POSITION, VecDerivId::VELOCITY);
        visitor.compute_force(f, x, v);
        visitor.each_root("first", |visit, at| visit.v_clear(at, FIRST));
        visitor.acc_from_f(FIRST, f, x);
        visitor.project_response(FIRST);
        visitor.each_root("history", |visit, at| visit.v_history_or(at, A, FIRST));
        super::begin_right_hand_side(visitor, b, f);
        if r_m != 0.0 || r_k != 0.0 || beta != 0.5 {
            visitor.propagate_dx(A);
            visitor.add_mbk_dx(b, A, of_a);
            super::clear_mapped(visitor, b);
        }
        visitor.add_mbk_dx(b, v, of_v);
        visitor.project_response(b);
        visitor.each_root("begin", |visit, at| visit.v_clear(at, NEW));
        let system = LinearSystem { factors: left, right_hand_side: b, solution: NEW, earlier: None };
        let record = linear.record_solve(visitor, system);

        visitor.each_root("integrate", |visit, at| {
            let (x_next, v_next) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
            // One displacement, so that a frame turns once.
            let moved = VecDerivId::temporary(12);
            visit.v_copy(at, moved, v);
            visit.v_scale_by(at, moved, h);
            visit.v_add_scaled(at, moved, A, x_old);
            visit.v_add_scaled(at, moved, NEW, x_new);
            visit.x_displaced(at, x_next, x, moved);
            visit.v_set_sum(at, v_next, v, A, v_old);
            visit.v_add_scaled(at, v_next, NEW, v_new);
            visit.v_copy(at, VecDerivId::HISTORY_NEXT, NEW);
        });
        visitor.add_separate_gravity(VecDerivId::VELOCITY_NEXT);
        visitor.each_root("damp", |visit, at| {
            if velocity_damping != 0.0 {
                visit.v_scale_by(at, VecDerivId::VELOCITY_NEXT, decay);
            }
            visit.check_finite(at, VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
        });
        record
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
