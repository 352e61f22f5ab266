//! The factors of a system's matrix as tasks work in them.

use super::factorization::{Factorization, Method, Several};
use super::factors_ahead::StartAhead;
use super::singular::Singular;
use crate::linear::system::SystemMatrix;
use sim_core::math::lane::Row;

/// The factors that serve.
pub struct Factors {
    serving: Factorization,
    /// How many times the system may have become another one.
    generation: u64,
    /// Of each scalar of the block rows, whether a constraint held it when factors were found last.
    held: Vec<bool>,
}

impl Factors {
    /// Number of scalars.
    pub fn size(&self) -> usize {
        self.serving.size()
    }

    /// Puts the solution in the place of a right-hand side.
    pub fn solve(&mut self, solution: &mut [f64]) {
        self.serving.solve(solution);
    }

    /// Puts the solutions in the place of a block of so many right-hand sides, at most [`TOGETHER`](crate::linear::TOGETHER), each scalar in a row of lanes for
    /// eight of them.
    pub fn solve_block(&mut self, block: &mut [Row], columns: usize) {
        self.serving.solve_block(block, columns);
    }

    /// Of each scalar of a right-hand side, whether a constraint held it when factors were found last.
    pub fn held(&self) -> &[bool] {
        &self.held
    }

    pub(super) fn new(method: Method) -> Self {
        Self { serving: Factorization::new(method), generation: 0, held: Vec::new() }
    }

    pub(super) fn forget_patterns(&mut self) {
        self.serving.forget_pattern();
        self.generation += 1;
        self.serving.generation = self.generation;
    }

    /// Those of another system.
    pub(super) fn begin_anew(&mut self, method: Method) {
        let generation = self.generation;
        *self = Self { generation, ..Self::new(method) };
        self.forget_patterns();
    }

    /// [`Self::solve_block`] by someone who may not change the factors, as others may at the same time; says whether it has solved: where
    /// elimination has lost accuracy, it has not.
    pub fn solve_block_beside(&self, block: &mut [Row], columns: usize, several: &mut Several) -> bool {
        self.serving.solve_block_beside(block, columns, several)
    }

    /// Begins to factorise part by part.
    pub(super) fn begin(&mut self, matrix: &SystemMatrix) -> Result<(), Singular> {
        self.hold(matrix);
        self.serving.begin(matrix)
    }

    pub(super) fn factorize_part(&self, part: usize) {
        self.serving.factorize_part(part);
    }

    pub(super) fn end(&mut self) -> Result<(), Singular> {
        self.serving.end()
    }

    fn hold(&mut self, matrix: &SystemMatrix) {
        self.held.clear();
        self.held.extend_from_slice(matrix.fixed());
    }

    pub(super) fn factorize(&mut self, matrix: &SystemMatrix) -> Result<(), Singular> {
        self.hold(matrix);
        self.serving.factorize(matrix)
    }

    /// Lets those serve that were begun last, and begins with those of the present matrix, which are found beside the steps. The first
    /// ones are found here, and serve at once.
    pub(super) fn go_on(
        &mut self,
        ahead: &mut StartAhead<'_>,
        matrix: &SystemMatrix,
    ) -> Result<(), Singular> {
        if !self.serving.has_factors() {
            self.serving.generation = self.generation;
            return self.factorize(matrix);
        }
        self.hold(matrix);
        let (serving, generation) = (&mut self.serving, self.generation);
        let entries = serving.method().entries();
        ahead.exchange(
            |next| std::mem::swap(serving, &mut next.0),
            |taken| taken.take(matrix, generation, entries),
        );
        if self.serving.has_factors() { Ok(()) } else { Err(Singular) }
    }

    /// How they are found.
    pub(super) fn method(&self) -> Method {
        self.serving.method()
    }
}
