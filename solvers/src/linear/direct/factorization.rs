//! Factorisations of a system's matrix: by faer, and nalgebra's of a dense matrix.
//!
//! The order of elimination and the pattern of the factors are found when the pattern of the matrix changes, the numbers in each
//! step. All of it runs on the thread of its task: what else there is to do runs beside it.

use nalgebra::{DMatrix, DVectorViewMut, Dyn};

use super::block_tridiagonal::BlockTridiagonal;
use super::fronts::{Fronts, Pivots};
use super::lu::{LuFactors, LuPattern};
use super::pivoted::Pivoted;
use super::qr::{QrFactors, QrPattern};
use super::relaxation::{diagonal, inverse_blocks, multiply_blocks, relax};
use super::scalar_matrix::{Entries, ScalarMatrix};
use super::side_by_side::{self, copy_column, set_column};
use super::singular::Singular;
use super::singular_values::SingularValues;
use super::taken_matrix::{PatternKey, TakenMatrix};
use crate::linear::system::SystemMatrix;
use sim_core::math::Mat3;
use sim_core::math::lane::Row;

/// How a matrix is factorised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// L D L^T without pivots, for symmetric matrices; only what is on and below the diagonal is read. Of those that have none, or lose the
    /// solution by them, L U with pivots.
    Ldlt,
    /// L L^T, for symmetric positive definite ones; likewise.
    Llt,
    /// L U with pivots, for all.
    Lu,
    /// Q R, for all.
    Qr,
    /// L L^T of a dense matrix.
    DenseLlt,
    /// Singular values of a dense matrix; those up to this one are left out (pseudoinverse).
    DenseSvd {
        /// The greatest singular value that is left out.
        min_singular_value: f64,
    },
    /// Block Thomas algorithm for a matrix of blocks of six by six on the diagonal and beside it.
    BlockTridiagonal,
    /// The diagonal alone: no solution, a preconditioner.
    Jacobi,
    /// The blocks of three by three on the diagonal alone: likewise.
    BlockJacobi,
    /// One symmetric sweep of over-relaxation: likewise.
    Ssor {
        /// By how much it over-relaxes; 1: Gauss-Seidel.
        omega: f64,
    },
}

impl Method {
    /// Why a matrix cannot be factorised this way.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Ldlt => "the matrix is singular, so that it has no factors",
            Self::Llt | Self::DenseLlt => {
                "the matrix is not positive definite, so that it has no factors L L^T; SparseLDLSolver takes any symmetric one"
            }
            Self::Lu => "the matrix is singular, so that it has no factors L U",
            Self::Qr => "the matrix has numbers that are not finite, so that it has no factors Q R",
            Self::DenseSvd { .. } => {
                "the matrix has numbers that are not finite, so that it has no singular values"
            }
            Self::BlockTridiagonal => {
                "the matrix is singular, or not block tridiagonal with blocks of six rows; SparseLDLSolver takes any symmetric one"
            }
            Self::Jacobi | Self::BlockJacobi | Self::Ssor { .. } => "the diagonal of the matrix is singular",
        }
    }

    /// Which pivots an elimination without choice may have.
    fn pivots(self) -> Pivots {
        if self == Self::Llt { Pivots::Positive } else { Pivots::NotZero }
    }

    /// Whether factors are found by fronts, which can be done side by side.
    pub fn is_by_fronts(self) -> bool {
        matches!(self, Self::Ldlt | Self::Llt)
    }

    /// Whether it takes the matrix scalar by scalar.
    pub fn is_by_scalars(self) -> bool {
        self != Self::BlockTridiagonal
    }

    pub(super) fn entries(self) -> Entries {
        match self {
            Self::Ldlt | Self::Llt | Self::DenseLlt | Self::Ssor { .. } => Entries::Lower,
            _ => Entries::All,
        }
    }
}

/// Residuals up to this share of the terms that they are sums of are taken for rounding.
const ROUNDING: f64 = 1e-14;
/// Residuals above this share are those of no solution.
const LOST: f64 = 1e-9;
/// How many times larger than a right-hand side the terms of a sum that gives it are where a matrix is singular.
const SINGULAR: f64 = 1e13;
/// Pivots up to this share of the matrix's greatest entry are replaced by it, where the solution is lost otherwise.
const LEAST_PIVOT: f64 = 1e-8;

/// The factors of a matrix, with the memory that finding them takes.
pub struct Factorization {
    method: Method,
    matrix: ScalarMatrix,
    /// The pattern that `symbolic` is of.
    pattern: Option<PatternKey>,
    /// Of the next system's matrix.
    pub(super) generation: u64,
    symbolic: Symbolic,
    numeric: Numeric,
    right: Vec<f64>,
    residual: Vec<f64>,
    permuted: Vec<f64>,
    several: Several,
    /// Whether small pivots have been replaced.
    perturbed: bool,
    /// Whether factors with pivots of the present numbers have been looked for.
    is_pivoted: bool,
    /// What takes the place of factors without pivots that there are not, or that lose the solution.
    pivoted: Option<Box<Pivoted>>,
}

/// Memory for several right-hand sides.
#[derive(Debug, Default)]
pub struct Several {
    /// As they were given.
    right: Vec<Row>,
    /// In the order of the factors.
    permuted: Vec<Row>,
    solution: Vec<f64>,
    column: Vec<f64>,
    residual: Vec<f64>,
}

enum Symbolic {
    None,
    Lu(Box<LuPattern>),
    Qr(QrPattern),
}

enum Numeric {
    None,
    Fronts(Box<Fronts>),
    Lu(Box<LuFactors>),
    Qr(QrFactors),
    DenseLlt(nalgebra::Cholesky<f64, Dyn>),
    DenseSvd(Box<SingularValues>),
    BlockTridiagonal(BlockTridiagonal),
    Jacobi(Vec<f64>),
    BlockJacobi(Vec<Mat3>),
    Ssor(f64, Vec<f64>),
}

impl Factorization {
    /// Without numbers.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            matrix: ScalarMatrix::default(),
            pattern: None,
            generation: 0,
            symbolic: Symbolic::None,
            numeric: Numeric::None,
            right: Vec::new(),
            residual: Vec::new(),
            permuted: Vec::new(),
            several: Several::default(),
            perturbed: false,
            is_pivoted: false,
            pivoted: None,
        }
    }

    /// Number of scalars.
    pub fn size(&self) -> usize {
        if let Numeric::BlockTridiagonal(factors) = &self.numeric { factors.size() } else { self.matrix.n }
    }

    /// Finds the pattern again when it factorises next. The factors serve until then.
    pub fn forget_pattern(&mut self) {
        self.pattern = None;
    }

    /// Whether there are factors.
    pub fn has_factors(&self) -> bool {
        !matches!(self.numeric, Numeric::None) || self.has_pivots()
    }

    /// Whether they have pivots where the method has none.
    fn has_pivots(&self) -> bool {
        self.pivoted.as_ref().is_some_and(|p| p.is_present())
    }

    /// Factorises the present numbers with pivots, where the method may; says whether there are such factors.
    fn pivot(&mut self) -> bool {
        if self.method != Method::Ldlt || std::mem::replace(&mut self.is_pivoted, true) {
            return false;
        }
        // What nothing holds is found without taking long.
        if self.matrix.has_empty_row() {
            return false;
        }
        let made = self.pivoted.take().map_or_else(|| Pivoted::of(&self.matrix).map(Box::new), Ok);
        let Ok(mut pivoted) = made else { return false };
        let done = pivoted.factorize(&self.matrix);
        self.pivoted = Some(pivoted);
        done.is_ok()
    }

    /// How it factorises.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Factorises the present numbers of a system's matrix.
    ///
    /// # Errors
    /// If it has no such factors. There is no solution then.
    pub fn factorize(&mut self, system: &SystemMatrix) -> Result<(), Singular> {
        if self.method == Method::BlockTridiagonal {
            let last = std::mem::replace(&mut self.numeric, Numeric::None);
            let mut factors =
                if let Numeric::BlockTridiagonal(last) = last { last } else { Default::default() };
            factors.factorize(system)?;
            self.numeric = Numeric::BlockTridiagonal(factors);
            return Ok(());
        }
        self.take(system);
        self.factorize_present()
    }

    /// The same of numbers that were taken from a system's matrix.
    ///
    /// # Errors
    /// As [`Self::factorize`].
    pub fn factorize_taken(&mut self, taken: &TakenMatrix) -> Result<(), Singular> {
        if self.pattern == taken.pattern {
            self.matrix.values.copy_from_slice(&taken.matrix.values);
        } else {
            self.matrix = taken.matrix.clone();
            self.forget_symbolic();
            self.pattern = taken.pattern;
        }
        self.outdate();
        self.factorize_present()
    }

    fn factorize_present(&mut self) -> Result<(), Singular> {
        let numeric = std::mem::replace(&mut self.numeric, Numeric::None);
        match self.numeric(numeric) {
            Ok(numeric) => self.numeric = numeric,
            Err(singular) => self.pivot_or(singular)?,
        }
        Ok(())
    }

    /// Factorises with pivots what has no factors without them.
    ///
    /// # Errors
    /// It has none with pivots either: then the matrix is singular.
    fn pivot_or(&mut self, singular: Singular) -> Result<(), Singular> {
        let mut b = vec![1.0; self.matrix.n];
        let has_solution = self.pivot() && {
            self.solve(&mut b);
            b.iter().all(|x| x.is_finite())
        };
        if !has_solution {
            self.pivoted = None;
            return Err(singular);
        }
        Ok(())
    }

    /// Begins to factorise part by part, as [`Method::is_by_fronts`] can.
    ///
    /// # Errors
    /// As [`Self::factorize`].
    pub fn begin(&mut self, system: &SystemMatrix) -> Result<(), Singular> {
        self.take(system);
        let numeric = std::mem::replace(&mut self.numeric, Numeric::None);
        let mut fronts =
            if let Numeric::Fronts(last) = numeric { last } else { Box::new(Fronts::of(&self.matrix)?) };
        fronts.begin();
        self.numeric = Numeric::Fronts(fronts);
        Ok(())
    }

    /// Factorises one of [`PARTS`](super::fronts::PARTS) parts, as others may be at the same time.
    pub fn factorize_part(&self, part: usize) {
        if let Numeric::Fronts(fronts) = &self.numeric {
            fronts.factorize_part(part, &self.matrix.values, self.method.pivots());
        }
    }

    /// Ends what [`Self::begin`] began.
    ///
    /// # Errors
    /// As [`Self::factorize`].
    pub fn end(&mut self) -> Result<(), Singular> {
        let Numeric::Fronts(fronts) = &mut self.numeric else { return Err(Singular) };
        let done = fronts.end(&self.matrix.values, self.method.pivots());
        done.or_else(|singular| {
            self.numeric = Numeric::None;
            self.pivot_or(singular)
        })
    }

    /// Takes the present numbers of a system's matrix.
    fn take(&mut self, system: &SystemMatrix) {
        let pattern = Some(PatternKey { generation: self.generation, version: system.version() });
        if self.pattern != pattern {
            self.matrix.find_places(system, self.method.entries());
            self.forget_symbolic();
            self.pattern = pattern;
        }
        self.matrix.take_values(system);
        self.outdate();
    }

    /// What was found of another pattern goes.
    fn forget_symbolic(&mut self) {
        self.symbolic = Symbolic::None;
        if let Numeric::Fronts(_) = self.numeric {
            self.numeric = Numeric::None;
        }
        self.pivoted = None;
    }

    /// The matrix has other numbers.
    fn outdate(&mut self) {
        (self.perturbed, self.is_pivoted) = (false, false);
        self.pivoted.iter_mut().for_each(|p| p.outdate());
    }

    fn numeric(&mut self, last: Numeric) -> Result<Numeric, Singular> {
        let Self { matrix, symbolic, .. } = self;
        let n = matrix.n;
        Ok(match self.method {
            Method::Ldlt | Method::Llt => {
                let of_matrix = || Fronts::of(matrix).map(Box::new);
                let mut fronts = if let Numeric::Fronts(last) = last { last } else { of_matrix()? };
                fronts.factorize(&matrix.values, self.method.pivots())?;
                Numeric::Fronts(fronts)
            }
            Method::Lu => {
                if let Symbolic::None = symbolic {
                    *symbolic = Symbolic::Lu(Box::new(LuPattern::of(matrix)?));
                }
                let Symbolic::Lu(symbolic) = symbolic else { return Err(Singular) };
                let mut factors = if let Numeric::Lu(factors) = last { factors } else { Box::default() };
                symbolic.factorize(&mut factors, matrix)?;
                Numeric::Lu(factors)
            }
            Method::Qr => {
                if let Symbolic::None = symbolic {
                    *symbolic = Symbolic::Qr(QrPattern::of(matrix)?);
                }
                let Symbolic::Qr(symbolic) = symbolic else { return Err(Singular) };
                let mut factors = if let Numeric::Qr(factors) = last { factors } else { QrFactors::None };
                symbolic.factorize(&mut factors, matrix)?;
                Numeric::Qr(factors)
            }
            Method::DenseLlt => {
                let memory = match last {
                    Numeric::DenseLlt(llt) if llt.l_dirty().nrows() == n => llt.unpack_dirty(),
                    _ => DMatrix::zeros(n, n),
                };
                Numeric::DenseLlt(dense(matrix, memory).cholesky().ok_or(Singular)?)
            }
            Method::BlockTridiagonal => return Err(Singular), // reads the blocks themselves
            Method::Jacobi => {
                let mut inverse = if let Numeric::Jacobi(last) = last { last } else { Vec::new() };
                diagonal(matrix, &mut inverse)?;
                inverse.iter_mut().for_each(|d| *d = 1.0 / *d);
                Numeric::Jacobi(inverse)
            }
            Method::BlockJacobi => {
                let mut blocks = if let Numeric::BlockJacobi(last) = last { last } else { Vec::new() };
                inverse_blocks(matrix, &mut blocks)?;
                Numeric::BlockJacobi(blocks)
            }
            Method::Ssor { omega } => {
                let mut of_matrix = if let Numeric::Ssor(_, last) = last { last } else { Vec::new() };
                diagonal(matrix, &mut of_matrix)?;
                Numeric::Ssor(omega, of_matrix)
            }
            Method::DenseSvd { .. } => {
                let mut found = match last {
                    Numeric::DenseSvd(last) if last.size() == n => last,
                    _ => Box::new(SingularValues::new(n)?),
                };
                found.find(matrix)?;
                Numeric::DenseSvd(found)
            }
        })
    }

    /// Puts the solution in the place of a right-hand side; numbers that are none where it is lost.
    ///
    /// What an elimination without pivots loses in accuracy is won back: the solution for the residual is added as long as the
    /// residual is larger than rounding and each turn at least halves it. An indefinite matrix may take some ten turns: the
    /// mass matrices of SOFA's `MeshMatrixMass` on hexahedra are indefinite. Where a pivot is nearly zero, nothing is won so, and small
    /// pivots are replaced by larger ones. Where that does not help either, the matrix is factorised with pivots.
    ///
    /// **Source:** static pivoting with iterative refinement, as in Li, Demmel, Making sparse Gaussian elimination scalable by static
    /// pivoting, 1998.
    pub fn solve(&mut self, solution: &mut [f64]) {
        let mut b = std::mem::take(&mut self.right);
        b.clear();
        b.extend_from_slice(solution);
        self.solve_in_place(solution);
        if matches!(self.numeric, Numeric::Fronts(_)) || self.has_pivots() {
            let mut found = self.refine(&b, solution);
            for otherwise in [Self::perturb, Self::pivot] {
                if !found && !self.has_pivots() && otherwise(self) {
                    solution.copy_from_slice(&b);
                    self.solve_in_place(solution);
                    found = self.refine(&b, solution);
                }
            }
            if !found || self.has_pivots() && self.is_beyond(&b, solution) {
                solution.fill(f64::NAN);
            }
        }
        self.right = b;
    }

    /// Whether a solution is so large that the matrix must be singular but for rounding.
    fn is_beyond(&self, b: &[f64], solution: &[f64]) -> bool {
        let greatest = |of: &[f64]| of.iter().fold(0.0, |greatest: f64, x| greatest.max(x.abs()));
        greatest(&self.matrix.values) * greatest(solution) > SINGULAR * greatest(b)
    }

    /// Adds solutions for residuals; says whether a solution has come of it.
    fn refine(&mut self, b: &[f64], solution: &mut [f64]) -> bool {
        let mut residual = std::mem::take(&mut self.residual);
        let mut last = f64::INFINITY;
        let found = loop {
            let size = self.matrix.residual(b, solution, &mut residual);
            let largest = residual.iter().fold(0.0, |largest: f64, r| largest.max(r.abs()));
            // Written so that what is not a number ends it.
            let goes_on = largest > ROUNDING * size && largest <= 0.5 * last;
            if !goes_on {
                break largest <= LOST * size;
            }
            last = largest;
            self.solve_in_place(&mut residual);
            solution.iter_mut().zip(&residual).for_each(|(x, d)| *x += d);
        };
        self.residual = residual;
        found
    }

    /// Factorises the matrix once more, with small pivots replaced; says whether there are such factors.
    fn perturb(&mut self) -> bool {
        if self.method != Method::Ldlt || self.perturbed {
            return false;
        }
        let greatest = self.matrix.values.iter().fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
        let Numeric::Fronts(fronts) = &mut self.numeric else { return false };
        self.perturbed = true;
        let pivots = Pivots::AtLeast(LEAST_PIVOT * greatest);
        let done = fronts.factorize(&self.matrix.values, pivots);
        if done.is_err() {
            self.numeric = Numeric::None;
        }
        done.is_ok()
    }

    /// Puts the solutions in the place of a block of so many right-hand sides, at most [`TOGETHER`](crate::linear::TOGETHER).
    ///
    /// They are taken through the factors together. Whether elimination has lost accuracy is looked at in the first of them; if it
    /// has, each is solved for as [`Self::solve`] does.
    pub fn solve_block(&mut self, block: &mut [Row], columns: usize) {
        let n = self.size();
        if n == 0 {
            return;
        }
        let groups = side_by_side::groups_of(columns);
        let mut several = std::mem::take(&mut self.several);
        if let (Numeric::Fronts(fronts), false) = (&self.numeric, self.has_pivots()) {
            if self.solve_fronts(fronts, block, groups, &mut several) {
                block.copy_from_slice(&several.right);
                self.solve_each(block, columns, &mut several.column);
            }
        } else {
            self.solve_each(block, columns, &mut several.column);
        }
        self.several = several;
    }

    /// The same by someone who may not change the factors, as others may at the same time; says whether it has solved: where elimination
    /// has lost accuracy, it has not.
    pub fn solve_block_beside(&self, block: &mut [Row], columns: usize, several: &mut Several) -> bool {
        let (Numeric::Fronts(fronts), false) = (&self.numeric, self.has_pivots()) else { return false };
        !self.solve_fronts(fronts, block, side_by_side::groups_of(columns), several)
    }

    /// Takes a block through fronts; says whether elimination has lost accuracy.
    fn solve_fronts(&self, fronts: &Fronts, block: &mut [Row], groups: usize, several: &mut Several) -> bool {
        let Several { right, permuted, column, solution, residual } = several;
        right.clear();
        right.extend_from_slice(block);
        fronts.solve_block(block, groups, permuted);
        copy_column(right, groups, 0, column);
        copy_column(block, groups, 0, solution);
        let size = self.matrix.residual(column, solution, residual);
        let largest = residual.iter().fold(0.0, |largest: f64, r| largest.max(r.abs()));
        largest > ROUNDING * size
    }

    /// Solves for one right-hand side of a block after the other.
    fn solve_each(&mut self, block: &mut [Row], columns: usize, column: &mut Vec<f64>) {
        let groups = side_by_side::groups_of(columns);
        for k in 0..columns {
            copy_column(block, groups, k, column);
            self.solve(column);
            set_column(block, groups, k, column);
        }
    }

    fn solve_in_place(&mut self, b: &mut [f64]) {
        if let Some(pivoted) = self.pivoted.as_mut().filter(|p| p.is_present()) {
            pivoted.solve(b);
            return;
        }
        match (&mut self.numeric, &mut self.symbolic) {
            (Numeric::None, _) => b.fill(f64::NAN),
            (Numeric::Fronts(fronts), _) => fronts.solve(b, &mut self.permuted),
            (Numeric::Lu(factors), Symbolic::Lu(symbolic)) => symbolic.solve(factors, b),
            (Numeric::Lu(_), _) => b.fill(f64::NAN),
            (Numeric::BlockTridiagonal(factors), _) => factors.solve(b),
            (Numeric::Jacobi(inverse), _) => b.iter_mut().zip(inverse).for_each(|(b, d)| *b *= *d),
            (Numeric::BlockJacobi(inverse), _) => multiply_blocks(inverse, b),
            (Numeric::Ssor(omega, diagonal), _) => relax(&self.matrix, diagonal, *omega, b),
            (Numeric::Qr(factors), Symbolic::Qr(symbolic)) => symbolic.solve(factors, b),
            (Numeric::Qr(_), _) => b.fill(f64::NAN),
            (Numeric::DenseLlt(llt), _) => {
                let n = b.len();
                llt.solve_mut(&mut DVectorViewMut::from_slice(b, n));
            }
            (Numeric::DenseSvd(svd), _) => {
                let least = match self.method {
                    Method::DenseSvd { min_singular_value } => min_singular_value,
                    _ => 0.0,
                };
                svd.solve(least, b, |column| self.matrix.is_held(column));
            }
        }
    }
}

/// A dense matrix; where only the lower triangle is kept, that is all that nalgebra reads of it too.
fn dense(matrix: &ScalarMatrix, mut dense: DMatrix<f64>) -> DMatrix<f64> {
    dense.fill(0.0);
    for column in 0..matrix.n {
        for (row, value) in matrix.column(column) {
            dense[(row, column)] = value;
        }
    }
    dense
}
