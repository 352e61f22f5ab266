//! Transforms of joints, and the matrices that they make.

use super::carry::{SINGLE, axes, combined};

/// A 4 x 4 matrix by columns; the last row is 0, 0, 0, 1.
pub type Matrix = [[f32; 4]; 4];

/// The matrix that moves nothing.
pub const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// A scale, then a rotation, then a translation, relative to the parent's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The translation, in the file's unit of length.
    pub translation: [f32; 3],
    /// The rotation: a unit quaternion, as x, y, z, w.
    pub rotation: [f32; 4],
    /// The scale along each axis.
    pub scale: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

impl Transform {
    /// Whether all its numbers are finite and its quaternion has a direction.
    pub fn is_finite(&self) -> bool {
        let mut all = self.translation.iter().chain(&self.rotation).chain(&self.scale);
        all.all(|x| x.is_finite()) && self.rotation.iter().any(|x| *x != 0.0)
    }

    /// The matrix: translation * rotation * scale.
    #[inline]
    pub fn matrix(&self) -> Matrix {
        let [x, y, z, w] = self.rotation;
        let [a, b, c] = self.scale;
        let [u, v, t] = self.translation;
        let [p, q, r] = axes(SINGLE, [x, y, z, w]);
        [
            [a * p[0], a * p[1], a * p[2], 0.0],
            [b * q[0], b * q[1], b * q[2], 0.0],
            [c * r[0], c * r[1], c * r[2], 0.0],
            [u, v, t, 1.0],
        ]
    }
}

/// A quaternion of length one with the direction of another; none if all numbers of that are zero, or one is not finite. It is computed in
/// `f64`, in which no square of an `f32` overflows or vanishes.
#[inline]
pub(super) fn unit(q: [f32; 4]) -> Option<[f32; 4]> {
    let q = q.map(f64::from);
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length > 0.0 && length.is_finite()).then(|| q.map(|x| (x / length) as f32))
}

/// The same for one that is given: what is of length one but for rounding stays as it is.
pub(super) fn of_length_one(q: [f32; 4]) -> Option<[f32; 4]> {
    const ROUNDING: f64 = 1e-6;
    let length = q.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if (length - 1.0).abs() <= ROUNDING { Some(q) } else { unit(q) }
}

/// The matrix that does what `b` does and then what `a` does. Last rows are taken to be 0, 0, 0, 1.
#[inline]
pub fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let turned = |x: &[f32; 4]| -> [f32; 4] {
        std::array::from_fn(|r| combined(SINGLE, [a[0][r], a[1][r], a[2][r]], [x[0], x[1], x[2]]))
    };
    let at = turned(&b[3]);
    [turned(&b[0]), turned(&b[1]), turned(&b[2]), std::array::from_fn(|r| at[r] + a[3][r])]
}

/// Where a matrix moves a point.
#[inline]
pub fn moved_point(m: &Matrix, p: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|r| combined(SINGLE, [m[0][r], m[1][r], m[2][r]], p) + m[3][r])
}

/// The matrix that takes back what an affine matrix does; none if that is impossible. It is computed in `f64`.
pub fn inverse(m: &Matrix) -> Option<Matrix> {
    let a = m.map(|c| c.map(f64::from));
    let cross = |p: [f64; 4], q: [f64; 4]| {
        [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
    };
    let rows = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])];
    let det: f64 = (0..3).map(|k| a[0][k] * rows[0][k]).sum();
    let size: f64 = a[..3].iter().flat_map(|c| &c[..3]).map(|x| x.abs()).fold(0.0, f64::max);
    // Also false where something is not a number.
    let is_regular = det.abs() > 1e-12 * size * size * size;
    if !is_regular {
        return None;
    }
    let mut to = [[0.0; 4]; 4];
    for (r, row) in rows.iter().enumerate() {
        for k in 0..3 {
            to[k][r] = row[k] / det;
        }
        to[3][r] = -(0..3).map(|k| row[k] / det * a[3][k]).sum::<f64>();
    }
    to[3][3] = 1.0;
    Some(to.map(|c| c.map(|x| x as f32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_comes_first_and_translation_last() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let t = Transform {
            translation: [10.0, 20.0, 30.0],
            rotation: [0.0, 0.0, half, half],
            scale: [2.0, 3.0, 4.0],
        };
        let p = moved_point(&t.matrix(), [1.0, 1.0, 1.0]);
        let expected = [10.0 - 3.0, 20.0 + 2.0, 34.0];
        for (x, y) in p.iter().zip(expected) {
            assert!((x - y).abs() < 1e-5, "{p:?}");
        }
    }

    #[test]
    fn quaternions_of_any_size_have_a_direction() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        for size in [3e38, 1e30, 1.0, 1e-30, 1e-44] {
            let q = unit([0.0, 0.0, size, size]).expect("a direction");
            assert!((q[2] - half).abs() < 1e-6 && (q[3] - half).abs() < 1e-6, "{size}: {q:?}");
        }
        assert_eq!((unit([0.0; 4]), unit([f32::INFINITY, 0.0, 0.0, 1.0])), (None, None));
        let rounded = [0.0, 0.0, 0.0, 1.0 + f32::EPSILON];
        assert_eq!(of_length_one(rounded), Some(rounded));
    }

    #[test]
    fn an_inverse_takes_back_and_a_flat_matrix_has_none() {
        let t = Transform { translation: [1.0, -2.0, 3.0], rotation: [0.5; 4], scale: [2.0, -1.0, 0.5] };
        let m = t.matrix();
        let back = product(&inverse(&m).expect("regular"), &m);
        for (x, y) in back.iter().flatten().zip(IDENTITY.iter().flatten()) {
            assert!((x - y).abs() < 1e-6, "{back:?}");
        }
        assert!(inverse(&Transform { scale: [1.0, 0.0, 1.0], ..t }.matrix()).is_none());
        assert!(inverse(&Transform { scale: [1.0, f32::NAN, 1.0], ..t }.matrix()).is_none());
    }
}
