//! The sweeps of SOFA's `ImprovedJacobiConstraintSolver`.

use super::problem::ConstraintProblem;
use super::sweep_settings::SweepSettings;

/// The greatest number of rows whose eigenvalues are found to the last digits.
const EXACT: usize = 400;

/// Products of a larger W at most, before the bound on its eigenvalues is taken as it is.
const PRODUCTS: usize = 300;

/// How many times the error of the first sweep a later one may reach.
const GROWTH: f64 = 1e6;

impl ConstraintProblem {
    /// The share of a violation that a sweep answers: all of it where W is small enough.
    ///
    /// **Source:** as SOFA's, which takes the smaller one of 1 and 1.8 over the square of the greatest eigenvalue's size. SOFA finds all
    /// eigenvalues; here those of more than [`EXACT`] rows are bounded by powers of W, from below where they are close to each other.
    fn share(&mut self) -> f64 {
        let radius = if self.free.len() <= EXACT { self.exact_radius() } else { None };
        let radius = radius.unwrap_or_else(|| self.radius_by_powers());
        if radius > 0.0 { (1.8 / (radius * radius)).min(1.0) } else { 1.0 }
    }

    /// The size of the greatest eigenvalue of W.
    fn exact_radius(&mut self) -> Option<f64> {
        let n = self.free.len();
        self.dense.begin(n);
        for row in 0..n {
            (0..n).for_each(|column| self.dense.add(row, column, self.w.at(row, column)));
        }
        self.dense
            .eigenvalues()
            .map(|values| values.iter().fold(0.0, |most: f64, value| most.max(value.abs())))
    }

    /// Nearly the size of the greatest eigenvalue of W.
    fn radius_by_powers(&mut self) -> f64 {
        let Self { w, free, room: [x, next, ..], .. } = self;
        x.clear();
        // No eigenvector is likely to be orthogonal to this one.
        x.extend((0..free.len()).map(|k| 1.0 + 0.37 * (k % 5) as f64));
        let mut radius = 0.0;
        for _ in 0..PRODUCTS {
            let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size <= 0.0 {
                break;
            }
            x.iter_mut().for_each(|x| *x /= size);
            next.clear();
            next.extend((0..free.len()).map(|row| w.product(row, x)));
            let now = next.iter().map(|x| x * x).sum::<f64>().sqrt();
            let is_found = (now - radius).abs() <= 1e-9 * now;
            radius = now;
            if is_found {
                break;
            }
            std::mem::swap(x, next);
        }
        radius
    }
}

/// What a sweep does besides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jacobi {
    /// Factor of the share of violations that a sweep answers; none: it answers all of them.
    pub spectral: Option<f64>,
    /// The direction of the sweep before counts (sweep / greatest number)^speed; none: not at all.
    pub speed: Option<f64>,
}

impl SweepSettings {
    /// One sweep over all blocks, by the violations that the forces of the sweep before leave; whether it is the last one needed.
    ///
    /// **Source:** as SOFA's ImprovedJacobiConstraintSolver (Francu, Moldoveanu 2015): the first sweep begins with the forces that
    /// constraints keep, and answers the violations without them. The error is the root of the sum of squares of all products of
    /// W and changes in the rows of a block, those of later blocks being still of the sweep before; it is summed over blocks. The
    /// first sweep never is the last one, unless each block is to be verified: then the root of each block is compared with the
    /// tolerance. Unlike SOFA's, forces that have grown beyond all measure, as of joints that contradict each other, are no numbers,
    /// so that the step fails.
    pub(super) fn improved_jacobi_sweep(&self, problem: &mut ConstraintProblem, how: Jacobi) -> bool {
        let n = problem.free.len();
        let mut kept = std::mem::take(&mut problem.room[2]);
        let mut corrected = std::mem::take(&mut problem.room[3]);
        let is_first = problem.sweeps == 0;
        if is_first {
            let share = how.spectral.map_or(1.0, |factor| factor * problem.share());
            // The violations, the changes, the forces of the sweep before, the share and the first error.
            kept.clear();
            kept.extend_from_slice(&problem.free);
            kept.resize(3 * n, 0.0);
            kept.extend([share, f64::INFINITY]);
        }
        let (d, rest) = kept.split_at_mut(n);
        let (change, rest) = rest.split_at_mut(n);
        let (last, numbers) = rest.split_at_mut(n);
        let [share, first_error] = numbers else { return true };
        let done = problem.sweeps as f32 / self.max_iterations as f32;
        let beta = how.speed.map_or(0.0, |speed| f64::from(done).powf(speed).min(1.0));
        for k in 0..problem.blocks.len() {
            let rows = problem.blocks[k].first..problem.blocks[k].first + problem.blocks[k].n;
            problem.w.add_products(k, change, &mut d[rows]);
        }
        let tolerance = self.tolerance_of(n);
        let (mut error, mut all_verified) = (0.0, true);
        for k in 0..problem.blocks.len() {
            let rows = problem.blocks[k].first..problem.blocks[k].first + problem.blocks[k].n;
            corrected.clear();
            corrected.extend(d[rows.clone()].iter().map(|d| *share * d));
            problem.resolve(k, &mut corrected);
            for row in rows {
                problem.lambda[row] += beta * change[row];
                change[row] = problem.lambda[row] - last[row];
                last[row] = problem.lambda[row];
            }
            let square = problem.w.squares_of_products(k, change);
            all_verified &= square < tolerance * tolerance;
            error += square.sqrt();
        }
        if is_first {
            *first_error = error;
        } else if error > GROWTH * *first_error {
            problem.lambda.fill(f64::NAN);
        }
        problem.sweeps += 1;
        problem.error = [error, tolerance];
        (problem.room[2], problem.room[3]) = (kept, corrected);
        if self.all_verified { all_verified } else { !is_first && error < tolerance }
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::Assembly;
    use super::*;
    use sim_core::component::lagrangian_constraint::{ConstraintBlock, Resolution};

    /// Rows that hold and rows that push, all coupled: what the forces leave is what the rows ask.
    #[test]
    fn sweeps_end_where_the_rows_are_fulfilled() {
        const N: usize = 7;
        // A^T A, and a diagonal that keeps it apart from singular ones.
        let a = |i: usize, j: usize| ((i * 5 + j * 3) % 7) as f64 / 7.0 - 0.4;
        let entry = |i: usize, j: usize| {
            let product: f64 = (0..N).map(|k| a(k, i) * a(k, j)).sum();
            product + if i == j { 0.5 } else { 0.0 }
        };
        let block = |n_rows: u32, resolution: Resolution| ConstraintBlock { n_rows, resolution, id: None };
        let hold = Resolution::Bilateral { load: 1.0 };
        let blocks = [block(1, hold), block(3, hold), block(1, hold)];
        let pushes = [block(1, Resolution::Unilateral), block(1, Resolution::Unilateral)];
        for scale in [0.1, 1.0, 30.0] {
            let mut p = ConstraintProblem::default();
            p.begin();
            p.take_constraint(&blocks, &[0.3, -0.2, 0.5, 0.1, -0.4], &[1.0; 5]);
            p.take_constraint(&pushes, &[-0.6, 9.0], &[]);
            let rows: Vec<[u32; 2]> = (0..5).map(|k| [0, k]).chain((0..2).map(|k| [1, k])).collect();
            let w: Vec<f64> = (0..N * N).map(|k| scale * entry(k / N, k % N)).collect();
            p.take_unit(0, &rows, &w, 1.0, 0.0);
            p.assemble(1, Assembly::default());
            let how = Jacobi { spectral: Some(1.0), speed: Some(0.6) };
            let settings =
                SweepSettings { max_iterations: 100_000, tolerance: 1e-13, ..SweepSettings::default() };
            let swept = (0..100_000).position(|_| settings.improved_jacobi_sweep(&mut p, how));
            assert!(swept.is_some_and(|k| k > 1), "it ends: {swept:?} at {scale}");
            for row in 0..5 {
                assert!(p.violation(row).abs() < 1e-9, "row {row} at {scale}: {}", p.violation(row));
            }
            assert!(p.lambda[5] > 0.0 && p.violation(5).abs() < 1e-9, "pushed: {}", p.violation(5));
            assert!(p.lambda[6] == 0.0 && p.violation(6) > 0.0, "left alone: {}", p.violation(6));
        }
    }

    /// Two rows that feel nothing of each other; the second one has much more to do.
    #[test]
    fn each_row_is_verified_by_itself_if_asked() {
        let sweeps = |tolerance: f64, all_verified: bool| {
            let hold = Resolution::Bilateral { load: 0.5 };
            let block = ConstraintBlock { n_rows: 2, resolution: hold, id: None };
            let mut p = ConstraintProblem::default();
            p.begin();
            p.take_constraint(&[block, block], &[0.0, 0.0, 1.0, 0.0], &[]);
            let rows: Vec<[u32; 2]> = (0..4).map(|k| [0, k]).collect();
            let w: Vec<f64> = (0..16).map(|k| if k % 5 == 0 { 1.0 } else { 0.0 }).collect();
            p.take_unit(0, &rows, &w, 1.0, 0.0);
            p.assemble(1, Assembly::default());
            let settings = SweepSettings { tolerance, all_verified, ..SweepSettings::default() };
            (0..100).position(|_| settings.improved_jacobi_sweep(&mut p, Jacobi::default()))
        };
        // Sweeps move by 1/2, 1/4, 1/8: the tolerance of the sum is four times that of a block.
        assert_eq!([0.2, 0.6].map(|t| sweeps(t, false)), [Some(1), Some(1)]);
        assert_eq!([0.2, 0.6].map(|t| sweeps(t, true)), [Some(2), Some(0)]);
    }

    /// The second W has eigenvalues so close to each other that powers hardly change long before they are found.
    #[test]
    fn the_share_is_by_the_greatest_eigenvalue() {
        let close = [2.0, 2.0 - 2e-5, 1.0];
        let turn = |row: usize, k: usize| if row == k { 1.0 / 3.0 } else { -2.0 / 3.0 };
        let turned = |row, column| (0..3).map(|k| turn(row, k) * close[k] * turn(column, k)).sum();
        let plain = vec![3.0, -1.0, -1.0, 3.0];
        let turned: Vec<f64> = (0..9).map(|k| turned(k / 3, k % 3)).collect();
        for (n, w, radius) in [(2, plain, 4.0), (3, turned, 2.0)] {
            let hold = Resolution::Bilateral { load: 1.0 };
            let block = ConstraintBlock { n_rows: 1, resolution: hold, id: None };
            let mut p = ConstraintProblem::default();
            p.begin();
            p.take_constraint(&[block, block, block][..n], &[0.0; 3][..n], &[]);
            let rows: Vec<[u32; 2]> = (0..n as u32).map(|k| [0, k]).collect();
            p.take_unit(0, &rows, &w, 1.0, 0.0);
            p.assemble(1, Assembly::default());
            let (share, wanted) = (p.share(), 1.8 / (radius * radius));
            assert!((share - wanted).abs() < 1e-14, "{share} {wanted}");
            assert!((1.8 / p.radius_by_powers().powi(2) - wanted).abs() < 1e-4);
        }
    }
}
