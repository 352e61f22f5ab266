//! Several right-hand sides at once: eight stand side by side in a row of lanes, and each operation is on all of them.
//!
//! A block of right-hand sides has `groups` rows of lanes for each scalar: row `i * groups + g` has scalar `i` of the right-hand
//! sides `8 g` to `8 g + 7`.

use sim_core::math::lane::{BLOCK, Row};

/// Right-hand sides that are taken through factors together, at most.
pub const TOGETHER: usize = 4 * BLOCK;

/// How many rows of lanes each scalar of so many right-hand sides has.
pub fn groups_of(columns: usize) -> usize {
    columns.div_ceil(BLOCK)
}

/// Where scalar 0 of a right-hand side is: the row of lanes, and the place in it.
fn place(column: usize) -> (usize, usize) {
    (column / BLOCK, column % BLOCK)
}

/// One right-hand side of a block.
pub fn copy_column(block: &[Row], groups: usize, column: usize, to: &mut Vec<f64>) {
    let (group, lane) = place(column);
    to.clear();
    to.extend(block[group..].iter().step_by(groups).map(|row| row.0[lane]));
}

/// Puts a right-hand side into a block.
pub fn set_column(block: &mut [Row], groups: usize, column: usize, values: &[f64]) {
    let (group, lane) = place(column);
    for (row, value) in block[group..].iter_mut().step_by(groups).zip(values) {
        row.0[lane] = *value;
    }
}
