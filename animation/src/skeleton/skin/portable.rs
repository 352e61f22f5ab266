//! Skinning on any processor: what the others must give, bit for bit.

use super::super::transform::{Matrix, moved_point};
use super::{Influences, Vertices};

/// Moves vertices.
pub(super) fn skin(
    matrices: &[Matrix],
    of: &Vertices<'_>,
    (to_positions, to_normals): (&mut [[f32; 3]], &mut [[f32; 3]]),
) {
    let moved = |k: usize| moved_by(matrices, of.influences, of.first + k);
    if of.normals.is_empty() {
        for (k, (p, to)) in of.positions.iter().zip(to_positions).enumerate() {
            *to = moved_point(&moved(k), *p);
        }
        return;
    }
    let at_rest = of.positions.iter().zip(of.normals);
    for (k, ((p, normal), (to, to_normal))) in
        at_rest.zip(to_positions.iter_mut().zip(to_normals)).enumerate()
    {
        let m = moved(k);
        *to = moved_point(&m, *p);
        *to_normal = turned(&m, *normal);
    }
}

/// The weighted sum of the matrices of a vertex's joints.
#[inline]
fn moved_by(matrices: &[Matrix], influences: &Influences, vertex: usize) -> Matrix {
    let four = |at: usize| -> Matrix {
        let w = influences.weights[at];
        let [a, b, c, d] = influences.joints[at].map(|joint| &matrices[usize::from(joint)]);
        std::array::from_fn(|k| {
            std::array::from_fn(|r| w[0] * a[k][r] + w[1] * b[k][r] + w[2] * c[k][r] + w[3] * d[k][r])
        })
    };
    let mut sum = four(vertex);
    let mut at = vertex + influences.n_vertices;
    while at < influences.joints.len() {
        let more = four(at);
        sum = std::array::from_fn(|k| std::array::from_fn(|r| sum[k][r] + more[k][r]));
        at += influences.n_vertices;
    }
    sum
}

/// A normal under the inverse transpose of a matrix, of length one.
#[inline]
fn turned(m: &Matrix, n: [f32; 3]) -> [f32; 3] {
    let cross = |p: &[f32; 4], q: &[f32; 4]| {
        [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
    };
    let (a, b, c) = (cross(&m[1], &m[2]), cross(&m[2], &m[0]), cross(&m[0], &m[1]));
    let det = m[0][0] * a[0] + m[0][1] * a[1] + m[0][2] * a[2];
    let v: [f32; 3] = std::array::from_fn(|r| a[r] * n[0] + b[r] * n[1] + c[r] * n[2]);
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if square > 0.0 { v.map(|x| x * 1.0_f32.copysign(det) / square.sqrt()) } else { n }
}
