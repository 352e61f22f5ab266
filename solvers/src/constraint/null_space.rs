//! Which rows of W depend on each other: those of redundant and contradictory constraints.

use std::fmt;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{MatMut, MatRef, Par};

/// What counts as the null space of W, and as a row in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NullSpace {
    /// Singular values below this share of the greatest one belong to it.
    pub value_factor: f64,
    /// A row is in it where the unit vector of such a value has an entry greater than this.
    pub vector_factor: f64,
}

/// A symmetric W and its rows in the null space, with the memory that finding them takes: it grows to its high-water mark.
#[derive(Default)]
pub struct NullRows {
    n: usize,
    /// Column by column.
    w: Vec<f64>,
    vectors: Vec<f64>,
    values: Vec<f64>,
    memory: Option<MemBuffer>,
    /// Bytes of the memory.
    room: usize,
    marked: Vec<bool>,
}

impl fmt::Debug for NullRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NullRows").field("n", &self.n).field("marked", &self.marked).finish_non_exhaustive()
    }
}

impl NullRows {
    /// Begins with a W of zeros, of `n` rows.
    pub fn begin(&mut self, n: usize) {
        self.n = n;
        self.w.clear();
        self.w.resize(n * n, 0.0);
    }

    /// Adds to an entry of W.
    pub fn add(&mut self, row: usize, column: usize, w: f64) {
        self.w[column * self.n + row] += w;
    }

    /// Of each row, whether it is in the null space. None is, if W has numbers that are not finite.
    ///
    /// **Source:** as SOFA's `useSVDForRegularization`; the singular values of a symmetric matrix are the sizes of its eigenvalues.
    ///
    /// # Cost
    /// Of the order of the cube of the number of rows, and memory for three such matrices.
    pub fn find(&mut self, criteria: NullSpace) -> &[bool] {
        let n = self.n;
        self.marked.clear();
        self.marked.resize(n, false);
        if n > 0 && self.w.iter().all(|x| x.is_finite()) && self.find_eigenvectors() {
            let greatest = self.values.iter().fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
            let is_null = |value: f64| value.abs() < greatest * criteria.value_factor;
            for (vector, _) in self.vectors.chunks_exact(n).zip(&self.values).filter(|(_, v)| is_null(**v)) {
                for (marked, entry) in self.marked.iter_mut().zip(vector) {
                    *marked |= entry.abs() > criteria.vector_factor;
                }
            }
        }
        &self.marked
    }

    /// Whether they were found: they are of finite numbers, unless memory runs out.
    fn find_eigenvectors(&mut self) -> bool {
        let Self { n, w, vectors, values, memory, room, .. } = self;
        let n = *n;
        for row in 0..n {
            // The lower triangle is read.
            (0..row)
                .for_each(|column| w[column * n + row] = 0.5 * (w[column * n + row] + w[row * n + column]));
        }
        let needed =
            self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
        let bytes = needed.unaligned_bytes_required();
        if memory.is_none() || bytes > *room {
            (*memory, *room) = (MemBuffer::try_new(needed).ok(), bytes);
        }
        let Some(memory) = memory else { return false };
        vectors.resize(n * n, 0.0);
        values.resize(n, 0.0);
        let u = MatMut::from_column_major_slice_mut(vectors, n, n);
        let (w, values) = (MatRef::from_column_major_slice(w, n, n), DiagMut::from_slice_mut(values));
        self_adjoint_evd(w, values, Some(u), Par::Seq, MemStack::new(memory), Default::default()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    #[test]
    fn rows_that_are_there_twice_are_in_the_null_space_and_others_are_not() {
        // Rows 0 and 2 are the same, row 1 stands alone, row 3 gives way with row 1 and not too little.
        let j = DMatrix::from_row_slice(4, 3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 1.0]);
        let w = &j * j.transpose();
        let criteria = NullSpace { value_factor: 0.01, vector_factor: 0.001 };
        let mut found = NullRows::default();
        let mut rows = |w: &DMatrix<f64>| {
            found.begin(w.nrows());
            (0..w.nrows()).for_each(|i| (0..w.nrows()).for_each(|j| found.add(i, j, w[(i, j)])));
            found.find(criteria).to_vec()
        };
        assert_eq!(rows(&DMatrix::identity(2, 2)), [false, false]);
        assert_eq!(rows(&w), [true, false, true, false]);
        assert!(rows(&DMatrix::zeros(0, 0)).is_empty());
        assert_eq!(rows(&w), [true, false, true, false]);
        assert_eq!(rows(&(&w * f64::NAN)), [false; 4]);
    }
}
