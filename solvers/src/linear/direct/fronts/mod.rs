//! Factors L D L^T of a symmetric matrix by dense fronts, subtrees of which are factorised side by side.
//!
//! Columns with the same rows below are eliminated together, as a dense matrix (a front), which passes what is left of it on to a later
//! one. Fronts are a tree; what is in different branches can be done at the same time. The operations on each number and their order are the
//! same on all processors, and whoever does them.
//!
//! - `pattern.rs`: the fronts of a matrix, by faer's order of elimination and its supernodes. `parts.rs`: which subtrees are done side by side.
//! - `numeric.rs`: the numbers. `solution.rs`: right-hand sides, one or many at once.
//!
//! **Source:** the multifrontal method of Duff and Reid, The multifrontal solution of indefinite sparse symmetric linear equations, 1983.

mod numeric;
mod order;
mod parts;
mod pattern;
mod solution;
#[cfg(test)]
mod tests;

use std::sync::{Mutex, PoisonError};

use sim_core::math::lane::Row;

use super::scalar_matrix::ScalarMatrix;
use super::singular::Singular;
use pattern::FrontPattern;

/// How many parts can be factorised side by side.
pub const PARTS: usize = 8;

/// Which pivots are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pivots {
    /// All but zero.
    NotZero,
    /// Those above zero: the factors are those of a positive definite matrix, L D^(1/2) being Cholesky's.
    Positive,
    /// All; what is up to this one is replaced by it, or by its negative.
    AtLeast(f64),
}

/// The factors of a part, with the memory that finding them takes.
#[derive(Debug, Default)]
struct Part {
    /// Each front's own rows, column by column: D on the diagonal, L below it.
    tops: Vec<f64>,
    /// Each front's rows below, eight after the other, and of these column by column.
    belows: Vec<Row>,
    /// What fronts pass on, column by column.
    updates: Vec<Row>,
    /// L D of a front's rows below.
    weighted: Vec<Row>,
    is_singular: bool,
}

/// Factors L D L^T.
#[derive(Debug)]
pub struct Fronts {
    pattern: FrontPattern,
    /// The parts, the last one that others pass on to.
    parts: Vec<Part>,
    /// The parts while they are factorised. Each is one task's alone, so that none waits.
    at_work: Vec<Mutex<Part>>,
    /// Whether they are there: a step that failed in between has left them.
    is_begun: bool,
}

impl Fronts {
    /// The fronts of a matrix of which what is on and below the diagonal is kept, without numbers.
    ///
    /// # Errors
    /// If they do not fit into memory.
    pub fn of(matrix: &ScalarMatrix) -> Result<Self, Singular> {
        let pattern = FrontPattern::of(matrix)?;
        let part = |[tops, belows, updates]: &[usize; 3]| Part {
            tops: vec![0.0; *tops],
            belows: vec![Row::splat(0.0); *belows],
            updates: vec![Row::splat(0.0); *updates],
            ..Part::default()
        };
        let parts = pattern.sizes.iter().map(part).collect();
        let at_work = (0..PARTS).map(|_| Mutex::default()).collect();
        Ok(Self { pattern, parts, at_work, is_begun: false })
    }

    /// Factorises a matrix of the same pattern.
    ///
    /// # Errors
    /// If there is another pivot.
    pub fn factorize(&mut self, values: &[f64], pivots: Pivots) -> Result<(), Singular> {
        self.hand_out(false);
        for part in 0..PARTS {
            let numbers = &mut self.parts[part];
            numeric::factorize(&self.pattern, part, values, numbers, &[], pivots)?;
        }
        self.factorize_last(values, pivots)
    }

    /// Begins to factorise part by part.
    pub fn begin(&mut self) {
        self.hand_out(true);
    }

    /// Puts the parts where tasks work in them, or back.
    fn hand_out(&mut self, is_begun: bool) {
        if self.is_begun == is_begun {
            return;
        }
        self.is_begun = is_begun;
        for (part, at_work) in self.parts.iter_mut().zip(&mut self.at_work) {
            std::mem::swap(part, at_work.get_mut().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Factorises one of [`PARTS`] parts, as others may be at the same time.
    pub fn factorize_part(&self, part: usize, values: &[f64], pivots: Pivots) {
        let mut numbers = self.at_work[part].lock().unwrap_or_else(PoisonError::into_inner);
        let done = numeric::factorize(&self.pattern, part, values, &mut numbers, &[], pivots);
        numbers.is_singular = done.is_err();
    }

    /// Factorises what the parts have passed on to.
    ///
    /// # Errors
    /// If there is another pivot, in this or any part.
    pub fn end(&mut self, values: &[f64], pivots: Pivots) -> Result<(), Singular> {
        self.hand_out(false);
        if self.parts.iter().any(|part| part.is_singular) {
            return Err(Singular);
        }
        self.factorize_last(values, pivots)
    }

    fn factorize_last(&mut self, values: &[f64], pivots: Pivots) -> Result<(), Singular> {
        let (others, last) = self.parts.split_at_mut(PARTS);
        let Some(last) = last.first_mut() else { return Ok(()) };
        numeric::factorize(&self.pattern, PARTS, values, last, others, pivots)
    }

    /// Puts the solution in the place of a right-hand side.
    pub fn solve(&self, x: &mut [f64], room: &mut Vec<f64>) {
        room.clear();
        room.extend(self.pattern.order.iter().map(|i| x[*i as usize]));
        solution::solve(&self.pattern, &self.parts, room);
        x.iter_mut().zip(&self.pattern.places).for_each(|(x, i)| *x = room[*i as usize]);
    }

    /// Puts the solutions in the place of a block of right-hand sides with so many rows of lanes, at most four, for each scalar.
    pub fn solve_block(&self, block: &mut [Row], groups: usize, room: &mut Vec<Row>) {
        room.clear();
        for i in &self.pattern.order {
            room.extend_from_slice(&block[*i as usize * groups..][..groups]);
        }
        solution::solve_block(&self.pattern, &self.parts, room, groups);
        for (to, from) in block.chunks_exact_mut(groups).zip(&self.pattern.places) {
            to.copy_from_slice(&room[*from as usize * groups..][..groups]);
        }
    }
}
