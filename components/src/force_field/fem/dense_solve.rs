//! The solution of small dense systems when a scene is built.

use sim_core::math::Real;

/// Solves A X = B by elimination with row exchanges; A has `n` rows, B `columns` columns and is replaced by X. Both are stored row by row.
///
/// Whether there is a solution; where there is none, B is left undefined.
pub fn solve(n: usize, a: &mut [Real], columns: usize, b: &mut [Real]) -> bool {
    for k in 0..n {
        let size = |row: &usize| a[row * n + k].abs();
        let Some(pivot) = (k..n).max_by(|i, j| size(i).total_cmp(&size(j))) else { return false };
        let value = a[pivot * n + k];
        if value == 0.0 || !value.is_finite() {
            return false;
        }
        if pivot != k {
            (0..n).for_each(|c| a.swap(k * n + c, pivot * n + c));
            (0..columns).for_each(|c| b.swap(k * columns + c, pivot * columns + c));
        }
        for row in k + 1..n {
            let factor = a[row * n + k] / value;
            if factor != 0.0 {
                (k..n).for_each(|c| a[row * n + c] -= factor * a[k * n + c]);
                (0..columns).for_each(|c| b[row * columns + c] -= factor * b[k * columns + c]);
            }
        }
    }
    for k in (0..n).rev() {
        for c in 0..columns {
            let known: Real = (k + 1..n).map(|j| a[k * n + j] * b[j * columns + c]).sum();
            b[k * columns + c] = (b[k * columns + c] - known) / a[k * n + k];
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_rows_and_sees_what_has_no_solution() {
        let mut a = [0.0, 2.0, 1.0, 1.0];
        let mut b = [2.0, 4.0, 3.0, 5.0];
        assert!(solve(2, &mut a, 2, &mut b));
        assert_eq!(b, [2.0, 3.0, 1.0, 2.0]);
        assert!(!solve(2, &mut [1.0, 2.0, 2.0, 4.0], 1, &mut [1.0, 1.0]));
    }
}
