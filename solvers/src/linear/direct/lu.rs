//! L U with pivots of a sparse matrix, with the memory that it takes.
//!
//! Factors of small and of thin matrices are made in memory that was there before. Of large ones with much fill-in, faer
//! eliminates sets of columns at a time; it allocates their contributions in each factorisation.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::{Conj, MatMut, Par};

use super::scalar_matrix::ScalarMatrix;
use super::singular::Singular;

/// The pattern of the factors, and the memory that computing them and solving by them takes.
pub struct LuPattern {
    symbolic: SymbolicLu<u32>,
    memory: MemBuffer,
}

/// The factors.
pub type LuFactors = NumericLu<u32, f64>;

impl LuPattern {
    /// That of a matrix.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn of(matrix: &ScalarMatrix) -> Result<Self, Singular> {
        let symbolic = factorize_symbolic_lu(matrix.pattern(), Default::default()).map_err(|_| Singular)?;
        let room = symbolic
            .factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(room).map_err(|_| Singular)?;
        Ok(Self { symbolic, memory })
    }

    /// Factorises a matrix of this pattern.
    ///
    /// # Errors
    /// If it is singular.
    pub fn factorize(&mut self, factors: &mut LuFactors, matrix: &ScalarMatrix) -> Result<(), Singular> {
        let Self { symbolic, memory } = self;
        let stack = MemStack::new(memory);
        symbolic
            .factorize_numeric_lu(factors, matrix.sparse(), Par::Seq, stack, Default::default())
            .map_err(|_| Singular)?;
        Ok(())
    }

    /// Puts the solution in the place of a right-hand side.
    pub fn solve(&mut self, factors: &LuFactors, b: &mut [f64]) {
        let Self { symbolic, memory } = self;
        let (n, stack) = (b.len(), MemStack::new(memory));
        let b = MatMut::from_column_major_slice_mut(b, n, 1);
        LuRef::new_unchecked(symbolic, factors).solve_in_place_with_conj(Conj::No, b, Par::Seq, stack);
    }
}
