//! SOFA's `CGLinearSolver`: a conjugate gradient whose loop runs inside the task graph. The file is long since an iteration is recorded
//! as sweeps and scalars in a loop of the graph, and for a product by a matrix or without.

use std::any::Any;

use engine::data::{gather, set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::convergence::LinearRecord;
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, SolveRecord};
use sim_core::component::value::Value;
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::vectors::VecDerivId;

use super::assembled::Assembled;

/// How the product with the matrix is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixForm {
    /// By the components' `add_m_dx` and `add_d_force`.
    MatrixFree,
    /// By a matrix of 3 by 3 blocks for each state, assembled once per step; mappings, and components that join objects, stay
    /// matrix-free beside it.
    Assembled,
}

/// The conjugate gradient, with SOFA's stopping rules.
///
/// It ends at `iterations`, when the ratio of residual norms falls to `tolerance`, or when |p.Ap| falls to the absolute
/// `threshold`; both tests are skipped in the first iteration of the first solution of the first step, as in SOFA. Every
/// worker of the group computes the scalars from the same bits, so conditions are never communicated.
///
/// With r = b − A x and p = r at first: a = (r·r)/(p·A p), x += a p, s = r − a A p, p = s + (s·s)/(r·r) p, and r = s.
///
/// **Source:** as SOFA's CGLinearSolver; Hermann, Raffin, Faure 2009 for the loop inside the graph. Where b is zero so is x; with
/// `warmStart` SOFA's keeps the former solution then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CGLinearSolver {
    /// Greatest number of iterations.
    pub iterations: u32,
    /// Ratio |r|/|b| at which it ends.
    pub tolerance: f64,
    /// Value of |p.Ap| at which it ends.
    pub threshold: f64,
    /// Whether it starts from the solution of the previous step.
    pub warm_start: bool,
    /// How the product with the matrix is computed.
    pub form: MatrixForm,
    /// Whether an assembled matrix has the blocks of joint components on mapped states in the right places only, which SOFA's
    /// has not: see [`MechanicalVisitor::add_misplaced_blocks`].
    pub exact_projection: bool,
}

/// Conjugate gradient as a dynamic loop inside the task graph.
#[derive(Attributes)]
#[attributes(
    ignored("graph", summary = "output of SOFA's; see the report"),
    ignored("linearSystem", summary = "the solver makes its own, by its template"),
    ignored("parallelInverseProduct", summary = "of constraint corrections")
)]
struct Settings {
    /// greatest number of iterations
    #[attribute(default = "25", non_negative)]
    iterations: i64,
    /// ratio of residual norms at which it ends
    #[attribute(default = "1e-5")]
    tolerance: f64,
    /// absolute value of p.Ap at which it ends
    #[attribute(default = "1e-5")]
    threshold: f64,
    /// start from the solution of the previous step
    warm_start: bool,
    /// of our own: an assembled matrix without the blocks that SOFA's has in wrong places, where joints act on mapped states
    exact_projection: bool,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::LinearSolver, "CGLinearSolver", build)
        .old_names(&["CGSolver", "ConjugateGradient", "ParallelCGLinearSolver"])
        .templates(&[
            "GraphScattered",
            "CompressedRowSparseMatrixMat3x3d",
            "CompressedRowSparseMatrixMat3x3",
            "CompressedRowSparseMatrixMat2x2",
            "CompressedRowSparseMatrixMat4x4",
            "CompressedRowSparseMatrixMat6x6",
            "CompressedRowSparseMatrixMat8x8",
            "CompressedRowSparseMatrixd",
            "CompressedRowSparseMatrix",
            "FullMatrix",
            "SparseMatrix",
        ])
        .samples(&[
            Sample::new("iterations='500' tolerance='1e-14' threshold='1e-30'"),
            Sample::new(
                "iterations='500' tolerance='1e-14' threshold='1e-30' template='CompressedRowSparseMatrixMat3x3'",
            ),
            Sample::new(
                "iterations='500' tolerance='1e-14' threshold='1e-30' template='CompressedRowSparseMatrixMat3x3' exactProjection='1'",
            ),
            Sample::new("iterations='500' tolerance='1e-14' threshold='1e-30' warmStart='1'"),
        ]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let iterations = u32::try_from(s.iterations).unwrap_or(u32::MAX).min(u32::MAX - 1);
    let mut positive = |name: &str, value: f64| {
        if value < 0.0 {
            b.replace(
                name,
                Value::Real(1e-5),
                format!("`{name}` is {value}, negative; 1e-5 is used instead"),
            );
            return 1e-5;
        }
        value
    };
    let tolerance = positive("tolerance", s.tolerance);
    let threshold = positive("threshold", s.threshold);
    let form = match b.attributes.template.as_deref() {
        None | Some("GraphScattered") => MatrixForm::MatrixFree,
        Some(_) => MatrixForm::Assembled,
    };
    let Settings { warm_start, exact_projection, .. } = s;
    let solver = CGLinearSolver { iterations, tolerance, threshold, warm_start, form, exact_projection };
    b.scene.add_linear_solver(b.component, Box::new(solver));
    Ok(())
}

impl LinearSolver for CGLinearSolver {
    fn class(&self) -> &'static str {
        "CGLinearSolver"
    }

    fn begins_with_former_solution(&self) -> bool {
        self.warm_start
    }

    fn record_solve(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, system: LinearSystem) -> SolveRecord {
        let tag = visitor.group.tag;
        let step = visitor.visit.parameters.step;
        let (x, b) = (system.solution, system.right_hand_side);
        let (r, p, q) = (VecDerivId::temporary(0), VecDerivId::temporary(1), VecDerivId::temporary(2));
        let Self { iterations, tolerance, threshold, warm_start, form, exact_projection } = *self;
        let matrix = (form == MatrixForm::Assembled)
            .then(|| Assembled::record(visitor, system.factors, !exact_projection));

        if warm_start {
            // The previous solution is asked for first, so that both become a pair of state buffers.
            if x == VecDerivId::SOLUTION {
                visitor.each_root("cg_begin", |visit, at| visit.v_copy_previous_solution(at, x));
            }
            product(visitor, &matrix, system, q, x);
            visitor.each_root("cg_begin", |visit, at| visit.v_difference(at, r, b, q)); // r = b - A x
        } else {
            visitor.each_root("cg_begin", |visit, at| {
                visit.v_clear(at, x);
                visit.v_copy(at, r, b);
            });
        }
        let norm_b = visitor.v_dot("cg_bb", b, b);
        // Without a warm start r is b.
        let first_rr = if warm_start { visitor.v_dot("cg_rr", r, r) } else { norm_b };

        let rec = &mut *visitor.visit.rec;
        let norm = rec.scalar_value::<f64>();
        let limit = rec.scalar_value::<u32>();
        let count = rec.scalar_value::<u32>();
        let failed = rec.scalar_value::<bool>();
        let [residual, rho, rho_previous, beta, alpha] = std::array::from_fn(|_| rec.scalar_value::<f64>());
        let (first, converged, broken_down) =
            (rec.scalar_value::<bool>(), rec.scalar_value::<bool>(), rec.scalar_value::<bool>());
        // SOFA exempts the first iteration of a solver's first solution of all from its tests.
        let exempt = rec.scalar_value::<bool>();
        rec.sweep("cg_norm");
        rec.scalar(
            "cg_norm",
            tag,
            (gather(norm_b), gather(first_rr), set(norm), set(limit), set(count), set(failed), set(residual)),
            move |(bb, rr, norm, limit, count, failed, residual)| {
                *norm = bb.sqrt();
                *failed = !bb.is_finite();
                *limit = if *norm > 0.0 && bb.is_finite() { iterations } else { 0 };
                (*count, *residual) = (0, if *norm == 0.0 { 0.0 } else { rr });
            },
        );
        if warm_start {
            let is_zero = rec.scalar_value::<bool>();
            rec.scalar("cg_begin", tag, (val(norm), set(is_zero)), |(norm, is_zero)| *is_zero = norm == 0.0);
            rec.begin_if(is_zero);
            visitor.each_root("cg_begin", |visit, at| visit.v_clear(at, x));
            visitor.visit.rec.end_if();
        }
        let rec = &mut *visitor.visit.rec;
        match system.earlier {
            None => {
                rec.scalar("cg_exempt", tag, (val(step), set(exempt)), |(step, exempt)| *exempt = step == 0)
            }
            Some(earlier) => rec.scalar(
                "cg_exempt",
                tag,
                (val(step), val(earlier), set(exempt)),
                |(step, earlier, exempt)| *exempt = step == 0 && earlier == 0,
            ),
        }
        rec.begin_loop(limit);
        rec.sweep("cg_beta");
        rec.scalar(
            "cg_beta",
            tag,
            (
                val(residual),
                val(norm),
                val(rho_previous),
                val(exempt),
                set(rho),
                set(beta),
                set(count),
                set(first),
                set(converged),
                set(failed),
            ),
            move |(rr, norm, previous, exempt, rho, beta, count, first, converged, failed)| {
                *rho = rr;
                *count += 1;
                *first = *count == 1;
                *beta = if *first { 0.0 } else { rr / previous };
                *converged = rr.sqrt() / norm <= tolerance && !(*first && exempt);
                if !rr.is_finite() {
                    *failed = true;
                    *converged = true;
                }
                if *converged {
                    *count -= 1;
                }
            },
        );
        rec.break_if(converged);
        visitor.each_root("cg_direction", |visit, at| visit.v_direction(at, p, r, beta, first));
        product(visitor, &matrix, system, q, p);
        let pq = visitor.v_dot("cg_pq", p, q);
        let rec = &mut *visitor.visit.rec;
        rec.sweep("cg_alpha");
        rec.scalar(
            "cg_alpha",
            tag,
            (
                gather(pq),
                val(rho),
                val(first),
                val(exempt),
                set(alpha),
                set(rho_previous),
                set(broken_down),
                set(failed),
            ),
            move |(d, rho, first, exempt, alpha, previous, stop, failed)| {
                *stop = d == 0.0 || (d.abs() <= threshold && !(first && exempt));
                if !d.is_finite() {
                    *failed = true;
                    *stop = true;
                }
                *alpha = rho / d;
                *previous = rho;
            },
        );
        rec.break_if(broken_down);
        let rr = visitor.visit.rec.dot("cg_rr");
        visitor.each_root("cg_advance", |visit, at| visit.v_advance(at, [x, r], [p, q], alpha, Some(rr)));
        let rec = &mut *visitor.visit.rec;
        rec.sweep("cg_residual");
        rec.scalar("cg_residual", tag, (gather(rr), set(residual)), |(rr, residual)| *residual = rr);
        rec.end_loop();
        let ended = LinearRecord {
            limit: iterations,
            iterations: count,
            residual,
            reference: norm,
            ratio: |rr, norm| rr.sqrt() / norm,
            tolerance,
            // What the last iteration has made of the residual is not tested any more.
            ended: None,
        };
        SolveRecord {
            iterations: Some(count),
            failed: Some(failed),
            linear: Some(ended),
            ..SolveRecord::default()
        }
    }

    fn assembles(&self) -> bool {
        self.form == MatrixForm::Assembled
    }

    fn depends_on_joints(&self) -> bool {
        self.form == MatrixForm::Assembled && !self.exact_projection
    }

    /// **Source:** as SOFA's former solver merger: least tolerance and threshold, greatest number of iterations.
    fn merged(&self, others: &[&dyn LinearSolver]) -> Option<Box<dyn LinearSolver>> {
        let mut all = *self;
        for other in others {
            let o = other.as_any().downcast_ref::<Self>()?;
            let scheme = |s: &Self| (s.warm_start, s.form, s.exact_projection);
            if scheme(o) != scheme(&all) {
                return None;
            }
            all.tolerance = all.tolerance.min(o.tolerance);
            all.threshold = all.threshold.min(o.threshold);
            all.iterations = all.iterations.max(o.iterations);
        }
        Some(Box::new(all))
    }

    fn is_equal(&self, other: &dyn LinearSolver) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// q := P A p, with P the projection.
pub(super) fn product(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    matrix: &Option<Assembled>,
    system: LinearSystem,
    q: VecDerivId,
    p: VecDerivId,
) {
    visitor.propagate_dx(p);
    match matrix {
        None => visitor.set_mbk_dx(q, p, system.factors),
        Some(matrix) => {
            visitor.visit.rec.sweep("clear_product");
            for object in visitor.group_objects() {
                for s in object.states.iter().filter(|s| !matrix.has(**s)) {
                    let at = visitor.at(*s);
                    visitor.clear_mapped(at, q);
                }
            }
            matrix.record_product(visitor, q, p);
            visitor.add_joint_mbk_dx(q, p, system.factors, matrix.misplaced);
        }
    }
    visitor.project_response(q);
}
