//! What gives way by a factorised matrix: compliances of rows, and motions.

use engine::data::GrowList;
use sim_core::math::Vec3;
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};
use sim_core::visitor::constraints::UnitRows;

use crate::linear::{TOGETHER, groups_of};

/// out = J A^-1 J^T of a unit's rows, row by row; `solve` takes a block of right-hand sides of `size` scalars, and their number.
///
/// Where there is no matrix yet (`size` is 0), since the integrator's forces are balanced, nothing gives way.
pub(super) fn compliance(
    rows: &mut UnitRows,
    mut out: GrowList<'_, f64>,
    size: usize,
    mut solve: impl FnMut(&mut [Row], usize),
) {
    let n = rows.len();
    out.clear();
    (0..n * n).for_each(|_| out.push(0.0));
    if size == 0 {
        return;
    }
    let mut block = std::mem::take(&mut rows.lanes);
    for first in (0..n).step_by(TOGETHER) {
        let columns = TOGETHER.min(n - first);
        let groups = groups_of(columns);
        block.clear();
        block.resize(size * groups, Row::splat(0.0));
        for column in 0..columns {
            let (group, lane) = (column / BLOCK, column % BLOCK);
            for (at, d) in rows.row(first + column) {
                for k in 0..3 {
                    block[(3 * *at as usize + k) * groups + group].0[lane] += d[k];
                }
            }
        }
        solve(&mut block, columns);
        let out = out.as_mut_slice();
        dispatch(Products { rows, block: &block, groups, out, first, columns });
    }
    rows.lanes = block;
}

/// Writes the products of all rows with a block of vectors into the columns from `first` on of a square matrix.
struct Products<'a> {
    rows: &'a UnitRows,
    block: &'a [Row],
    groups: usize,
    out: &'a mut [f64],
    first: usize,
    columns: usize,
}

impl LaneKernel for Products<'_> {
    type Output = ();

    /// Each product is that of [`UnitRows::times`], operation by operation.
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { rows, block, groups, out, first, columns } = self;
        let n = rows.len();
        let mut products = Row::splat(0.0);
        let mut row = 0;
        while row < n {
            let entries = rows.row(row);
            let mut group = 0;
            while group < groups {
                let mut at = 0;
                while at < BLOCK {
                    row_product::<L>(entries, block, [groups, group, at]).store(&mut products, at);
                    at += L::WIDTH;
                }
                let begin = BLOCK * group;
                let count = BLOCK.min(columns - begin);
                out[row * n + first + begin..][..count].copy_from_slice(&products.0[..count]);
                group += 1;
            }
            row += 1;
        }
    }
}

#[inline(always)]
fn row_product<L: Lane>(entries: &[(u32, Vec3)], block: &[Row], [groups, group, at]: [usize; 3]) -> L {
    // As a sum of numbers begins.
    let mut sum = L::splat(-0.0);
    let mut k = 0;
    while k < entries.len() {
        let (of, d) = &entries[k];
        let scalar = 3 * *of as usize * groups + group;
        let x = L::load(&block[scalar], at);
        let y = L::load(&block[scalar + groups], at);
        let z = L::load(&block[scalar + 2 * groups], at);
        sum = sum + (L::splat(d.x) * x + L::splat(d.y) * y + L::splat(d.z) * z);
        k += 1;
    }
    sum
}

/// motion := A^-1 motion, which `solve` does to a vector of `size` scalars; what is beyond the motion's is 0. Without a matrix it is 0, as
/// [`compliance`] is.
pub(super) fn motion(motion: &mut [f64], rows: &mut UnitRows, size: usize, solve: impl FnOnce(&mut [f64])) {
    if motion.iter().all(|f| *f == 0.0) {
        return;
    }
    if size == 0 {
        motion.fill(0.0);
        return;
    }
    let n = motion.len();
    let mut x = std::mem::take(&mut rows.room);
    x.clear();
    x.resize(size, 0.0);
    x[..n].copy_from_slice(motion);
    solve(&mut x);
    motion.copy_from_slice(&x[..n]);
    rows.room = x;
}
