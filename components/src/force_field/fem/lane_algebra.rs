//! Vectors and matrices of lanes, and the isotropic stress. Every function states its order of operations.
//!
//! All of it is inlined into kernels, and free of closures (see [`sim_core::math::lane`]).

use sim_core::math::lane::{Lane, Row};

/// A vector, one per element.
pub(crate) type V3<L> = [L; 3];
/// A matrix by rows, one per element.
pub(crate) type M3<L> = [[L; 3]; 3];
/// The rows of a vector in memory.
pub(crate) type VRow = [Row; 3];
/// The rows of a matrix in memory.
pub(crate) type MRow = [[Row; 3]; 3];

/// Nine zeros for each element.
pub(crate) const ZERO_ROWS: MRow = [[Row::splat(0.0); 3]; 3];

#[inline(always)]
pub(crate) fn load3<L: Lane>(rows: &VRow, at: usize) -> V3<L> {
    [L::load(&rows[0], at), L::load(&rows[1], at), L::load(&rows[2], at)]
}

#[inline(always)]
pub(crate) fn load33<L: Lane>(rows: &MRow, at: usize) -> M3<L> {
    [load3(&rows[0], at), load3(&rows[1], at), load3(&rows[2], at)]
}

#[inline(always)]
pub(crate) fn store3<L: Lane>(v: &V3<L>, rows: &mut VRow, at: usize) {
    v[0].store(&mut rows[0], at);
    v[1].store(&mut rows[1], at);
    v[2].store(&mut rows[2], at);
}

#[inline(always)]
pub(crate) fn store33<L: Lane>(m: &M3<L>, rows: &mut MRow, at: usize) {
    let mut i = 0;
    while i < 3 {
        let mut j = 0;
        while j < 3 {
            m[i][j].store(&mut rows[i][j], at);
            j += 1;
        }
        i += 1;
    }
}

#[inline(always)]
pub(crate) fn add<L: Lane>(a: &V3<L>, b: &V3<L>) -> V3<L> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn sub<L: Lane>(a: &V3<L>, b: &V3<L>) -> V3<L> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn neg<L: Lane>(a: &V3<L>) -> V3<L> {
    [-a[0], -a[1], -a[2]]
}

#[inline(always)]
pub(crate) fn scale<L: Lane>(a: &V3<L>, s: L) -> V3<L> {
    [a[0] * s, a[1] * s, a[2] * s]
}

#[inline(always)]
pub(crate) fn dot<L: Lane>(a: &V3<L>, b: &V3<L>) -> L {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<L: Lane>(a: &V3<L>, b: &V3<L>) -> V3<L> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The vector divided by its length, or unchanged where that is zero (to rounding).
#[inline(always)]
pub(crate) fn normalized<L: Lane>(a: &V3<L>) -> V3<L> {
    let n = dot(a, a).sqrt();
    let d = L::select(n.gt(L::splat(f64::EPSILON)), n, L::splat(1.0));
    [a[0] / d, a[1] / d, a[2] / d]
}

#[inline(always)]
pub(crate) fn transposed<L: Lane>(m: &M3<L>) -> M3<L> {
    [[m[0][0], m[1][0], m[2][0]], [m[0][1], m[1][1], m[2][1]], [m[0][2], m[1][2], m[2][2]]]
}

/// m v
#[inline(always)]
pub(crate) fn mul<L: Lane>(m: &M3<L>, v: &V3<L>) -> V3<L> {
    [dot(&m[0], v), dot(&m[1], v), dot(&m[2], v)]
}

/// mᵀ v
#[inline(always)]
pub(crate) fn mul_transposed<L: Lane>(m: &M3<L>, v: &V3<L>) -> V3<L> {
    [
        (m[0][0] * v[0] + m[1][0] * v[1]) + m[2][0] * v[2],
        (m[0][1] * v[0] + m[1][1] * v[1]) + m[2][1] * v[2],
        (m[0][2] * v[0] + m[1][2] * v[1]) + m[2][2] * v[2],
    ]
}

/// a ⊗ g
#[inline(always)]
pub(crate) fn outer<L: Lane>(a: &V3<L>, g: &V3<L>) -> M3<L> {
    [scale(g, a[0]), scale(g, a[1]), scale(g, a[2])]
}

/// h + a ⊗ g
#[inline(always)]
pub(crate) fn add_outer<L: Lane>(h: &M3<L>, a: &V3<L>, g: &V3<L>) -> M3<L> {
    let o = outer(a, g);
    [add(&h[0], &o[0]), add(&h[1], &o[1]), add(&h[2], &o[2])]
}

/// A symmetric matrix: xx, yy, zz, xy, yz, zx.
pub(crate) type Symmetric<L> = [L; 6];

/// λ tr(H) 1 + μ (H + Hᵀ) for a displacement gradient H.
#[inline(always)]
pub(crate) fn stress<L: Lane>(h: &M3<L>, lambda: L, mu: L) -> Symmetric<L> {
    let pressure = lambda * ((h[0][0] + h[1][1]) + h[2][2]);
    let two_mu = mu + mu;
    [
        two_mu * h[0][0] + pressure,
        two_mu * h[1][1] + pressure,
        two_mu * h[2][2] + pressure,
        mu * (h[0][1] + h[1][0]),
        mu * (h[1][2] + h[2][1]),
        mu * (h[2][0] + h[0][2]),
    ]
}

/// s g for a symmetric s.
#[inline(always)]
pub(crate) fn mul_symmetric<L: Lane>(s: &Symmetric<L>, g: &V3<L>) -> V3<L> {
    [
        (s[0] * g[0] + s[3] * g[1]) + s[5] * g[2],
        (s[3] * g[0] + s[1] * g[1]) + s[4] * g[2],
        (s[5] * g[0] + s[4] * g[1]) + s[2] * g[2],
    ]
}
