//! Which rows of W depend on each other: those of redundant and contradictory constraints.

use super::eigenvalues::SymmetricMatrix;

/// What counts as the null space of W, and as a row in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NullSpace {
    /// Singular values below this share of the greatest one belong to it.
    pub value_factor: f64,
    /// A row is in it where the unit vector of such a value has an entry greater than this.
    pub vector_factor: f64,
}

/// A symmetric W and its rows in the null space.
#[derive(Debug, Default)]
pub struct NullRows {
    n: usize,
    w: SymmetricMatrix,
    marked: Vec<bool>,
}

impl NullRows {
    /// Begins with a W of zeros, of `n` rows.
    pub fn begin(&mut self, n: usize) {
        self.n = n;
        self.w.begin(n);
    }

    /// Adds to an entry of W.
    pub fn add(&mut self, row: usize, column: usize, w: f64) {
        self.w.add(row, column, w);
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
        if let Some((values, vectors)) = self.w.eigenvectors() {
            let greatest = values.iter().fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
            let is_null = |value: f64| value.abs() < greatest * criteria.value_factor;
            for (vector, _) in vectors.chunks_exact(n).zip(values).filter(|(_, v)| is_null(**v)) {
                for (marked, entry) in self.marked.iter_mut().zip(vector) {
                    *marked |= entry.abs() > criteria.vector_factor;
                }
            }
        }
        &self.marked
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
