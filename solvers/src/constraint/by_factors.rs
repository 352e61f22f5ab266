//! What gives way by a factorised matrix: compliances of rows, and motions.

use std::ops::Range;

use engine::data::{GrowList, Looks};
use sim_core::math::Vec3;
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};
use sim_core::visitor::constraints::UnitRows;

use crate::linear::{Factors, Several, TOGETHER, groups_of};

/// out = J A^-1 J^T of a unit's rows, row by row; `solve` takes a block of right-hand sides of `size` scalars, and their number.
///
/// Where there is no matrix yet (`size` is 0), since the integrator's forces are balanced, nothing gives way.
pub(super) fn compliance(
    rows: &mut UnitRows,
    out: GrowList<'_, f64>,
    size: usize,
    mut solve: impl FnMut(&mut [Row], usize),
) {
    let n = rows.len();
    let mut out = of_length(out, n * n);
    if size == 0 {
        return out.as_mut_slice().fill(0.0);
    }
    let mut block = std::mem::take(&mut rows.lanes);
    for columns in blocks(n) {
        right_hand_sides(rows, size, columns.clone(), &mut block);
        solve(&mut block, columns.len());
        Products::of(rows, &block, columns.clone()).write(&mut out.as_mut_slice()[columns.start..], n);
    }
    rows.lanes = block;
}

/// A list of so many numbers, which are to be written.
fn of_length(mut out: GrowList<'_, f64>, n: usize) -> GrowList<'_, f64> {
    out.truncate(n);
    (out.len()..n).for_each(|_| out.push(0.0));
    out
}

/// The columns that are computed together.
fn blocks(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(TOGETHER).map(move |first| first..n.min(first + TOGETHER))
}

/// Some columns of J^T.
fn right_hand_sides(rows: &UnitRows, size: usize, columns: Range<usize>, block: &mut Vec<Row>) {
    let groups = groups_of(columns.len());
    block.clear();
    block.resize(size * groups, Row::splat(0.0));
    for (column, row) in columns.enumerate() {
        let (group, lane) = (column / BLOCK, column % BLOCK);
        for (at, d) in rows.row(row) {
            for k in 0..3 {
                block[(3 * *at as usize + k) * groups + group].0[lane] += d[k];
            }
        }
    }
}

/// What one of several tasks that compute a compliance side by side works in.
#[derive(Debug, Default)]
pub(super) struct ComplianceRoom {
    block: Vec<Row>,
    several: Several,
    /// Of each block of columns that is the task's, all rows one after the other.
    products: Vec<f64>,
    /// Of each, whether it has been solved.
    solved: Vec<bool>,
}

impl ComplianceRoom {
    /// Computes each so-manyth block of columns, from one on.
    pub(super) fn compute(&mut self, rows: &UnitRows, factors: &Factors, [own, tasks]: [usize; 2]) {
        let (n, size) = (rows.len(), factors.size());
        self.products.clear();
        self.solved.clear();
        if size == 0 {
            return;
        }
        for columns in blocks(n).skip(own).step_by(tasks) {
            right_hand_sides(rows, size, columns.clone(), &mut self.block);
            let solved = factors.solve_block_beside(&mut self.block, columns.len(), &mut self.several);
            self.solved.push(solved);
            let (begin, width) = (self.products.len(), columns.len());
            self.products.resize(begin + n * width, 0.0);
            Products::of(rows, &self.block, columns).write(&mut self.products[begin..], width);
        }
    }
}

/// Puts together what tasks have computed side by side; `solve` does what they could not, see [`compliance`].
pub(super) fn gather_compliance(
    rows: &mut UnitRows,
    out: GrowList<'_, f64>,
    size: usize,
    rooms: Looks<'_, ComplianceRoom>,
    mut solve: impl FnMut(&mut [Row], usize),
) {
    let n = rows.len();
    let mut out = of_length(out, n * n);
    let out = out.as_mut_slice();
    if size == 0 {
        return out.fill(0.0);
    }
    let mut block = std::mem::take(&mut rows.lanes);
    for (number, columns) in blocks(n).enumerate() {
        let (room, k) = (rooms.get(number % rooms.len()), number / rooms.len());
        if room.solved[k] {
            let products = &room.products[k * n * TOGETHER..];
            for (to, from) in out.chunks_exact_mut(n).zip(products.chunks_exact(columns.len())) {
                to[columns.clone()].copy_from_slice(from);
            }
        } else {
            right_hand_sides(rows, size, columns.clone(), &mut block);
            solve(&mut block, columns.len());
            Products::of(rows, &block, columns.clone()).write(&mut out[columns.start..], n);
        }
    }
    rows.lanes = block;
}

/// The products of all rows with a block of vectors.
struct Products<'a> {
    rows: &'a UnitRows,
    block: &'a [Row],
    columns: usize,
}

impl<'a> Products<'a> {
    fn of(rows: &'a UnitRows, block: &'a [Row], columns: Range<usize>) -> Self {
        Self { rows, block, columns: columns.len() }
    }

    /// Writes those of each row one after the other, those of the next one `stride` numbers further.
    fn write(self, out: &mut [f64], stride: usize) {
        dispatch(Write { products: self, out, stride });
    }
}

struct Write<'a> {
    products: Products<'a>,
    out: &'a mut [f64],
    stride: usize,
}

impl LaneKernel for Write<'_> {
    type Output = ();

    /// Each product is that of [`UnitRows::times`], operation by operation.
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { products: Products { rows, block, columns }, out, stride } = self;
        let groups = groups_of(columns);
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
                out[row * stride + begin..][..count].copy_from_slice(&products.0[..count]);
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
