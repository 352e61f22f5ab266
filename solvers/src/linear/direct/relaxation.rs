//! What takes the place of factors in a preconditioner: the diagonal of a matrix, or one sweep over it.

use sim_core::math::{Mat3, Vec3};

use super::scalar_matrix::ScalarMatrix;
use super::singular::Singular;

/// Finds the diagonal of a matrix.
///
/// # Errors
/// If one of its entries is zero, or not finite.
pub fn diagonal(matrix: &ScalarMatrix, diagonal: &mut Vec<f64>) -> Result<(), Singular> {
    let of_column = |column| matrix.column(column).find(|(row, _)| *row == column).map_or(0.0, |(_, d)| d);
    diagonal.clear();
    diagonal.extend((0..matrix.n).map(of_column));
    let is_regular = |d: &f64| d.is_finite() && *d != 0.0;
    if diagonal.iter().all(is_regular) { Ok(()) } else { Err(Singular) }
}

/// Finds the inverses of the blocks on the diagonal of a matrix.
///
/// # Errors
/// If one of them is singular.
pub fn inverse_blocks(matrix: &ScalarMatrix, inverses: &mut Vec<Mat3>) -> Result<(), Singular> {
    let block = |k: usize| {
        let mut block = Mat3::zeros();
        for j in 0..3 {
            for (row, value) in matrix.column(3 * k + j).filter(|(row, _)| row / 3 == k) {
                block[(row % 3, j)] = value;
            }
        }
        block.try_inverse().filter(|inverse| inverse.iter().all(|v| v.is_finite())).ok_or(Singular)
    };
    inverses.clear();
    for k in 0..matrix.n / 3 {
        inverses.push(block(k)?);
    }
    Ok(())
}

/// Multiplies each block of three scalars by its matrix.
pub fn multiply_blocks(blocks: &[Mat3], b: &mut [f64]) {
    for (block, b) in blocks.iter().zip(b.chunks_exact_mut(3)) {
        b.copy_from_slice((block * Vec3::new(b[0], b[1], b[2])).as_slice());
    }
}

/// b := (2 - omega) (I + omega D^-1 L)^-1 (D / omega + U)^-1 b; without the first factor where omega is 1. The matrix is given by
/// its lower triangle.
///
/// **Source:** as SOFA's SSORPreconditioner.
pub fn relax(matrix: &ScalarMatrix, diagonal: &[f64], omega: f64, b: &mut [f64]) {
    for column in (0..matrix.n).rev() {
        // The column below the diagonal is the row right of it.
        let below = matrix.column(column).filter(|(row, _)| *row > column);
        let sum: f64 = below.map(|(row, value)| value * b[row]).sum();
        b[column] = (b[column] - sum) / (diagonal[column] / omega);
    }
    for column in 0..matrix.n {
        let known = b[column];
        for (row, value) in matrix.column(column).filter(|(row, _)| *row > column) {
            b[row] -= omega / diagonal[row] * value * known;
        }
    }
    if omega != 1.0 {
        b.iter_mut().for_each(|b| *b *= 2.0 - omega);
    }
}
