//! The iterations of SOFA's `PreconditionedConjugateResidual`.

use super::problem::ConstraintProblem;
use super::sweep_settings::SweepSettings;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// D^-1/2 for the diagonal D of W; zero for a row that gives way nowhere, where SOFA divides by zero.
fn scale(problem: &ConstraintProblem, row: usize) -> f64 {
    let w = problem.own_diagonal(row);
    if w > 0.0 { 1.0 / w.sqrt() } else { 0.0 }
}

/// to := D^-1/2 W D^-1/2 x.
fn multiply(problem: &ConstraintProblem, x: &[f64], scaled: &mut Vec<f64>, to: &mut Vec<f64>) {
    scaled.clear();
    scaled.extend(x.iter().enumerate().map(|(row, x)| scale(problem, row) * x));
    to.clear();
    to.extend((0..x.len()).map(|row| scale(problem, row) * problem.w.product(row, scaled)));
}

impl SweepSettings {
    /// One iteration of the conjugate residual on D^-1/2 W D^-1/2 y = -D^-1/2 delta; whether it is the last one needed.
    ///
    /// All rows are taken for ones that hold, whatever their constraints ask: contacts may pull, and friction has no bound. The
    /// multipliers are y until [`unscale`] is through with them. There are as many iterations as rows, at most.
    ///
    /// **Source:** as SOFA's PreconditionedConjugateResidual: it begins with no forces. Its error is, in the i-th iteration, the i-th
    /// residual in the place of each row's; the first iteration never is the last one, unless each row is to be verified.
    pub(super) fn conjugate_residual_iteration(&self, problem: &mut ConstraintProblem) -> bool {
        let n = problem.free.len();
        let mut room = std::mem::take(&mut problem.room);
        let [r, p, wp, wr] = &mut room;
        let i = problem.sweeps as usize;
        let mut scaled = std::mem::take(&mut problem.scaled);
        if i == 0 {
            problem.lambda.fill(0.0);
            r.clear();
            r.extend((0..n).map(|row| -problem.free[row] * scale(problem, row)));
            p.clear();
            p.extend_from_slice(r);
            multiply(problem, p, &mut scaled, wp);
            wr.clear();
            wr.extend_from_slice(wp);
        }
        let former = dot(r, wr);
        let alpha = former / dot(wp, wp);
        if !alpha.is_finite() {
            // No residual, or none that anything could lessen.
            (problem.room, problem.scaled) = (room, scaled);
            return true;
        }
        for k in 0..n {
            problem.lambda[k] += alpha * p[k];
            r[k] -= alpha * wp[k];
        }
        multiply(problem, r, &mut scaled, wr);
        let beta = dot(r, wr) / former;
        for k in 0..n {
            p[k] = r[k] + beta * p[k];
            wp[k] = wr[k] + beta * wp[k];
        }
        let (square, tolerance) = (r[i] * r[i], self.tolerance_of(n));
        let sizes = || problem.blocks.iter().map(|b| b.n as f64);
        let is_enough = if self.all_verified {
            sizes().all(|size| size * square < tolerance * tolerance)
        } else {
            i > 0 && sizes().map(|size| (size * square).sqrt()).sum::<f64>() < tolerance
        };
        (problem.room, problem.scaled) = (room, scaled);
        problem.sweeps += 1;
        is_enough || i + 1 >= n
    }
}

/// The multipliers of y.
pub(super) fn unscale(problem: &mut ConstraintProblem) {
    for row in 0..problem.lambda.len() {
        problem.lambda[row] *= scale(problem, row);
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::Assembly;
    use super::*;
    use sim_core::component::lagrangian_constraint::{ConstraintBlock, Resolution};

    /// Rows that hold, all coupled, of sizes that differ by far: what the multipliers leave is nothing.
    #[test]
    fn as_many_iterations_as_rows_solve_the_problem() {
        const N: usize = 6;
        let a = |i: usize, j: usize| ((i * 5 + j * 3) % 7) as f64 / 7.0 - 0.4;
        let size = |i: usize| if i.is_multiple_of(2) { 1.0 } else { 30.0 };
        let entry = |i: usize, j: usize| {
            let product: f64 = (0..N).map(|k| a(k, i) * a(k, j)).sum();
            size(i) * size(j) * (product + if i == j { 0.5 } else { 0.0 })
        };
        let hold = Resolution::Bilateral { load: 1.0 };
        let block = |n_rows: u32| ConstraintBlock { n_rows, resolution: hold, id: None };
        let mut p = ConstraintProblem::default();
        p.begin();
        p.take_constraint(&[block(3), block(1), block(2)], &[0.3, -0.2, 0.5, 0.1, -0.4, 0.7], &[1.0; N]);
        let rows: Vec<[u32; 2]> = (0..N as u32).map(|k| [0, k]).collect();
        let w: Vec<f64> = (0..N * N).map(|k| entry(k / N, k % N)).collect();
        p.take_unit(0, &rows, &w, 1.0, 0.0);
        p.assemble(1, Assembly::default());
        let settings = SweepSettings { tolerance: 0.0, ..SweepSettings::default() };
        let last = (0..100).position(|_| settings.conjugate_residual_iteration(&mut p));
        assert_eq!(last, Some(N - 1));
        unscale(&mut p);
        (0..N).for_each(|row| assert!(p.violation(row).abs() < 1e-9, "row {row}: {}", p.violation(row)));
    }
}
