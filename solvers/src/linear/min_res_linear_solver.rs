//! SOFA's `MinResLinearSolver`: minimal residuals, for symmetric matrices that need not be definite. The file is long since an iteration
//! is recorded as sweeps and scalars in a loop of the graph, with SOFA's rules to end.

use std::any::Any;

use engine::data::{gather, set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::convergence::LinearRecord;
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, SolveRecord};
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::vectors::VecDerivId;

use super::cg_linear_solver::product;

/// The minimal residual method of Paige and Saunders without a preconditioner, with SOFA's stopping rules. It begins with the
/// solution of the step before.
///
/// After each iteration, with A the Frobenius norm of what is known of the matrix, it ends where |r| / (A |x|), or the
/// estimate of |A r| / (A |r|) before the iteration, is at most `tolerance`; where the condition of the matrix, or A eps |x|
/// against the first |r|, leaves nothing to gain; or at `iterations`.
///
/// After i iterations x − x₀ is the combination of r, A r, …, A^(i-1) r that makes |b − A x| least, where r = b − A x₀.
///
/// **Source:** as SOFA's MinResLinearSolver; Paige and Saunders 1975.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinResLinearSolver {
    /// Greatest number of iterations.
    pub iterations: u32,
    /// Relative residual at which it ends.
    pub tolerance: f64,
}

/// Minimal residuals, for symmetric matrices that need not be definite.
#[derive(Attributes)]
#[attributes(
    ignored("graph", summary = "output of SOFA's; see the report"),
    ignored("linearSystem", summary = "the product with the matrix is matrix-free"),
    ignored("parallelInverseProduct", summary = "of constraint corrections"),
    ignored("verbose", summary = "of no effect in SOFA")
)]
struct Settings {
    /// greatest number of iterations
    #[attribute(default = "25", non_negative)]
    iterations: i64,
    /// relative residual at which it ends; negative: it does not end thereby
    #[attribute(default = "1e-5")]
    tolerance: f64,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::LinearSolver, "MinResLinearSolver", build)
        .old_names(&["MINRESSolver"])
        .templates(&["GraphScattered"])
        .samples(&[Sample::new("iterations='500' tolerance='1e-15'")]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let iterations = u32::try_from(s.iterations).unwrap_or(u32::MAX).min(u32::MAX - 1);
    let solver = MinResLinearSolver { iterations, tolerance: s.tolerance };
    b.scene.add_linear_solver(b.component, Box::new(solver));
    Ok(())
}

/// Vectors of Lanczos: the last two before they are normalised, and the present one; then the last directions.
const R1: VecDerivId = VecDerivId::temporary(22);
const R2: VecDerivId = VecDerivId::temporary(23);
const Y: VecDerivId = VecDerivId::temporary(24);
const V: VecDerivId = VecDerivId::temporary(25);
const W: VecDerivId = VecDerivId::temporary(26);
const W1: VecDerivId = VecDerivId::temporary(27);
const W2: VecDerivId = VecDerivId::temporary(28);

impl LinearSolver for MinResLinearSolver {
    fn class(&self) -> &'static str {
        "MinResLinearSolver"
    }

    fn begins_with_former_solution(&self) -> bool {
        true
    }

    fn record_solve(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, system: LinearSystem) -> SolveRecord {
        let tag = visitor.group.tag;
        let (x, b) = (system.solution, system.right_hand_side);
        let Self { iterations, tolerance } = *self;
        if x == VecDerivId::SOLUTION {
            visitor.each_root("minres_begin", |visit, at| visit.v_copy_previous_solution(at, x));
        }
        product(visitor, &None, system, Y, x);
        visitor.each_root("minres_begin", |visit, at| {
            visit.v_difference(at, R2, b, Y); // r = b - A x
            visit.v_clear(at, R1);
            visit.v_clear(at, W);
            visit.v_clear(at, W2);
        });
        let rr = visitor.v_dot("minres_rr", R2, R2);
        let rec = &mut *visitor.visit.rec;
        let mut real = || rec.scalar_value::<f64>();
        let (beta1, beta, old_beta) = (real(), real(), real());
        let (d_bar, epsilon, phi_bar) = (real(), real(), real());
        let (cosine, sine, norm2, gamma_max, gamma_min) = (real(), real(), real(), real(), real());
        let (inverse_beta, minus_ratio, minus_alpha_ratio, alpha) = (real(), real(), real(), real());
        let (minus_epsilon, minus_delta, inverse_gamma, phi, root) = (real(), real(), real(), real(), real());
        let size = real();
        let (limit, count) = (rec.scalar_value::<u32>(), rec.scalar_value::<u32>());
        let (done, failed) = (rec.scalar_value::<bool>(), rec.scalar_value::<bool>());
        rec.sweep("minres_begin");
        rec.scalar(
            "minres_begin",
            tag,
            (gather(rr), set(beta1), set(beta), set(phi_bar), set(limit), set(failed), set(size)),
            move |(rr, beta1, beta, phi_bar, limit, failed, size)| {
                *beta1 = rr.sqrt();
                *size = *beta1;
                (*beta, *phi_bar) = (*beta1, *beta1);
                *failed = !rr.is_finite();
                *limit = if *beta1 > 0.0 && !*failed { iterations } else { 0 };
            },
        );
        rec.scalar(
            "minres_begin",
            tag,
            (
                set(old_beta),
                set(d_bar),
                set(epsilon),
                set(cosine),
                set(sine),
                set(norm2),
                set(gamma_max),
                set(gamma_min),
                set(count),
            ),
            |(old_beta, d_bar, epsilon, cosine, sine, norm2, gamma_max, gamma_min, count)| {
                (*old_beta, *d_bar, *epsilon, *cosine, *sine) = (0.0, 0.0, 0.0, -1.0, 0.0);
                (*norm2, *gamma_max, *gamma_min, *count) = (0.0, 0.0, f64::MAX, 0);
            },
        );
        rec.begin_loop(limit);
        let rec = &mut *visitor.visit.rec;
        rec.sweep("minres_scale");
        rec.scalar(
            "minres_scale",
            tag,
            (val(beta), val(old_beta), val(count), set(inverse_beta), set(minus_ratio)),
            |(beta, old_beta, count, inverse, minus_ratio)| {
                *inverse = 1.0 / beta;
                *minus_ratio = if count == 0 { 0.0 } else { -beta / old_beta };
            },
        );
        visitor.each_root("minres_scale", |visit, at| {
            visit.v_copy(at, V, R2);
            visit.v_scale_by(at, V, inverse_beta);
        });
        product(visitor, &None, system, Y, V);
        visitor.each_root("minres_orthogonal", |visit, at| visit.v_add_scaled(at, Y, R1, minus_ratio));
        let vy = visitor.v_dot("minres_vy", V, Y);
        let rec = &mut *visitor.visit.rec;
        rec.sweep("minres_alpha");
        rec.scalar(
            "minres_alpha",
            tag,
            (gather(vy), val(beta), set(alpha), set(minus_alpha_ratio)),
            |(vy, beta, alpha, minus_ratio)| {
                *alpha = vy;
                *minus_ratio = -vy / beta;
            },
        );
        visitor.each_root("minres_orthogonal", |visit, at| {
            visit.v_add_scaled(at, Y, R2, minus_alpha_ratio);
            visit.v_copy(at, R1, R2);
            visit.v_copy(at, R2, Y);
        });
        let yy = visitor.v_dot("minres_yy", R2, R2);
        let rec = &mut *visitor.visit.rec;
        rec.sweep("minres_rotate");
        rec.scalar(
            "minres_rotate",
            tag,
            (gather(yy), val(alpha), set(beta), set(old_beta), set(norm2), set(failed), set(count)),
            |(yy, alpha, beta, old_beta, norm2, failed, count)| {
                (*old_beta, *beta) = (*beta, yy.sqrt());
                *norm2 += alpha * alpha + *old_beta * *old_beta + *beta * *beta;
                *failed |= !norm2.is_finite();
                *count += 1;
            },
        );
        rec.scalar(
            "minres_rotate",
            tag,
            (
                val(alpha),
                val(beta),
                set(d_bar),
                set(epsilon),
                set(cosine),
                set(sine),
                set(phi_bar),
                set(minus_epsilon),
                set(minus_delta),
                set(inverse_gamma),
                set(phi),
                set(root),
            ),
            |(
                alpha,
                beta,
                d_bar,
                epsilon,
                c,
                s,
                phi_bar,
                minus_epsilon,
                minus_delta,
                inverse_gamma,
                phi,
                root,
            )| {
                *minus_epsilon = -*epsilon;
                *minus_delta = -(*c * *d_bar + *s * alpha);
                let g_bar = *s * *d_bar - *c * alpha;
                *epsilon = *s * beta;
                *d_bar = -*c * beta;
                *root = (g_bar * g_bar + *d_bar * *d_bar).sqrt();
                let gamma = (g_bar * g_bar + beta * beta).sqrt().max(f64::EPSILON);
                (*c, *s, *inverse_gamma) = (g_bar / gamma, beta / gamma, 1.0 / gamma);
                *phi = *c * *phi_bar;
                *phi_bar *= *s;
            },
        );
        rec.scalar(
            "minres_rotate",
            tag,
            (val(inverse_gamma), set(gamma_max), set(gamma_min)),
            |(inverse, max, min)| {
                *max = max.max(1.0 / inverse);
                *min = min.min(1.0 / inverse);
            },
        );
        visitor.each_root("minres_advance", |visit, at| {
            visit.v_copy(at, W1, W2);
            visit.v_copy(at, W2, W);
            visit.v_copy(at, W, V);
            visit.v_add_scaled(at, W, W1, minus_epsilon);
            visit.v_add_scaled(at, W, W2, minus_delta);
            visit.v_scale_by(at, W, inverse_gamma);
            visit.v_add_scaled(at, x, W, phi);
        });
        let xx = visitor.v_dot("minres_xx", x, x);
        let rec = &mut *visitor.visit.rec;
        rec.sweep("minres_test");
        rec.scalar(
            "minres_test",
            tag,
            (
                gather(xx),
                val(norm2),
                val(beta1),
                val(beta),
                val(phi_bar),
                val(root),
                val(gamma_max),
                val(gamma_min),
                set(done),
                set(failed),
                set(size),
            ),
            move |(xx, norm2, beta1, beta, phi_bar, root, gamma_max, gamma_min, done, failed, size)| {
                let (norm, length) = (norm2.sqrt(), xx.sqrt());
                *size = norm * length;
                *failed |= !xx.is_finite();
                // Without a next direction the solution is found: what is left is divided by its size.
                *done = *failed
                    || beta == 0.0
                    || phi_bar / (norm * length) <= tolerance
                    || root / norm <= tolerance
                    || gamma_max / gamma_min >= 0.1 / f64::EPSILON
                    || norm * f64::EPSILON * length >= beta1;
            },
        );
        rec.break_if(done);
        rec.end_loop();
        let ended = LinearRecord {
            limit: iterations,
            iterations: count,
            residual: phi_bar,
            reference: size,
            ratio: |left, size| left / size,
            tolerance,
            ended: Some(done),
        };
        SolveRecord {
            iterations: Some(count),
            failed: Some(failed),
            linear: Some(ended),
            ..SolveRecord::default()
        }
    }

    fn merged(&self, others: &[&dyn LinearSolver]) -> Option<Box<dyn LinearSolver>> {
        others.iter().all(|o| self.is_equal(*o)).then(|| Box::new(*self) as Box<dyn LinearSolver>)
    }

    fn is_equal(&self, other: &dyn LinearSolver) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
