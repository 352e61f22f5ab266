//! SOFA's `VariationalSymplecticSolver`: a variational mid-point rule in positions and momenta. The file is long for its implicit and its
//! explicit form, which are two solvers.

use std::any::Any;

use engine::data::{gather, set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::convergence::NewtonRecord;
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, OdeSolver, SolveRecord};
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use sim_core::visitor::vectors::{VecCoordId, VecDerivId};

use super::implicit::ImplicitAttributes;

/// The variational mid-point rule of Kharevych et al., which keeps momenta p; in an object's first step p = M v.
///
/// Implicit: with the mid-point X = x at first and d = 0, at most `steps` times ((4/h^2 + 4 rM/h) M - (1 + 4 rK/h) K) d =
/// f(X, v) + (2/h) p - K d, X = x + d, until |X - X before| / |x| is at most `newton_error`. Then v' = (2/h) d, x' = x + h v',
/// p' = (h/2) f(X, v') + M v'. Explicit: v' = h (M^-1 (f + p/h) - rM v), p' = M v', x' = x + h v'.
///
/// **Source:** as SOFA's VariationalSymplecticSolver; Kharevych et al. 2006.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VariationalSymplecticSolver {
    /// Change of the mid-point, relative to the positions, at which it ends.
    pub newton_error: f64,
    /// Greatest number of linear systems a step.
    pub steps: u32,
    /// Rayleigh stiffness rK [s].
    pub rayleigh_stiffness: f64,
    /// Rayleigh mass rM [1/s].
    pub rayleigh_mass: f64,
    /// Uses the explicit scheme.
    pub is_explicit: bool,
}

/// Variational mid-point rule, which keeps momenta.
#[derive(Attributes)]
#[attributes(
    ignored("verbose", summary = "of no effect in SOFA"),
    ignored(
        "computeHamiltonian",
        "useIncrementalPotentialEnergy",
        "saveEnergyInFile",
        "file",
        "hamiltonianEnergy",
        summary = "an energy that SOFA computes and writes beside the motion"
    ),
    ignored("threadSafeVisitor")
)]
struct Settings {
    /// change of the mid-point, relative to the positions, at which it ends
    #[attribute(default = "0.01", non_negative)]
    newton_error: f64,
    /// greatest number of linear systems a step
    #[attribute(default = "5", non_negative)]
    steps: i64,
    #[attribute(flatten)]
    implicit: ImplicitAttributes,
    /// explicit scheme; masses must be diagonal then
    explicit_integration: bool,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::OdeSolver, "VariationalSymplecticSolver", |b| {
        let s = Settings::read(b)?;
        let solver = VariationalSymplecticSolver {
            newton_error: s.newton_error,
            steps: u32::try_from(s.steps).unwrap_or(u32::MAX).max(1),
            rayleigh_stiffness: s.implicit.rayleigh_stiffness,
            rayleigh_mass: s.implicit.rayleigh_mass,
            is_explicit: s.explicit_integration,
        };
        b.scene.add_ode_solver(b.component, Box::new(solver));
        Ok(())
    })
    .old_names(&["VariationalSymplecticImplicitSolver"])
    .samples(&[
        Sample::new("newtonError='1e-10' steps='3' rayleighStiffness='0.02' rayleighMass='0.1'"),
        Sample::new("explicitIntegration='1' rayleighMass='0.1'"),
    ]);

const MIDDLE: VecCoordId = VecCoordId::temporary(2);
const BEFORE: VecCoordId = VecCoordId::temporary(3);
const MOMENTUM: VecDerivId = VecDerivId::temporary(9);
const PRODUCT: VecDerivId = VecDerivId::temporary(10);
const DISPLACEMENT: VecDerivId = VecDerivId::temporary(11);

impl OdeSolver for VariationalSymplecticSolver {
    fn class(&self) -> &'static str {
        "VariationalSymplecticSolver"
    }

    fn goes_by_momenta(&self) -> bool {
        true
    }

    /// **Source:** as in SOFA, which adds it in other integrators only.
    fn adds_separate_gravity(&self) -> bool {
        false
    }

    fn keeps_history(&self) -> bool {
        true
    }

    fn needs_linear_solver(&self, _masses_are_diagonal: bool) -> bool {
        !self.is_explicit
    }

    fn needs_diagonal_masses(&self) -> bool {
        self.is_explicit
    }

    fn multiplies_by_masses(&self) -> bool {
        // Momenta are of all masses: what is more than is divided by grows from step to step, in SOFA too.
        self.is_explicit
    }

    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        linear: Option<&dyn LinearSolver>,
    ) -> SolveRecord {
        let tag = visitor.group.tag;
        let rec = &mut *visitor.visit.rec;
        let mass = MbkFactors { m: rec.scalar_value(), b: rec.scalar_value(), k: rec.scalar_value() };
        rec.sweep("factors");
        rec.scalar("factors", tag, (set(mass.m), set(mass.b), set(mass.k)), |(m, b, k)| {
            (*m, *b, *k) = (1.0, 0.0, 0.0);
        });
        times_mass(visitor, VecDerivId::VELOCITY, mass);
        visitor.each_root("history", |visit, at| visit.v_history_or(at, MOMENTUM, PRODUCT));
        match linear {
            Some(linear) if !self.is_explicit => self.record_implicit(visitor, linear, mass),
            _ => self.record_explicit(visitor, mass),
        }
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

/// Records PRODUCT := M a, of what stands on mapped states too; `a` must hold the right values there if it is the velocity.
fn times_mass(visitor: &mut MechanicalVisitor<'_, '_, '_>, a: VecDerivId, mass: MbkFactors) {
    visitor.each_root("momentum", |visit, at| visit.v_clear(at, PRODUCT));
    super::clear_mapped(visitor, PRODUCT);
    if a != VecDerivId::VELOCITY {
        visitor.propagate_dx(a);
    }
    visitor.add_mbk_dx(PRODUCT, a, mass);
}

impl VariationalSymplecticSolver {
    fn record_explicit(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, mass: MbkFactors) -> SolveRecord {
        let tag = visitor.group.tag;
        let (dt, r_m) = (visitor.visit.parameters.dt, self.rayleigh_mass);
        let rec = &mut *visitor.visit.rec;
        let mut real = || rec.scalar_value::<f64>();
        let (h, inverse, damping) = (real(), real(), real());
        rec.sweep("factors");
        rec.scalar("factors", tag, (val(dt), set(h), set(inverse), set(damping)), move |(dt, h, i, d)| {
            (*h, *i, *d) = (dt, 1.0 / dt, -r_m);
        });
        let (f, a) = (VecDerivId::FORCE, VecDerivId::temporary(12));
        let (v, v_next) = (VecDerivId::VELOCITY, VecDerivId::VELOCITY_NEXT);
        visitor.compute_force(f, VecCoordId::POSITION, v);
        visitor.each_root("momentum", |visit, at| {
            visit.v_add_scaled(at, f, MOMENTUM, inverse);
            visit.v_clear(at, a);
        });
        visitor.acc_from_f(a, f, VecCoordId::POSITION);
        visitor.each_root("damp", |visit, at| visit.v_add_scaled(at, a, v, damping));
        visitor.project_response(a);
        visitor.each_root("integrate", |visit, at| {
            visit.v_copy(at, DISPLACEMENT, a);
            visit.v_scale_by(at, DISPLACEMENT, h);
            visit.v_copy(at, v_next, DISPLACEMENT);
        });
        times_mass(visitor, DISPLACEMENT, mass);
        self.record_end(visitor, h);
        SolveRecord::default()
    }

    fn record_implicit(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        linear: &dyn LinearSolver,
        mass: MbkFactors,
    ) -> SolveRecord {
        let tag = visitor.group.tag;
        let dt = visitor.visit.parameters.dt;
        let Self { newton_error, steps, rayleigh_stiffness: r_k, rayleigh_mass: r_m, .. } = *self;
        let rec = &mut *visitor.visit.rec;
        let mut factors =
            || MbkFactors { m: rec.scalar_value(), b: rec.scalar_value(), k: rec.scalar_value() };
        let (left, stiffness) = (factors(), factors());
        let mut real = || rec.scalar_value::<f64>();
        let (h, half, rate) = (real(), real(), real());
        let (limit, count) = (rec.scalar_value::<u32>(), rec.scalar_value::<u32>());
        let (done, failed) = (rec.scalar_value::<bool>(), rec.scalar_value::<bool>());
        rec.sweep("factors");
        rec.scalar(
            "factors",
            tag,
            (
                val(dt),
                set(left.m),
                set(left.b),
                set(left.k),
                set(stiffness.m),
                set(stiffness.b),
                set(stiffness.k),
                set(h),
                set(half),
                set(rate),
            ),
            move |(dt, m, b, k, s_m, s_b, s_k, h, half, rate)| {
                (*m, *b, *k) = (4.0 / (dt * dt) + 4.0 * r_m / dt, 0.0, -(1.0 + 4.0 * r_k / dt));
                (*s_m, *s_b, *s_k) = (0.0, 0.0, -1.0);
                (*h, *half, *rate) = (dt, dt / 2.0, 2.0 / dt);
            },
        );
        rec.scalar("factors", tag, (set(limit), set(count), set(failed)), move |(limit, count, failed)| {
            (*limit, *count, *failed) = (steps, 0, false);
        });
        let (f, b) = (VecDerivId::FORCE, VecDerivId::RIGHT_HAND_SIDE);
        let (x, v) = (VecCoordId::POSITION, VecDerivId::VELOCITY);
        visitor.each_root("begin", |visit, at| {
            visit.x_copy(at, MIDDLE, x);
            visit.v_clear(at, DISPLACEMENT);
        });
        let size = visitor.x_square("size", x, None);
        let size = super::at_once(visitor, "size", size);
        let most = super::begin_most(&mut *visitor.visit.rec, tag);
        visitor.visit.rec.begin_loop(limit);
        visitor.propagate(MIDDLE, v);
        visitor.compute_force(f, MIDDLE, v);
        super::begin_right_hand_side(visitor, b, f);
        visitor.each_root("momentum", |visit, at| visit.v_add_scaled(at, b, MOMENTUM, rate));
        visitor.propagate_dx(DISPLACEMENT);
        visitor.add_mbk_dx(b, DISPLACEMENT, stiffness);
        visitor.project_response(b);
        let system =
            LinearSystem { factors: left, right_hand_side: b, solution: DISPLACEMENT, earlier: Some(count) };
        let solve = linear.record_solve(visitor, system);
        super::record_most(&mut *visitor.visit.rec, tag, solve.iterations, most);
        visitor.each_root("middle", |visit, at| {
            visit.x_copy(at, BEFORE, MIDDLE);
            visit.x_displaced(at, MIDDLE, x, DISPLACEMENT);
        });
        let change = visitor.x_square("change", MIDDLE, Some(BEFORE));
        let rec = &mut *visitor.visit.rec;
        rec.sweep("variational_test");
        let linear_failed = solve.failed.unwrap_or_else(|| rec.scalar_value::<bool>());
        rec.scalar(
            "variational_test",
            tag,
            (gather(change), val(size), val(linear_failed), set(done), set(failed), set(count)),
            move |(change, size, linear_failed, done, failed, count)| {
                *count += 1;
                *failed = linear_failed || !change.is_finite();
                *done = *failed || change.sqrt() / size.sqrt() <= newton_error;
            },
        );
        rec.break_if(done);
        rec.end_loop();
        visitor.each_root("integrate", |visit, at| {
            visit.v_scale_by(at, DISPLACEMENT, rate);
            visit.v_copy(at, VecDerivId::VELOCITY_NEXT, DISPLACEMENT);
            visit.x_moved(at, MIDDLE, x, DISPLACEMENT, half);
        });
        visitor.propagate(MIDDLE, DISPLACEMENT);
        visitor.compute_force(f, MIDDLE, DISPLACEMENT);
        visitor.project_response(f);
        times_mass(visitor, DISPLACEMENT, mass);
        visitor.each_root("momentum", |visit, at| visit.v_add_scaled(at, PRODUCT, f, half));
        self.record_end(visitor, h);
        SolveRecord {
            iterations: Some(count),
            linear_iterations: solve.iterations.and(Some(most)),
            newton: Some(NewtonRecord {
                limit: steps,
                ended: done,
                failed_line_searches: None,
                // SOFA's says nothing.
                warns_of_divergence: false,
                warns_of_line_search: false,
            }),
            linear: solve.linear,
            failed: Some(failed),
            reason: solve.reason,
            ..SolveRecord::default()
        }
    }

    /// The new momentum is in PRODUCT, the new velocity in its place.
    fn record_end(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, h: engine::data::Scalar<f64>) {
        visitor.each_root("integrate", |visit, at| {
            let (x, v) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
            visit.x_moved(at, x, VecCoordId::POSITION, v, h);
            visit.v_copy(at, VecDerivId::HISTORY_NEXT, PRODUCT);
            visit.check_finite(at, x, v);
        });
    }
}
