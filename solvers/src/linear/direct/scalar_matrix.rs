//! A system's matrix scalar by scalar, in compressed columns, as libraries of direct solvers take it.

use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};

use crate::linear::system::SystemMatrix;

/// Which entries are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entries {
    /// All.
    All,
    /// Those on and below the diagonal.
    Lower,
}

/// Where the value of an entry comes from.
const ONE: u32 = u32::MAX;

/// A square matrix in compressed columns; its diagonal is always there.
#[derive(Clone, Debug, Default)]
pub struct ScalarMatrix {
    /// Number of rows.
    pub n: usize,
    /// First entry of each column, and the end of the last one's.
    pub column_starts: Vec<u32>,
    /// Row of each entry, ascending within a column.
    pub rows: Vec<u32>,
    /// The entries.
    pub values: Vec<f64>,
    /// For each entry, its place among the scalars of the blocks; [`ONE`] on the diagonal of what is held. Of a mirrored matrix, its place among
    /// the entries of the other.
    sources: Vec<u32>,
}

impl ScalarMatrix {
    /// Its pattern, as faer takes it.
    pub fn pattern(&self) -> SymbolicSparseColMatRef<'_, u32> {
        SymbolicSparseColMatRef::new_checked(self.n, self.n, &self.column_starts, None, &self.rows)
    }

    /// All of it, as faer takes it.
    pub fn sparse(&self) -> SparseColMatRef<'_, u32, f64> {
        SparseColMatRef::new(self.pattern(), &self.values)
    }

    /// Finds where the entries are. Rows and columns of what is held are those of the identity.
    pub fn find_places(&mut self, matrix: &SystemMatrix, entries: Entries) {
        let (places, fixed) = (matrix.places(), matrix.fixed());
        let n = fixed.len();
        let mut found: Vec<(u32, u32, u32)> = Vec::with_capacity(9 * places.columns.len());
        for block_row in 0..n / 3 {
            for slot in places.row(block_row as u32) {
                let block_column = places.columns[slot] as usize;
                for (i, j) in (0..9).map(|k| (k % 3, k / 3)) {
                    let (row, column) = (3 * block_row + i, 3 * block_column + j);
                    if row == column && fixed[row] {
                        found.push((column as u32, row as u32, ONE));
                    } else if !fixed[row] && !fixed[column] && (entries == Entries::All || row >= column) {
                        // Matrices of three by three lie column by column.
                        found.push((column as u32, row as u32, (9 * slot + 3 * j + i) as u32));
                    }
                }
            }
        }
        *self = Self::of_places(n, found);
    }

    /// A matrix of entries, each with its column, its row, and where its number comes from.
    fn of_places(n: usize, mut found: Vec<(u32, u32, u32)>) -> Self {
        found.sort_unstable();
        let mut column_starts = vec![0; n + 1];
        for (column, ..) in &found {
            column_starts[*column as usize + 1] += 1;
        }
        for column in 0..n {
            column_starts[column + 1] += column_starts[column];
        }
        Self {
            n,
            column_starts,
            rows: found.iter().map(|(_, row, _)| *row).collect(),
            values: vec![0.0; found.len()],
            sources: found.iter().map(|(.., source)| *source).collect(),
        }
    }

    /// Takes the numbers of the present step.
    pub fn take_values(&mut self, matrix: &SystemMatrix) {
        let blocks = matrix.values();
        for (value, source) in self.values.iter_mut().zip(&self.sources) {
            *value = match *source {
                ONE => 1.0,
                at => blocks[at as usize / 9].as_slice()[at as usize % 9],
            };
        }
    }

    /// Whether a row and column are those of the identity, since a constraint holds the scalar.
    pub fn is_held(&self, column: usize) -> bool {
        self.sources.get(self.column_starts[column] as usize) == Some(&ONE)
    }

    /// All of a symmetric matrix of which what is on and below the diagonal is kept; its numbers come by [`Self::mirror_values`].
    pub fn mirrored(&self) -> Self {
        let mut found: Vec<(u32, u32, u32)> = Vec::with_capacity(2 * self.rows.len());
        for column in 0..self.n as u32 {
            for at in self.column_starts[column as usize]..self.column_starts[column as usize + 1] {
                let row = self.rows[at as usize];
                found.push((column, row, at));
                if row != column {
                    found.push((row, column, at));
                }
            }
        }
        Self::of_places(self.n, found)
    }

    /// Whether a row of a symmetric matrix, of which what is on and below the diagonal is kept, is zero, so that it is singular.
    pub fn has_empty_row(&self) -> bool {
        let mut is_empty = vec![true; self.n];
        for column in 0..self.n {
            for (row, _) in self.column(column).filter(|(_, value)| *value != 0.0) {
                (is_empty[row], is_empty[column]) = (false, false);
            }
        }
        is_empty.contains(&true)
    }

    /// Takes the numbers of the matrix that this one is [mirrored](Self::mirrored) from.
    pub fn mirror_values(&mut self, lower: &Self) {
        for (value, source) in self.values.iter_mut().zip(&self.sources) {
            *value = lower.values[*source as usize];
        }
    }

    /// residual := b - A x, where only what is on and below the diagonal is kept; gives back the largest absolute value of a term.
    pub fn residual(&self, b: &[f64], x: &[f64], residual: &mut Vec<f64>) -> f64 {
        residual.clear();
        residual.extend_from_slice(b);
        let mut largest = b.iter().fold(0.0, |largest: f64, b| largest.max(b.abs()));
        for column in 0..self.n {
            for (row, value) in self.column(column) {
                let term = value * x[column];
                residual[row] -= term;
                largest = largest.max(term.abs());
                if row != column {
                    residual[column] -= value * x[row];
                }
            }
        }
        largest
    }

    /// The entries of a column: rows and values.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.column_starts[column] as usize..self.column_starts[column + 1] as usize;
        self.rows[range.clone()].iter().map(|row| *row as usize).zip(self.values[range].iter().copied())
    }
}
