//! Skinning with vectors of eight numbers (AVX2): two columns of a matrix side by side.
//!
//! Each number sees the operations of [`portable`](super::portable) in their order, and none are fused.

use pulp::bytemuck::cast_slice;
use pulp::x86::V3;
use pulp::{NullaryFnOnce, cast, f32x4, f32x8};

use super::super::transform::Matrix;
use super::{Influences, Vertices};

/// Moves vertices.
pub(super) fn skin(
    wide: V3,
    matrices: &[Matrix],
    of: &Vertices<'_>,
    (to_positions, to_normals): (&mut [[f32; 3]], &mut [[f32; 3]]),
) {
    let matrices = cast_slice(matrices);
    wide.vectorize(Skinned { wide, matrices, of, to_positions, to_normals });
}

/// Columns 0 and 1 of a matrix, then 2 and 3.
type Columns = [f32x8; 2];

struct Skinned<'s> {
    wide: V3,
    matrices: &'s [Columns],
    of: &'s Vertices<'s>,
    to_positions: &'s mut [[f32; 3]],
    to_normals: &'s mut [[f32; 3]],
}

impl NullaryFnOnce for Skinned<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { wide, matrices, of, to_positions, to_normals } = self;
        let n = of.positions.len();
        let all = of.influences;
        let first = of.first..of.first + n;
        let blocks = all.joints[first.clone()].iter().zip(&all.weights[first]);
        let rest = of.positions.iter().zip(to_positions);
        if of.normals.is_empty() {
            for (k, ((joints, weights), (p, to))) in blocks.zip(rest).enumerate() {
                let m = moved_by(wide, matrices, (joints, weights), (all, of.first + k));
                *to = point(wide, &m, p);
            }
            return;
        }
        let normals = of.normals.iter().zip(to_normals);
        for (k, (((joints, weights), (p, to)), (normal, to_normal))) in
            blocks.zip(rest).zip(normals).enumerate()
        {
            let m = moved_by(wide, matrices, (joints, weights), (all, of.first + k));
            *to = point(wide, &m, p);
            *to_normal = turned(wide, &m, normal);
        }
    }
}

/// The weighted sum of the matrices of a vertex's joints: of its first block, and of the others that are further on.
#[inline(always)]
fn moved_by(
    wide: V3,
    matrices: &[Columns],
    (joints, weights): (&[u16; 4], &[f32; 4]),
    (all, vertex): (&Influences, usize),
) -> Columns {
    let mut sum = four(wide, matrices, joints, weights);
    let mut at = vertex + all.n_vertices;
    while at < all.joints.len() {
        let more = four(wide, matrices, &all.joints[at], &all.weights[at]);
        sum = [wide.add_f32x8(sum[0], more[0]), wide.add_f32x8(sum[1], more[1])];
        at += all.n_vertices;
    }
    sum
}

/// The weighted sum of four matrices.
#[inline(always)]
fn four(wide: V3, matrices: &[Columns], joints: &[u16; 4], weights: &[f32; 4]) -> Columns {
    let [a, b, c, d] = [
        &matrices[usize::from(joints[0])],
        &matrices[usize::from(joints[1])],
        &matrices[usize::from(joints[2])],
        &matrices[usize::from(joints[3])],
    ];
    let w = [
        wide.splat_f32x8(weights[0]),
        wide.splat_f32x8(weights[1]),
        wide.splat_f32x8(weights[2]),
        wide.splat_f32x8(weights[3]),
    ];
    [sum(wide, &w, [a[0], b[0], c[0], d[0]]), sum(wide, &w, [a[1], b[1], c[1], d[1]])]
}

/// The weighted sum of four vectors, from the first on.
#[inline(always)]
fn sum(wide: V3, w: &[f32x8; 4], of: [f32x8; 4]) -> f32x8 {
    let two = wide.add_f32x8(wide.mul_f32x8(w[0], of[0]), wide.mul_f32x8(w[1], of[1]));
    let three = wide.add_f32x8(two, wide.mul_f32x8(w[2], of[2]));
    wide.add_f32x8(three, wide.mul_f32x8(w[3], of[3]))
}

#[inline(always)]
fn splat(x: f32) -> f32x4 {
    f32x4(x, x, x, x)
}

#[inline(always)]
fn columns(m: &Columns) -> [f32x4; 4] {
    let ([a, b], [c, d]): ([f32x4; 2], [f32x4; 2]) = (cast(m[0]), cast(m[1]));
    [a, b, c, d]
}

#[inline(always)]
fn point(wide: V3, m: &Columns, p: &[f32; 3]) -> [f32; 3] {
    let [a, b, c, d] = columns(m);
    let two = wide.add_f32x4(wide.mul_f32x4(a, splat(p[0])), wide.mul_f32x4(b, splat(p[1])));
    let three = wide.add_f32x4(two, wide.mul_f32x4(c, splat(p[2])));
    let moved = wide.add_f32x4(three, d);
    [moved.0, moved.1, moved.2]
}

/// The second, the third and the first number.
#[inline(always)]
fn rotated(v: f32x4) -> f32x4 {
    f32x4(v.1, v.2, v.0, v.3)
}

/// The cross product of two vectors, its third number first, then its first and second; `next` are the vectors rotated.
#[inline(always)]
fn cross(wide: V3, [p, q]: [f32x4; 2], next: [f32x4; 2]) -> f32x4 {
    wide.sub_f32x4(wide.mul_f32x4(p, next[1]), wide.mul_f32x4(next[0], q))
}

/// A normal under the inverse transpose of a matrix, of length one.
#[inline(always)]
fn turned(wide: V3, m: &Columns, normal: &[f32; 3]) -> [f32; 3] {
    let [p, q, r, _] = columns(m);
    let next = [rotated(p), rotated(q), rotated(r)];
    let a = cross(wide, [q, r], [next[1], next[2]]);
    let b = cross(wide, [r, p], [next[2], next[0]]);
    let c = cross(wide, [p, q], [next[0], next[1]]);
    let det = p.0 * a.1 + p.1 * a.2 + p.2 * a.0;
    let two = wide.add_f32x4(wide.mul_f32x4(a, splat(normal[0])), wide.mul_f32x4(b, splat(normal[1])));
    let v = wide.add_f32x4(two, wide.mul_f32x4(c, splat(normal[2])));
    let square = v.1 * v.1 + v.2 * v.2 + v.0 * v.0;
    if square > 0.0 {
        let signed = wide.mul_f32x4(v, splat(1.0_f32.copysign(det)));
        let unit = wide.div_f32x4(signed, splat(square.sqrt()));
        [unit.1, unit.2, unit.0]
    } else {
        *normal
    }
}
