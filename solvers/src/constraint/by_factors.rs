//! What gives way by a factorised matrix: compliances of rows, and motions.

use engine::data::GrowList;
use sim_core::visitor::constraints::UnitRows;

/// Right-hand sides that are solved for together.
const COLUMNS: usize = 32;

/// out = J A^-1 J^T of a unit's rows, row by row; `solve` takes several vectors of `size` scalars, which follow each other.
///
/// Where there is no matrix yet (`size` is 0), since the integrator's forces are balanced, nothing gives way.
pub(super) fn compliance(
    rows: &mut UnitRows,
    mut out: GrowList<'_, f64>,
    size: usize,
    mut solve: impl FnMut(&mut [f64]),
) {
    let n = rows.len();
    out.clear();
    (0..n * n).for_each(|_| out.push(0.0));
    if size == 0 {
        return;
    }
    let mut x = std::mem::take(&mut rows.room);
    for first in (0..n).step_by(COLUMNS) {
        let columns = first..n.min(first + COLUMNS);
        x.clear();
        x.resize(size * columns.len(), 0.0);
        for (column, x) in columns.clone().zip(x.chunks_exact_mut(size)) {
            rows.add_transposed(column, 1.0, x);
        }
        solve(&mut x);
        for row in 0..n {
            let of_row = &mut out.as_mut_slice()[row * n..][columns.clone()];
            for (w, x) in of_row.iter_mut().zip(x.chunks_exact(size)) {
                *w = rows.times(row, x);
            }
        }
    }
    rows.room = x;
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
