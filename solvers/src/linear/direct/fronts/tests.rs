//! Factors by fronts solve the system, with the same bits whether parts are factorised one by one or all in turn.

use proptest::prelude::*;

use super::{Fronts, PARTS, Pivots};
use crate::linear::direct::scalar_matrix::ScalarMatrix;
use crate::linear::direct::side_by_side::{copy_column, groups_of, set_column};
use sim_core::math::lane::Row;

/// A grid of `nx` by `ny` by `nz` points with `d` scalars each, joined to neighbors; what is on and below the diagonal.
fn grid([nx, ny, nz]: [usize; 3], d: usize, shift: f64) -> ScalarMatrix {
    let n = nx * ny * nz * d;
    let near = |a: usize, b: usize| {
        let at = |k: usize| [k % nx, k / nx % ny, k / (nx * ny)];
        at(a).iter().zip(at(b)).all(|(x, y)| x.abs_diff(y) <= 1)
    };
    let mut matrix = ScalarMatrix::default();
    matrix.n = n;
    matrix.column_starts.push(0);
    for column in 0..n {
        for row in column..n {
            if near(row / d, column / d) {
                let noise = ((row * 31 + column * 17) as f64 * 0.73).sin();
                matrix.rows.push(row as u32);
                matrix.values.push(if row == column { shift + noise } else { noise });
            }
        }
        matrix.column_starts.push(matrix.rows.len() as u32);
    }
    matrix
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|v| v.to_bits()).collect()
}

/// Compares factors found in all ways, and what they make of `columns` right-hand sides.
fn check(matrix: &ScalarMatrix, columns: usize) {
    let n = matrix.n;
    let mut fronts = Fronts::of(matrix).expect("fronts");
    fronts.factorize(&matrix.values, Pivots::NotZero).expect("a regular matrix");
    let right = |k: usize| (0..n).map(|i| ((i + 7 * k) as f64 * 0.37).sin()).collect::<Vec<_>>();
    let mut solutions = Vec::new();
    for k in 0..columns {
        let mut x = right(k);
        fronts.solve(&mut x, &mut Vec::new());
        let mut residual = Vec::new();
        let size = matrix.residual(&right(k), &x, &mut residual);
        let largest = residual.iter().fold(0.0, |largest: f64, r| largest.max(r.abs()));
        assert!(largest <= 1e-11 * size, "the residual of {k} is {largest}, of {size}");
        solutions.push(bits(&x));
    }
    // A step that failed after its beginning, and one that comes to its end.
    fronts.begin();
    fronts.begin();
    (0..PARTS).rev().for_each(|part| fronts.factorize_part(part, &matrix.values, Pivots::Positive));
    fronts.end(&matrix.values, Pivots::Positive).expect("a regular matrix");
    let groups = groups_of(columns);
    let mut block = vec![Row::splat(0.0); n * groups];
    (0..columns).for_each(|k| set_column(&mut block, groups, k, &right(k)));
    fronts.solve_block(&mut block, groups, &mut Vec::new());
    for (k, expected) in solutions.iter().enumerate() {
        let mut found = Vec::new();
        copy_column(&block, groups, k, &mut found);
        assert_eq!(bits(&found), *expected, "right-hand side {k}");
    }
}

#[test]
fn large_systems_are_solved_in_parts() {
    for (size, d) in [([9, 8, 7], 3), ([40, 4, 4], 3), ([30, 30, 1], 2)] {
        let matrix = grid(size, d, 60.0);
        let fronts = Fronts::of(&matrix).expect("fronts");
        let busy = fronts.pattern.parts[..PARTS].iter().filter(|part| !part.is_empty()).count();
        assert!(busy > 1, "{size:?} has {busy} parts");
        check(&matrix, 9);
    }
}

#[test]
fn a_dense_matrix_is_a_chain_of_fronts() {
    check(&grid([2, 2, 2], 13, 70.0), 3);
}

#[test]
fn large_fronts_are_wider() {
    let matrix = grid([2, 2, 2], 130, 1200.0);
    let fronts = Fronts::of(&matrix).expect("fronts");
    assert_eq!(fronts.pattern.fronts.iter().map(|front| front.columns).max(), Some(128));
    check(&matrix, 3);
}

#[test]
fn a_large_body_is_dissected() {
    let matrix = grid([9, 9, 10], 3, 60.0);
    let fronts = Fronts::of(&matrix).expect("fronts");
    let work = |part: &Vec<u32>| part.iter().map(|k| fronts.pattern.fronts[*k as usize].work()).sum::<f64>();
    let work: Vec<f64> = fronts.pattern.parts.iter().map(work).collect();
    // By AMD the last part has two fifths of it.
    let all: f64 = work.iter().sum();
    assert!(work[PARTS] < 0.3 * all, "{work:?}");
    check(&matrix, 5);
}

#[test]
fn matrices_that_take_no_multiplication_are_solved() {
    check(&grid([0, 1, 1], 3, 40.0), 2);
    check(&grid([1, 1, 1], 1, 40.0), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_grid_is_solved(x in 1..6_usize, y in 1..6_usize, z in 1..5_usize, d in 1..4_usize, columns in 1..32_usize) {
        check(&grid([x, y, z], d, 40.0), columns);
    }
}
