//! The factors of a system's matrix as tasks work in them: those that serve, and those that will.

use super::factorization::{Factorization, Method, Several};
use super::singular::Singular;
use crate::linear::system::SystemMatrix;
use sim_core::math::lane::Row;

/// The factors that serve, and those that will.
pub struct Factors {
    serving: Factorization,
    next: Option<Factorization>,
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
        Self { serving: Factorization::new(method), next: None, held: Vec::new() }
    }

    pub(super) fn forget_patterns(&mut self) {
        self.serving.forget_pattern();
        self.next.iter_mut().for_each(Factorization::forget_pattern);
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

    pub(super) fn factorize(&mut self, matrix: &SystemMatrix, is_delayed: bool) -> Result<(), Singular> {
        self.hold(matrix);
        if !is_delayed || !self.serving.has_factors() {
            return self.serving.factorize(matrix);
        }
        let method = self.serving.method();
        match &mut self.next {
            Some(next) => std::mem::swap(&mut self.serving, next),
            None => self.next = Some(Factorization::new(method)),
        }
        // Those that there are none of are missed when they are to serve, if they ever are.
        let _ = self.next.as_mut().map(|next| next.factorize(matrix));
        if self.serving.has_factors() { Ok(()) } else { Err(Singular) }
    }

    /// How they are found.
    pub(super) fn method(&self) -> Method {
        self.serving.method()
    }
}
