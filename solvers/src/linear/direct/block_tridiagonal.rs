//! The block Thomas algorithm: elimination of a matrix of blocks of six by six on the diagonal and beside it.
//!
//! **Source:** as SOFA's BTDLinearSolver: a_0 = A_00^-1, l_i = a_i A_i,i+1, a_i = (A_ii - A_i,i-1 l_i-1)^-1. SOFA's matrix adds what
//! is further below the diagonal to wrong blocks (block j of row i is the one of number 2 i + j + 1, of three a row), drops what is
//! further above it, and leaves out rows that fill no block. Here the first two are so where joints on mapped states have blocks where
//! SOFA has them; any other such matrix has no factors, so that the step fails and says why.

use nalgebra::{SMatrix, SVector};

use super::singular::Singular;
use crate::linear::system::SystemMatrix;

const SIZE: usize = 6;
type Block = SMatrix<f64, SIZE, SIZE>;

/// The factors.
#[derive(Default)]
pub struct BlockTridiagonal {
    /// Number of scalars of the system's block rows.
    n: usize,
    /// Which scalars of the system's block rows are those of the matrix, in order.
    scalars: Vec<u32>,
    /// Of each block row: a_i, A_i,i-1 and l_i; A_i,i-1, A_ii and A_i,i+1 before elimination.
    rows: Vec<[Block; 3]>,
    /// For each scalar of the system's block rows, its number among those of the matrix.
    numbers: Vec<Option<usize>>,
}

/// Clears the row and the column of a scalar, and puts 1 where they meet.
fn hold(bands: &mut [[Block; 3]], scalar: usize) {
    let (block, k) = (scalar / SIZE, scalar % SIZE);
    bands[block].iter_mut().for_each(|b| b.row_mut(k).fill(0.0));
    if block > 0 {
        bands[block - 1][2].column_mut(k).fill(0.0);
    }
    bands[block][1].column_mut(k).fill(0.0);
    if let Some(next) = bands.get_mut(block + 1) {
        next[0].column_mut(k).fill(0.0);
    }
    bands[block][1][(k, k)] = 1.0;
}

impl BlockTridiagonal {
    /// Finds those of a system's matrix, in the memory of earlier ones.
    ///
    /// # Errors
    /// If it is singular, has entries besides the three diagonals of blocks, or rows that fill no block.
    pub fn factorize(&mut self, system: &SystemMatrix) -> Result<(), Singular> {
        let Self { n, scalars, rows: bands, numbers: number } = self;
        scalars.clear();
        scalars.extend_from_slice(system.scalars());
        let (places, values, fixed) = (system.places(), system.values(), system.fixed());
        let folds = system.is_misplaced();
        if !scalars.len().is_multiple_of(SIZE) {
            return Err(Singular);
        }
        *n = fixed.len();
        number.clear();
        number.resize(fixed.len(), None);
        scalars.iter().enumerate().for_each(|(k, s)| number[*s as usize] = Some(k));
        bands.clear();
        bands.resize(scalars.len() / SIZE, [Block::zeros(); 3]);
        let blocks = (0..fixed.len() / 3).flat_map(|row| places.row(row as u32).map(move |slot| (row, slot)));
        let inside = blocks.map(|(row, slot)| (row, places.columns[slot] as usize, &values[slot]));
        let beyond =
            system.beyond().iter().map(|((row, column), block)| (*row as usize, *column as usize, block));
        // After the last scalar SOFA's numbers go on.
        let number_of = |at: usize| match number.get(at) {
            Some(number) => *number,
            None => Some(scalars.len() + at - fixed.len()),
        };
        for (row, column, block) in inside.chain(beyond) {
            for (i, j) in (0..9).map(|k| (k % 3, k / 3)) {
                let at = (3 * row + i, 3 * column + j);
                let (Some(row), Some(column)) = (number_of(at.0), number_of(at.1)) else { continue };
                let value = block[(i, j)];
                if value == 0.0 || !folds && (fixed[at.0] || fixed[at.1]) {
                    continue;
                }
                let (below, on) = (row / SIZE, column / SIZE);
                if !folds && below.abs_diff(on) > 1 {
                    return Err(Singular);
                }
                // The number of a block among all, as SOFA counts it: further below, it is that of another block.
                let k = 2 * below + on + 1;
                if on < below + 2 && k < 3 * bands.len() {
                    bands[k / 3][k % 3][(row % SIZE, column % SIZE)] += value;
                }
            }
        }
        for (k, _) in scalars.iter().enumerate().filter(|(_, s)| fixed[**s as usize]) {
            hold(bands, k);
        }
        let mut last: Option<Block> = None;
        for row in bands {
            let [below, on, above] = *row;
            let reduced = last.map_or(on, |l| on - below * l);
            let inverse =
                reduced.try_inverse().filter(|a| a.iter().all(|v| v.is_finite())).ok_or(Singular)?;
            *row = [inverse, below, inverse * above];
            last = Some(row[2]);
        }
        Ok(())
    }

    /// Length of right-hand sides.
    pub fn size(&self) -> usize {
        self.n
    }

    /// Puts the solution in the place of a right-hand side.
    pub fn solve(&self, b: &mut [f64]) {
        let Self { scalars, rows, .. } = self;
        let block_of =
            |b: &[f64], i: usize| SVector::<f64, SIZE>::from_fn(|k, _| b[scalars[SIZE * i + k] as usize]);
        let put = |b: &mut [f64], i: usize, x: SVector<f64, SIZE>| {
            for k in 0..SIZE {
                b[scalars[SIZE * i + k] as usize] = x[k];
            }
        };
        for (i, [inverse, below, _]) in rows.iter().enumerate() {
            let mut right = block_of(b, i);
            if i > 0 {
                right -= below * block_of(b, i - 1);
            }
            put(b, i, inverse * right);
        }
        for i in (1..rows.len()).rev() {
            let x = block_of(b, i - 1) - rows[i - 1][2] * block_of(b, i);
            put(b, i - 1, x);
        }
    }
}
