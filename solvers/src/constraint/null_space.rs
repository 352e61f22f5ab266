//! Which rows of W depend on each other: those of redundant and contradictory constraints.

use nalgebra::DMatrix;

/// What counts as the null space of W, and as a row in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NullSpace {
    /// Singular values below this share of the greatest one belong to it.
    pub value_factor: f64,
    /// A row is in it where the unit vector of such a value has an entry greater than this.
    pub vector_factor: f64,
}

impl NullSpace {
    /// Of each row of a symmetric W, whether it is in the null space.
    ///
    /// **Source:** as SOFA's `useSVDForRegularization`; the singular values of a symmetric matrix are the sizes of its eigenvalues.
    ///
    /// # Cost
    /// Of the order of the cube of the number of rows, and memory for three such matrices, in each step.
    pub fn rows(self, w: &DMatrix<f64>) -> Vec<bool> {
        let n = w.nrows();
        if n == 0 || !w.iter().all(|x| x.is_finite()) {
            return vec![false; n];
        }
        let eigen = ((w + w.transpose()) * 0.5).symmetric_eigen();
        let greatest = eigen.eigenvalues.iter().fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
        let is_null = |value: &f64| value.abs() < greatest * self.value_factor;
        let null: Vec<usize> = (0..n).filter(|k| is_null(&eigen.eigenvalues[*k])).collect();
        let is_in =
            |row: usize| null.iter().any(|k| eigen.eigenvectors[(row, *k)].abs() > self.vector_factor);
        (0..n).map(is_in).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_there_twice_are_in_the_null_space_and_others_are_not() {
        // Rows 0 and 2 are the same, row 1 stands alone, row 3 gives way with row 1 and not too little.
        let j = DMatrix::from_row_slice(4, 3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 1.0]);
        let w = &j * j.transpose();
        let criteria = NullSpace { value_factor: 0.01, vector_factor: 0.001 };
        assert_eq!(criteria.rows(&w), [true, false, true, false]);
        assert_eq!(criteria.rows(&DMatrix::identity(2, 2)), [false, false]);
        assert!(criteria.rows(&DMatrix::zeros(0, 0)).is_empty());
    }
}
