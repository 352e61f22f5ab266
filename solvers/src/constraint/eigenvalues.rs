//! Eigenvalues of symmetric matrices.

use std::fmt;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{MatMut, MatRef, Par};

/// A symmetric matrix, with the memory that finding its eigenvalues takes: it grows to its high-water mark.
#[derive(Default)]
pub struct SymmetricMatrix {
    n: usize,
    /// Column by column.
    entries: Vec<f64>,
    vectors: Vec<f64>,
    values: Vec<f64>,
    memory: Option<MemBuffer>,
    /// Bytes of the memory.
    room: usize,
}

impl fmt::Debug for SymmetricMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SymmetricMatrix").field("n", &self.n).finish_non_exhaustive()
    }
}

impl SymmetricMatrix {
    /// Begins with zeros, of `n` rows.
    pub fn begin(&mut self, n: usize) {
        self.n = n;
        self.entries.clear();
        self.entries.resize(n * n, 0.0);
    }

    /// Adds to an entry.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[column * self.n + row] += value;
    }

    /// Its eigenvalues; none, if it has numbers that are not finite or memory runs out.
    ///
    /// # Cost
    /// Of the order of the cube of the number of rows.
    pub fn eigenvalues(&mut self) -> Option<&[f64]> {
        self.decompose(ComputeEigenvectors::No).then_some(&self.values[..])
    }

    /// Its eigenvalues and unit eigenvectors, one after the other; none, as of [`Self::eigenvalues`].
    ///
    /// # Cost
    /// Of the order of the cube of the number of rows, and memory for three such matrices.
    pub fn eigenvectors(&mut self) -> Option<(&[f64], &[f64])> {
        self.decompose(ComputeEigenvectors::Yes).then_some((&self.values[..], &self.vectors[..]))
    }

    fn decompose(&mut self, vectors: ComputeEigenvectors) -> bool {
        let n = self.n;
        if n == 0 || self.entries.iter().any(|x| !x.is_finite()) {
            return false;
        }
        let Self { entries, vectors: u, values, memory, room, .. } = self;
        for row in 0..n {
            // The lower triangle is read.
            for column in 0..row {
                let mean = 0.5 * (entries[column * n + row] + entries[row * n + column]);
                entries[column * n + row] = mean;
                entries[row * n + column] = mean;
            }
        }
        let needed = self_adjoint_evd_scratch::<f64>(n, vectors, Par::Seq, Default::default());
        let bytes = needed.unaligned_bytes_required();
        if memory.is_none() || bytes > *room {
            (*memory, *room) = (MemBuffer::try_new(needed).ok(), bytes);
        }
        let Some(memory) = memory else { return false };
        values.resize(n, 0.0);
        let u = match vectors {
            ComputeEigenvectors::Yes => {
                u.resize(n * n, 0.0);
                Some(MatMut::from_column_major_slice_mut(u, n, n))
            }
            ComputeEigenvectors::No => None,
        };
        let matrix = MatRef::from_column_major_slice(entries, n, n);
        let values = DiagMut::from_slice_mut(values);
        self_adjoint_evd(matrix, values, u, Par::Seq, MemStack::new(memory), Default::default()).is_ok()
    }
}
