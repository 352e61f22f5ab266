//! Singular values of a dense matrix, with the memory that finding them takes.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, Par};

use super::scalar_matrix::ScalarMatrix;
use super::singular::Singular;

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
        svd(dense.as_ref(), s.as_mut(), vectors.0, vectors.1, Par::Seq, stack, Default::default())
            .map_err(|_| Singular)
    }

    /// Puts the solution of least length in the place of a right-hand side; singular values up to `least` are left out.
    pub fn solve(&mut self, least: f64, b: &mut [f64]) {
        let Self { u, s, v, x, .. } = self;
        let singular = s.column_vector();
        x.fill(0.0);
        for k in (0..b.len()).filter(|k| singular[*k] > least) {
            let along: f64 = (0..b.len()).map(|i| u[(i, k)] * b[i]).sum();
            x.iter_mut().enumerate().for_each(|(i, x)| *x += v[(i, k)] * (along / singular[k]));
        }
        b.copy_from_slice(x);
    }
}
