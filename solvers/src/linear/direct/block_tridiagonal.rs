//! The block Thomas algorithm: elimination of a matrix of blocks of six by six on the diagonal and beside it.
//!
//! **Source:** as SOFA's BTDLinearSolver: a_0 = A_00^-1, l_i = a_i A_i,i+1, a_i = (A_ii - A_i,i-1 l_i-1)^-1. SOFA's matrix adds what
//! is further below the diagonal to wrong blocks, drops what is further above it, and leaves out rows that fill no block; here
//! such a matrix has no factors, so that the step fails and says why.

use nalgebra::{SMatrix, SVector};

use super::factorization::Singular;
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
        if !scalars.len().is_multiple_of(SIZE) {
            return Err(Singular);
        }
        *n = fixed.len();
        number.clear();
        number.resize(fixed.len(), None);
        scalars.iter().enumerate().for_each(|(k, s)| number[*s as usize] = Some(k));
        bands.clear();
        bands.resize(scalars.len() / SIZE, [Block::zeros(); 3]);
        for (k, s) in scalars.iter().enumerate().filter(|(_, s)| fixed[**s as usize]) {
            bands[k / SIZE][1][(k % SIZE, k % SIZE)] = f64::from(u8::from(fixed[*s as usize]));
        }
        for block_row in 0..fixed.len() / 3 {
            for slot in places.row(block_row as u32) {
                for (i, j) in (0..9).map(|k| (k % 3, k / 3)) {
                    let at = (3 * block_row + i, 3 * places.columns[slot] as usize + j);
                    let (Some(row), Some(column)) = (number[at.0], number[at.1]) else { continue };
                    let value = values[slot][(i, j)];
                    if fixed[at.0] || fixed[at.1] || value == 0.0 {
                        continue;
                    }
                    let band = (column / SIZE + 1).checked_sub(row / SIZE).filter(|band| *band < 3);
                    let band = band.ok_or(Singular)?;
                    bands[row / SIZE][band][(row % SIZE, column % SIZE)] = value;
                }
            }
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
