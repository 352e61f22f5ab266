//! SOFA's `EulerImplicitSolver`: one linearised backward Euler step. The file is long since a solver is recorded as sweeps over vectors,
//! each a line.

use std::any::Any;

use engine::data::{set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::constraint_solver::{IntegrationFactors, IntegratorSystem, OfTimeStep};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, OdeSolver, SolveRecord};
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use sim_core::visitor::vectors::{VecCoordId, VecDerivId};

use super::implicit::ImplicitAttributes;

/// Solves ((1 + tr h rM) M - tr h B - tr h (tr h + rS) K) dv = h (f + (tr h + rS) K v - rM M v), then v += dv, x += h v.
///
/// tr is 1, or 1/2 for the trapezoidal scheme. Velocity-dependent forces are in f and, as in SOFA, have no B term in the
/// right-hand side.
///
/// **Source:** as SOFA's EulerImplicitSolver; Baraff and Witkin 1998 for the linearisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EulerImplicitSolver {
    /// Rayleigh stiffness rS [s].
    pub rayleigh_stiffness: f64,
    /// Rayleigh mass rM [1/s].
    pub rayleigh_mass: f64,
    /// Velocity decay applied after the step [1/s].
    pub velocity_damping: f64,
    /// Solves the first-order equation M v = f instead.
    pub first_order: bool,
    /// Uses the trapezoidal rule.
    pub trapezoidal: bool,
}

/// Linearised backward Euler: solves one linear system a step.
#[derive(Attributes)]
#[attributes(
    ignored("solveConstraint", summary = "no Lagrangian constraints yet"),
    ignored("threadSafeVisitor", "computeResidual")
)]
struct Settings {
    #[attribute(flatten)]
    implicit: ImplicitAttributes,
    /// velocity decay, applied after the step [1/s]
    #[attribute(default = "0", name = "vdamping", non_negative)]
    velocity_damping: f64,
    /// solve the first-order equation
    first_order: bool,
    /// trapezoidal rule instead of backward Euler
    trapezoidal_scheme: bool,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::OdeSolver, "EulerImplicitSolver", |b| {
        let s = Settings::read(b)?;
        let solver = EulerImplicitSolver {
            rayleigh_stiffness: s.implicit.rayleigh_stiffness,
            rayleigh_mass: s.implicit.rayleigh_mass,
            velocity_damping: s.velocity_damping,
            first_order: s.first_order,
            trapezoidal: s.trapezoidal_scheme,
        };
        b.scene.add_ode_solver(b.component, Box::new(solver));
        Ok(())
    })
    .old_names(&["EulerImplicit"])
    .samples(&[
        Sample::new(""),
        Sample::new("rayleighStiffness='0.02' rayleighMass='0.1'"),
        Sample::new("trapezoidalScheme='1' rayleighStiffness='0.01'"),
        Sample::new("firstOrder='1'"),
        Sample::new("vdamping='0.5' rayleighMass='0.1'"),
        Sample::new("rayleighMass='0.2'").before("<EulerExplicitSolver name='led'/>"),
    ]);

impl OdeSolver for EulerImplicitSolver {
    fn class(&self) -> &'static str {
        "EulerImplicitSolver"
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
        let tag = visitor.group.tag;
        let dt = visitor.visit.parameters.dt;
        let rec = &mut *visitor.visit.rec;
        let (h, decay) = (rec.scalar_value::<f64>(), rec.scalar_value::<f64>());
        let of_force = rec.scalar_value::<f64>();
        let mut factors =
            || MbkFactors { m: rec.scalar_value(), b: rec.scalar_value(), k: rec.scalar_value() };
        let right = factors();
        let left = factors();
        let Self { rayleigh_stiffness: r_s, rayleigh_mass: r_m, velocity_damping, first_order, trapezoidal } =
            *self;
        let tr = if trapezoidal { 0.5 } else { 1.0 };
        rec.sweep("factors");
        rec.scalar(
            "factors",
            tag,
            (
                val(dt),
                set(h),
                set(decay),
                set(of_force),
                set(right.m),
                set(right.b),
                set(right.k),
                set(left.m),
                set(left.b),
                set(left.k),
            ),
            move |(dt, h, decay, of_force, right_m, right_b, right_k, left_m, left_b, left_k)| {
                *h = dt;
                *decay = (-dt * velocity_damping).exp();
                *of_force = if first_order { 1.0 } else { dt };
                (*right_m, *right_b, *right_k) = (-r_m, 0.0, dt * tr + r_s);
                if first_order {
                    (*left_m, *left_b, *left_k) = (1.0, 0.0, -tr * dt);
                } else {
                    (*left_m, *left_b, *left_k) = (1.0 + tr * dt * r_m, -tr * dt, -tr * dt * (tr * dt + r_s));
                }
            },
        );

        let (f, b, dv) = (VecDerivId::FORCE, VecDerivId::RIGHT_HAND_SIDE, VecDerivId::SOLUTION);
        let (x, v) = (VecCoordId::POSITION, VecDerivId::VELOCITY);
        visitor.compute_force(f, x, v);
        visitor.visit.rec.sweep("right_hand_side");
        for object in visitor.group_objects() {
            for s in &object.states {
                let at = visitor.at(*s);
                if *s == object.root {
                    visitor.visit.v_copy(at, b, f);
                } else {
                    visitor.visit.v_clear(at, b);
                }
            }
        }
        if !first_order {
            visitor.add_mbk_dx(b, v, right); // b = f + (tr h + rS) K v - rM M v
            visitor.each_root("right_hand_side", |visit, at| visit.v_scale(at, b, dt)); // b = h b
        }
        visitor.project_response(b);
        visitor.prepare_corrections(IntegratorSystem { factors: left, of_force, linear });

        let record = linear.record_solve(
            visitor,
            LinearSystem { factors: left, right_hand_side: b, solution: dv, earlier: None },
        );

        visitor.each_root("integrate", |visit, at| visit.euler_update(at, dv, h, first_order));
        visitor.add_separate_gravity(VecDerivId::VELOCITY_NEXT);
        if velocity_damping != 0.0 {
            visitor.each_root("damp", |visit, at| visit.v_scale_by(at, VecDerivId::VELOCITY_NEXT, decay));
        }
        record
    }

    fn prepares_corrections(&self) -> bool {
        true
    }

    fn integration_factors(&self) -> IntegrationFactors {
        // As SOFA's, for the first-order equation and the trapezoidal rule too.
        IntegrationFactors { position: OfTimeStep::new(1.0, 1), velocity: OfTimeStep::new(1.0, 0) }
    }

    /// **Source:** as SOFA's former solver merger: least Rayleigh factors, greatest velocity damping.
    fn merged(&self, others: &[&dyn OdeSolver]) -> Option<Box<dyn OdeSolver>> {
        let mut all = *self;
        for other in others {
            let o = other.as_any().downcast_ref::<Self>()?;
            if (o.first_order, o.trapezoidal) != (all.first_order, all.trapezoidal) {
                return None;
            }
            all.rayleigh_stiffness = all.rayleigh_stiffness.min(o.rayleigh_stiffness);
            all.rayleigh_mass = all.rayleigh_mass.min(o.rayleigh_mass);
            all.velocity_damping = all.velocity_damping.max(o.velocity_damping);
        }
        Some(Box::new(all))
    }

    fn is_equal(&self, other: &dyn OdeSolver) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
