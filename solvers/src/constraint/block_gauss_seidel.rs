//! SOFA's `BlockGaussSeidelConstraintSolver`, and those that share its sweeps.

use engine::data::work_in;
use sim_core::component::constraint_solver::{ConstraintProblemData, ConstraintSolver};
use sim_core::component::solver::SolveRecord;
use sim_core::visitor::visit::Visit;

use super::conjugate_residual::unscale;
use super::improved_jacobi::Jacobi;
use super::problem::{Assembly, ConstraintProblem, record_forces, record_problem, record_sweeps};
use super::sweep_settings::SweepSettings;

impl SweepSettings {
    /// One sweep; whether it is the last one needed.
    fn sweep(&self, problem: &mut ConstraintProblem) -> bool {
        let tolerance = self.tolerance_of(problem.free.len());
        if self.sor != 1.0 {
            let mut before = std::mem::take(&mut problem.room[2]);
            before.clear();
            before.extend_from_slice(&problem.lambda);
            let error = problem.sweep(tolerance);
            for (lambda, before) in problem.lambda.iter_mut().zip(&before) {
                *lambda = self.sor * *lambda + (1.0 - self.sor) * before;
            }
            if problem.changed.is_empty() {
                problem.move_anew();
            }
            problem.room[2] = before;
            problem.error = [error.sum, tolerance];
            return self.is_small(&error, tolerance);
        }
        let error = problem.sweep(tolerance);
        problem.error = [error.sum, tolerance];
        self.is_small(&error, tolerance)
    }

    fn is_small(&self, error: &super::problem::SweepError, tolerance: f64) -> bool {
        if self.all_verified { error.all_verified } else { error.sum < tolerance }
    }

    /// One sweep followed by a step along the conjugate direction; whether it is the last one needed.
    ///
    /// **Source:** as SOFA's NNCGConstraintSolver (Silcowitz-Hansen, Abel, Niebe, Erleben 2010). It ends, too, where a sweep changes forces
    /// by less than the tolerance; the error is not said to be small enough then.
    fn conjugate_sweep(&self, problem: &mut ConstraintProblem) -> bool {
        let tolerance = self.tolerance_of(problem.free.len());
        let mut before = std::mem::take(&mut problem.room[2]);
        before.clear();
        before.extend_from_slice(&problem.lambda);
        let is_first = problem.sweeps == 0;
        let error = problem.sweep(tolerance);
        problem.error = [error.sum, tolerance];
        let n = before.len();
        let mut done = false;
        let mut direction = std::mem::take(&mut problem.room[3]);
        if is_first {
            // The direction, and behind it the gradient.
            direction.clear();
            direction.extend(problem.lambda.iter().zip(&before).map(|(now, before)| now - before));
            direction.extend(problem.lambda.iter().zip(&before).map(|(now, before)| before - now));
        } else if self.is_small(&error, tolerance) {
            done = true;
        } else {
            let (p, g) = direction.split_at_mut(n);
            let (mut new, mut old) = (0.0, 0.0);
            for k in 0..n {
                let next = before[k] - problem.lambda[k];
                new += next * next;
                old += g[k] * g[k];
                g[k] = next;
            }
            let beta = new / old;
            // What is not a number counts as too great.
            if beta <= 1.0 {
                for k in 0..n {
                    problem.lambda[k] += beta * p[k];
                    p[k] = beta * p[k] - g[k];
                }
            } else {
                p.fill(0.0);
            }
            problem.stands_still = new.sqrt() < tolerance;
            done = problem.stands_still;
        }
        (problem.room[2], problem.room[3]) = (before, direction);
        done
    }
}

/// How multipliers are swept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scheme {
    GaussSeidel,
    Unbuilt,
    Conjugate,
    ImprovedJacobi(Jacobi),
    ConjugateResidual,
}

/// Block Gauss-Seidel on the multipliers, block after block in the order of rows.
#[derive(Clone, Copy, Debug)]
pub struct SweepingConstraintSolver {
    pub(super) class: &'static str,
    pub(super) scheme: Scheme,
    pub(super) settings: SweepSettings,
}

impl Default for SweepingConstraintSolver {
    /// The solver that SOFA takes where a scene has none.
    fn default() -> Self {
        let settings = SweepSettings::default();
        Self { class: "BlockGaussSeidelConstraintSolver", scheme: Scheme::GaussSeidel, settings }
    }
}

impl ConstraintSolver for SweepingConstraintSolver {
    fn class(&self) -> &'static str {
        self.class
    }

    fn builds(&self) -> bool {
        self.scheme != Scheme::Unbuilt
    }

    fn record(&self, visit: &mut Visit<'_, '_>, data: &ConstraintProblemData<'_>) -> SolveRecord {
        let (settings, unbuilt) = (self.settings, self.scheme == Scheme::Unbuilt);
        let SweepSettings { regularization, null_space, exact_factors, .. } = settings;
        let assembly = Assembly { regularization, null_space, unbuilt, exact_factors };
        let problem = record_problem(visit, data, assembly);
        let limit = settings.max_iterations;
        let record = match self.scheme {
            Scheme::Conjugate => {
                record_sweeps(visit, data, problem, limit, move |p| settings.conjugate_sweep(p))
            }
            Scheme::ImprovedJacobi(how) => {
                record_sweeps(visit, data, problem, limit, move |p| settings.improved_jacobi_sweep(p, how))
            }
            Scheme::ConjugateResidual => {
                let iterate = move |p: &mut ConstraintProblem| settings.conjugate_residual_iteration(p);
                let record = record_sweeps(visit, data, problem, limit, iterate);
                visit.rec.sweep("constraint_unscale");
                let accesses = (work_in(problem.problem),);
                visit.rec.own("constraint_unscale", data.tag, data.at.object, accesses, |(p,)| unscale(p));
                record
            }
            Scheme::GaussSeidel => record_sweeps(visit, data, problem, limit, move |p| settings.sweep(p)),
            Scheme::Unbuilt => record_sweeps(visit, data, problem, limit, move |p| {
                if p.sweeps == 0 {
                    // As in SOFA, which loses the forces of the step before here.
                    p.lambda.fill(0.0);
                    p.move_anew();
                    if settings.sor != 1.0 && !settings.moves_by_relaxed {
                        p.changed.resize(p.lambda.len(), 0.0);
                    }
                }
                settings.sweep(p)
            }),
        };
        record_forces(visit, data, problem);
        record
    }
}
