//! The frames of elements: rotations that follow a deforming element.

use sim_core::component::attributes::Word;
use sim_core::math::Mat3;
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, dispatch};

use super::lane_algebra::*;

/// How an element's frame follows its deformation: SOFA's attribute `method`.
#[derive(Word, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// No rotation: small displacements.
    Small,
    /// From two edges: large displacements.
    Large,
    /// The orthogonal polar factor of the matrix of edges.
    Polar,
    /// As `Polar`, but a proper rotation from a singular value decomposition where an element is inverted or flat.
    Svd,
}

/// The frame whose first axis is `first` and whose third is normal to both vectors; rows are axes.
#[inline(always)]
pub(crate) fn from_two_edges<L: Lane>(first: &V3<L>, second: &V3<L>) -> M3<L> {
    let x = normalized(first);
    let z = normalized(&cross(&x, second));
    let y = cross(&z, &x);
    [x, y, z]
}

/// No rotation.
#[inline(always)]
pub(crate) fn identity<L: Lane>() -> M3<L> {
    let (o, i) = (L::splat(0.0), L::splat(1.0));
    [[i, o, o], [o, i, o], [o, o, i]]
}

/// More iterations than any matrix of numbers needs (each squares the error).
const POLAR_MAX_ITERATIONS: usize = 100;

/// The orthogonal polar factor Q of A = Q S, S symmetric. Where A is singular, the iterate so far; where det A < 0, a reflection.
///
/// Each element stops at its own convergence, so its bits do not depend on its neighbors in the block.
///
/// **Source:** Higham 1986, Newton's iteration with scaling by the 1- and ∞-norms, stopped at 1e-8, as SOFA does.
#[inline(always)]
pub(crate) fn polar_factor<L: Lane>(a: &M3<L>) -> M3<L> {
    let half = L::splat(0.5);
    let mut m = transposed(a);
    let (mut one, mut infinity) = (one_norm(&m), infinity_norm(&m));
    let mut active = L::splat(1.0).gt(L::splat(0.0));
    for _ in 0..POLAR_MAX_ITERATIONS {
        let adjoint = [cross(&m[1], &m[2]), cross(&m[2], &m[0]), cross(&m[0], &m[1])];
        let det = dot(&m[0], &adjoint[0]);
        active = L::and(active, det.ne(L::splat(0.0)));
        if !L::any(active) {
            break;
        }
        let ratio = (one_norm(&adjoint) * infinity_norm(&adjoint)) / (one * infinity);
        let gamma = (ratio.sqrt() / det.abs()).sqrt();
        let (g1, g2) = (gamma * half, half / (gamma * det));
        let mut change = m;
        let mut i = 0;
        while i < 3 {
            let mut j = 0;
            while j < 3 {
                let next = g1 * m[i][j] + g2 * adjoint[i][j];
                change[i][j] = m[i][j] - next;
                m[i][j] = L::select(active, next, m[i][j]);
                j += 1;
            }
            i += 1;
        }
        one = one_norm(&m);
        infinity = infinity_norm(&m);
        active = L::and(active, one_norm(&change).gt(one * L::splat(1e-8)));
        if !L::any(active) {
            break;
        }
    }
    transposed(&m)
}

/// The largest sum of absolute values of a column.
#[inline(always)]
fn one_norm<L: Lane>(m: &M3<L>) -> L {
    infinity_norm(&transposed(m))
}

/// The largest sum of absolute values of a row.
#[inline(always)]
fn infinity_norm<L: Lane>(m: &M3<L>) -> L {
    let a = (m[0][0].abs() + m[0][1].abs()) + m[0][2].abs();
    let b = (m[1][0].abs() + m[1][1].abs()) + m[1][2].abs();
    let c = (m[2][0].abs() + m[2][1].abs()) + m[2][2].abs();
    a.max(b).max(c)
}

/// The polar factor of one matrix, the same in all places.
struct PolarFactor<'a>(&'a MRow, &'a mut MRow);

impl LaneKernel for PolarFactor<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        store33::<L>(&polar_factor(&load33(self.0, 0)), self.1, 0);
    }
}

/// [`polar_factor`] of one matrix.
pub(crate) fn polar_rotation(a: &Mat3) -> Mat3 {
    let (mut rows, mut found) = (ZERO_ROWS, ZERO_ROWS);
    for (i, row) in rows.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            entry.0 = [a[(i, j)]; BLOCK];
        }
    }
    dispatch(PolarFactor(&rows, &mut found));
    Mat3::from_fn(|i, j| found[i][j].0[0])
}

/// Entries beyond which squares of squares may leave what a number can be: the decomposition would be looked for without end.
const TOO_LARGE: f64 = 1e70;

/// The proper rotation nearest to a matrix that may be singular or inverted: U Vᵀ of its singular value decomposition, the
/// direction of the smallest singular value turned around where that is needed. A matrix that is not finite, or almost so, stays as it
/// is: what is computed with it is not finite soon, which the step says.
pub(crate) fn nearest_rotation(t: &Mat3) -> Mat3 {
    if t.iter().any(|c| !c.is_finite() || c.abs() > TOO_LARGE) {
        return *t;
    }
    let svd = t.svd(true, true);
    let (Some(mut u), Some(v_t)) = (svd.u, svd.v_t) else { return Mat3::identity() };
    if (u * v_t).determinant() < 0.0 {
        let smallest = svd.singular_values.imin();
        u.column_mut(smallest).neg_mut();
    }
    u * v_t
}

/// The ratio of a matrix' determinant to the third power of its size below which it counts as singular: the sign is of rounding then.
const SINGULAR: f64 = 1e-14;

/// The orthogonal factor of a matrix, as SOFA finds it; of a singular one the nearest rotation. There, SOFA's is a rotation, a
/// reflection or no orthogonal matrix at all, by the sign that rounding gives the determinant.
pub(crate) fn orthogonal_factor(a: &Mat3) -> Mat3 {
    if a.determinant().abs() <= SINGULAR * a.norm().powi(3) {
        return nearest_rotation(a);
    }
    let factor = polar_rotation(a);
    let is_orthogonal = (factor.transpose() * factor - Mat3::identity()).norm() < 1e-6;
    if is_orthogonal { factor } else { nearest_rotation(a) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::Vec3;
    use sim_core::math::lane::{Instructions, dispatch_with};
    use sim_core::testing::Random;

    struct Polar<'a>(&'a [MRow], &'a mut [MRow]);
    impl LaneKernel for Polar<'_> {
        type Output = ();
        #[inline(always)]
        fn run<L: Lane>(self) {
            for (a, q) in self.0.iter().zip(self.1) {
                let mut at = 0;
                while at < BLOCK {
                    store33::<L>(&polar_factor(&load33(a, at)), q, at);
                    at += L::WIDTH;
                }
            }
        }
    }

    fn matrix(rows: &MRow, e: usize) -> Mat3 {
        Mat3::from_fn(|i, j| rows[i][j].0[e])
    }

    #[test]
    fn polar_factors_are_orthogonal_and_leave_a_symmetric_rest() {
        let mut random = Random::new(5);
        let mut a: Vec<MRow> = Vec::new();
        for k in 0..20 {
            let mut rows = ZERO_ROWS;
            for row in rows.iter_mut().flatten() {
                for value in &mut row.0 {
                    *value = random.real() * 10f64.powi(k - 10);
                }
            }
            a.push(rows);
        }
        a[0] = ZERO_ROWS;
        a[1][2] = a[1][0]; // singular
        let mut results = Vec::new();
        for instructions in Instructions::available() {
            let mut q = vec![ZERO_ROWS; a.len()];
            dispatch_with(instructions, Polar(&a, &mut q));
            results.push(q);
        }
        assert!(results.windows(2).all(|w| w[0] == w[1]), "bits depend on the instruction set");
        for (a, q) in a.iter().zip(&results[0]).skip(2) {
            for e in 0..BLOCK {
                let (a, q) = (matrix(a, e), matrix(q, e));
                assert!((q.transpose() * q - Mat3::identity()).norm() < 1e-12);
                let s = q.transpose() * a;
                assert!((s - s.transpose()).norm() < 1e-10 * a.norm());
                assert_eq!(q.determinant() > 0.0, a.determinant() > 0.0);
            }
        }
        assert!(matrix(&results[0][0], 3) == Mat3::zeros());
    }

    #[test]
    fn rotations_of_huge_matrices_come_to_an_end() {
        let t = Mat3::new(1.0, 0.3, -0.2, 0.1, 2.0, 0.4, -0.5, 0.2, 0.7);
        for size in [1e-60, 1e60] {
            let apart = nearest_rotation(&(t * size)) - nearest_rotation(&t);
            assert!(apart.amax() < 1e-12, "{size}: {apart}");
        }
        for size in [1e80, 1e160, 1e300] {
            assert_eq!(nearest_rotation(&(t * size)), t * size);
        }
    }

    #[test]
    fn nearest_rotation_is_proper_even_where_a_matrix_is_flat_or_inverted() {
        let mut random = Random::new(6);
        for flatten in [1.0, 0.0, -1.0] {
            for _ in 0..20 {
                let r = Mat3::from_columns(&[random.vec3(), random.vec3(), random.vec3()]);
                let t = r * Mat3::from_diagonal(&Vec3::new(1.0, 1.0, flatten));
                let q = nearest_rotation(&t);
                assert!((q.transpose() * q - Mat3::identity()).norm() < 1e-12);
                assert!((q.determinant() - 1.0).abs() < 1e-12);
            }
        }
    }

    /// The mean of a rotation and of a reflection is singular.
    #[test]
    fn orthogonal_factor_is_one_of_singular_matrices_too() {
        let mut random = Random::new(8);
        for _ in 0..20 {
            let q = nearest_rotation(&Mat3::from_columns(&[random.vec3(), random.vec3(), random.vec3()]));
            let n = random.vec3().normalize();
            let sum = q + q * (Mat3::identity() - 2.0 * n * n.transpose());
            let found = orthogonal_factor(&sum);
            assert!((found.transpose() * found - Mat3::identity()).norm() < 1e-12, "{found}");
            let stretched = q * Mat3::from_diagonal(&Vec3::new(2.0, 1.0, 0.5));
            assert!((orthogonal_factor(&stretched) - q).norm() < 1e-12);
            assert!((orthogonal_factor(&-stretched) + q).norm() < 1e-12, "a reflection stays one, as SOFA's");
        }
    }
}
