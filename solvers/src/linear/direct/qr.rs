//! Q R of a sparse matrix, with the memory that it takes.
//!
//! Factors of small and of thin matrices are made column by column, in memory that was there before. Of large ones with much
//! fill-in, faer eliminates sets of columns at a time; it allocates the factors in each factorisation. Which are which is
//! faer's own choice.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::solvers::Solve;
use faer::perm::PermRef;
use faer::sparse::linalg::qr::simplicial::{
    SimplicialQrRef, SymbolicSimplicialQr, factorize_simplicial_numeric_qr_scratch,
    factorize_simplicial_numeric_qr_unsorted, factorize_simplicial_symbolic_qr,
    factorize_simplicial_symbolic_qr_scratch,
};
use faer::sparse::linalg::qr::{
    col_etree, col_etree_scratch, column_counts_aat_scratch, column_counts_ata, factorize_symbolic_qr,
    postorder, postorder_scratch,
};
use faer::sparse::linalg::solvers::{Qr, SymbolicQr};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par};

use super::scalar_matrix::ScalarMatrix;
use super::singular::Singular;

/// The pattern of the factors.
pub enum QrPattern {
    /// Column by column.
    Columns(Box<Columns>),
    /// Sets of columns at a time.
    Sets(SymbolicQr<u32>),
}

/// The pattern of factors that are made column by column, and the memory that computing them and solving by them takes.
pub struct Columns {
    symbolic: SymbolicSimplicialQr<u32>,
    /// The order of elimination, and its inverse.
    order: [Vec<u32>; 2],
    memory: MemBuffer,
    /// Of the solution, in the order of elimination.
    x: Vec<f64>,
}

/// The factors.
#[derive(Default)]
pub enum QrFactors {
    /// None yet.
    #[default]
    None,
    /// Column by column: R, the Householder vectors, and their lengths.
    Columns {
        /// R.
        r: ColumnsOf,
        /// The Householder vectors.
        h: ColumnsOf,
        /// Half their squared lengths.
        tau: Vec<f64>,
    },
    /// Sets of columns at a time.
    Sets(Qr<u32, f64>),
}

/// A sparse matrix, column by column.
#[derive(Default)]
pub struct ColumnsOf {
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl ColumnsOf {
    fn resize(&mut self, n: usize, len: usize) {
        self.starts.resize(n + 1, 0);
        self.rows.resize(len, 0);
        self.values.resize(len, 0.0);
    }

    fn as_ref(&self, n: usize) -> SparseColMatRef<'_, u32, f64> {
        let pattern = SymbolicSparseColMatRef::new_unsorted_checked(n, n, &self.starts, None, &self.rows);
        SparseColMatRef::new(pattern, &self.values)
    }
}

impl QrPattern {
    /// That of a matrix.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn of(matrix: &ScalarMatrix) -> Result<Self, Singular> {
        let found = factorize_symbolic_qr(matrix.pattern(), Default::default()).map_err(|_| Singular)?;
        let columns = Columns::of(matrix, found.col_perm())?;
        let (n, r, h) = (matrix.n, columns.symbolic.len_r(), columns.symbolic.len_householder());
        // What the factors take tells which way was chosen.
        if (found.len_val(), found.len_idx()) == (r + h + n, r + h + 2 * n + 2) {
            return Ok(Self::Columns(Box::new(columns)));
        }
        SymbolicQr::try_new(matrix.pattern()).map(Self::Sets).map_err(|_| Singular)
    }

    /// Factorises a matrix of this pattern.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn factorize(&mut self, factors: &mut QrFactors, matrix: &ScalarMatrix) -> Result<(), Singular> {
        match self {
            Self::Columns(columns) => columns.factorize(factors, matrix),
            Self::Sets(symbolic) => {
                let found = Qr::try_new_with_symbolic(symbolic.clone(), matrix.sparse());
                *factors = QrFactors::Sets(found.map_err(|_| Singular)?);
            }
        }
        Ok(())
    }

    /// Puts the solution in the place of a right-hand side.
    pub fn solve(&mut self, factors: &QrFactors, b: &mut [f64]) {
        let n = b.len();
        match (self, factors) {
            (Self::Columns(columns), QrFactors::Columns { r, h, tau }) => columns.solve([r, h], tau, b),
            (_, QrFactors::Sets(qr)) => qr.solve_in_place(MatMut::from_column_major_slice_mut(b, n, 1)),
            (_, QrFactors::None | QrFactors::Columns { .. }) => b.fill(f64::NAN),
        }
    }
}

impl Columns {
    fn of(matrix: &ScalarMatrix, order: PermRef<'_, u32>) -> Result<Self, Singular> {
        let n = matrix.n;
        let room = StackReq::any_of(&[
            col_etree_scratch::<u32>(n, n),
            postorder_scratch::<u32>(n),
            column_counts_aat_scratch::<u32>(n, n),
            factorize_simplicial_symbolic_qr_scratch::<u32>(n, n),
        ]);
        let mut memory = MemBuffer::try_new(room).map_err(|_| Singular)?;
        let stack = MemStack::new(&mut memory);
        let zeros = || vec![0; n];
        let (mut tree, mut post, mut counts, mut least) = (zeros(), zeros(), zeros(), zeros());
        let tree = col_etree(matrix.pattern(), Some(order), &mut tree, stack);
        postorder(&mut post, tree, stack);
        let (starts, rows) = transposed(matrix);
        let transposed = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        column_counts_ata(&mut counts, &mut least, transposed, Some(order), tree, &post, stack);
        let symbolic =
            factorize_simplicial_symbolic_qr(&least, tree, &counts, stack).map_err(|_| Singular)?;
        let room = factorize_simplicial_numeric_qr_scratch::<u32, f64>(&symbolic)
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(room).map_err(|_| Singular)?;
        let (forward, inverse) = order.arrays();
        let order = [forward.to_vec(), inverse.to_vec()];
        Ok(Self { symbolic, order, memory, x: vec![0.0; n] })
    }

    fn factorize(&mut self, factors: &mut QrFactors, matrix: &ScalarMatrix) {
        let Self { symbolic, order: [forward, inverse], memory, .. } = self;
        let n = matrix.n;
        if !matches!(factors, QrFactors::Columns { .. }) {
            *factors =
                QrFactors::Columns { r: ColumnsOf::default(), h: ColumnsOf::default(), tau: Vec::new() };
        }
        let QrFactors::Columns { r, h, tau } = factors else { return };
        r.resize(n, symbolic.len_r());
        h.resize(n, symbolic.len_householder());
        tau.resize(n, 0.0);
        factorize_simplicial_numeric_qr_unsorted(
            &mut r.starts,
            &mut r.rows,
            &mut r.values,
            &mut h.starts,
            &mut h.rows,
            &mut h.values,
            tau,
            matrix.sparse(),
            Some(PermRef::new_checked(forward, inverse, n)),
            symbolic,
            MemStack::new(memory),
        );
    }

    fn solve(&mut self, [r, h]: [&ColumnsOf; 2], tau: &[f64], b: &mut [f64]) {
        let Self { symbolic, order: [_, inverse], memory, x } = self;
        let n = b.len();
        let factors = SimplicialQrRef::new(symbolic, r.as_ref(n), h.as_ref(n), tau);
        let column = MatMut::from_column_major_slice_mut(b, n, 1);
        factors.solve_in_place_with_conj(Conj::No, column, Par::Seq, MemStack::new(memory));
        x.copy_from_slice(b);
        b.iter_mut().zip(inverse).for_each(|(b, at)| *b = x[*at as usize]);
    }
}

/// The pattern of the transposed matrix: where its columns start, and their rows, ascending.
fn transposed(matrix: &ScalarMatrix) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; matrix.n + 1];
    matrix.rows.iter().for_each(|row| starts[*row as usize + 1] += 1);
    for row in 0..matrix.n {
        starts[row + 1] += starts[row];
    }
    let (mut next, mut columns) = (starts.clone(), vec![0; matrix.rows.len()]);
    for column in 0..matrix.n {
        let [begin, end] = [0, 1].map(|k| matrix.column_starts[column + k] as usize);
        for row in &matrix.rows[begin..end] {
            let at = &mut next[*row as usize];
            columns[*at as usize] = column as u32;
            *at += 1;
        }
    }
    (starts, columns)
}
