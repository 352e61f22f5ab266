//! L U with pivots of a symmetric matrix that elimination without pivots cannot take.

use super::lu::{LuFactors, LuPattern};
use super::scalar_matrix::ScalarMatrix;
use super::singular::Singular;

/// Such factors, of a matrix of which what is on and below the diagonal was given.
pub struct Pivoted {
    whole: ScalarMatrix,
    pattern: LuPattern,
    factors: LuFactors,
    /// Whether they are of the present numbers.
    is_present: bool,
}

impl Pivoted {
    /// Room for those of a matrix, which has no factors yet.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn of(lower: &ScalarMatrix) -> Result<Self, Singular> {
        log::warn!(
            "a matrix of {} rows has no factors without pivots; those with pivots take longer",
            lower.n
        );
        let whole = lower.mirrored();
        let pattern = LuPattern::of(&whole)?;
        Ok(Self { whole, pattern, factors: LuFactors::default(), is_present: false })
    }

    /// Whether they are of the present numbers of the matrix.
    pub fn is_present(&self) -> bool {
        self.is_present
    }

    /// The matrix has got other numbers.
    pub fn outdate(&mut self) {
        self.is_present = false;
    }

    /// Factorises the present numbers.
    ///
    /// # Errors
    /// If the matrix is singular.
    pub fn factorize(&mut self, lower: &ScalarMatrix) -> Result<(), Singular> {
        self.whole.mirror_values(lower);
        self.pattern.factorize(&mut self.factors, &self.whole)?;
        self.is_present = true;
        Ok(())
    }

    /// Puts the solution in the place of a right-hand side.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.pattern.solve(&self.factors, b);
    }
}
