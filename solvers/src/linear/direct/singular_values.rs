//! Singular values of a dense matrix, with the memory that finding them takes.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, Par};
use nalgebra::DMatrix;

use super::scalar_matrix::ScalarMatrix;
use super::singular::Singular;

/// The number of sweeps at which the slower way ends without an answer.
const MOST_ITERATIONS: usize = 10_000;

/// A = U S V^T.
pub struct SingularValues {
    matrix: Mat<f64>,
    u: Mat<f64>,
    s: Diag<f64>,
    v: Mat<f64>,
    x: Vec<f64>,
    memory: MemBuffer,
}

impl SingularValues {
    /// The memory for a matrix of `n` rows.
    ///
    /// # Errors
    /// If there is none.
    pub fn new(n: usize) -> Result<Self, Singular> {
        let all = ComputeSvdVectors::Full;
        let room = svd_scratch::<f64>(n, n, all, all, Par::Seq, Default::default());
        let memory = MemBuffer::try_new(room).map_err(|_| Singular)?;
        let zeros = || Mat::zeros(n, n);
        Ok(Self { matrix: zeros(), u: zeros(), s: Diag::zeros(n), v: zeros(), x: vec![0.0; n], memory })
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.x.len()
    }

    /// Finds those of a matrix.
    ///
    /// # Errors
    /// If it has numbers that are not finite.
    pub fn find(&mut self, matrix: &ScalarMatrix) -> Result<(), Singular> {
        if matrix.values.iter().any(|v| !v.is_finite()) {
            return Err(Singular);
        }
        let Self { matrix: dense, u, s, v, memory, .. } = self;
        dense.fill(0.0);
        for column in 0..matrix.n {
            matrix.column(column).for_each(|(row, value)| dense[(row, column)] = value);
        }
        let (vectors, stack) = ((Some(u.as_mut()), Some(v.as_mut())), MemStack::new(memory));
        let found =
            svd(dense.as_ref(), s.as_mut(), vectors.0, vectors.1, Par::Seq, stack, Default::default());
        // It may end without an answer for a finite matrix, many of whose singular values are equal.
        if found.is_ok() && self.is_finite() { Ok(()) } else { self.find_slowly() }
    }

    fn is_finite(&self) -> bool {
        let n = self.size();
        let row = |i: usize| (0..n).all(|j| self.u[(i, j)].is_finite() && self.v[(i, j)].is_finite());
        (0..n).all(|i| self.s.column_vector()[i].is_finite() && row(i))
    }

    /// Finds those of the matrix at hand by nalgebra's iteration, which is slower.
    fn find_slowly(&mut self) -> Result<(), Singular> {
        let n = self.size();
        let dense = DMatrix::from_fn(n, n, |i, j| self.matrix[(i, j)]);
        let found = dense.try_svd(true, true, f64::EPSILON, MOST_ITERATIONS).ok_or(Singular)?;
        let (Some(u), Some(v_t)) = (found.u, found.v_t) else { return Err(Singular) };
        for i in 0..n {
            self.s.column_vector_mut()[i] = found.singular_values[i];
            for j in 0..n {
                (self.u[(i, j)], self.v[(i, j)]) = (u[(i, j)], v_t[(j, i)]);
            }
        }
        if self.is_finite() { Ok(()) } else { Err(Singular) }
    }

    /// Puts the solution of least length in the place of a right-hand side; singular values up to `least` are left out. What is held is what
    /// it is on the right: where vectors mix it with the rest, rounding of large numbers would move it.
    pub fn solve(&mut self, least: f64, b: &mut [f64], is_held: impl Fn(usize) -> bool) {
        let Self { u, s, v, x, .. } = self;
        let singular = s.column_vector();
        x.fill(0.0);
        for k in (0..b.len()).filter(|k| singular[*k] > least) {
            let along: f64 = (0..b.len()).map(|i| u[(i, k)] * b[i]).sum();
            x.iter_mut().enumerate().for_each(|(i, x)| *x += v[(i, k)] * (along / singular[k]));
        }
        b.iter_mut().zip(x).enumerate().filter(|(i, _)| !is_held(*i)).for_each(|(_, (b, x))| *b = *x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slower_way_solves_as_the_other_does() {
        let n = 6;
        let mut of = SingularValues::new(n).expect("memory");
        // Of rank 5, with equal singular values.
        for i in 0..n - 1 {
            of.matrix[(i, (i + 2) % (n - 1))] = if i < 3 { 2.0 } else { 0.5 };
        }
        of.matrix[(0, 5)] = 1.0;
        let right = [1.0, -2.0, 0.3, 0.0, 4.0, 0.0];
        let mut slowly = right;
        of.find_slowly().expect("singular values");
        of.solve(1e-9, &mut slowly, |_| false);
        let residual =
            |x: &[f64; 6], i: usize| (0..n).map(|j| of.matrix[(i, j)] * x[j]).sum::<f64>() - right[i];
        assert!((0..n).all(|i| residual(&slowly, i).abs() < 1e-12), "{slowly:?}");
        // The shortest of all solutions: the first row's is shared between two columns as their entries are.
        assert!((slowly[2] - 2.0 * slowly[5]).abs() < 1e-12, "{slowly:?}");
    }
}
