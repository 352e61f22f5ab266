//! A hexahedron's nodal vectors as sums of eight shapes: 1, ξ, η, ζ, ξη, ηζ, ζξ, ξηζ with ξ, η, ζ = ±1 at the nodes.
//!
//! The shape functions are N = (1 + ξ ξₙ)(1 + η ηₙ)(1 + ζ ζₙ)/8, so u = Σ Nₙ uₙ = ⅛ Σ φₘ Uₘ with Uₘ = Σ ± uₙ: a Walsh-Hadamard
//! transform, additions only. Forces go back by its transpose, which has the same signs. The constant shape feels no stress.

use sim_core::math::lane::{Lane, Row};

use super::lane_algebra::*;

/// Sums over nodes with the signs of ξ, η, ζ, ξη, ηζ, ζξ, ξηζ.
pub(crate) type Modes<L> = [V3<L>; 7];
/// The same in memory.
pub(crate) type ModeRows = [VRow; 7];

/// Modes of the vectors at the nodes of hexahedra.
#[inline(always)]
pub(crate) fn of_nodes<L: Lane>(p: &[V3<L>; 8]) -> Modes<L> {
    let mut modes = [[L::splat(0.0); 3]; 7];
    let mut i = 0;
    while i < 3 {
        // Along ξ: sums s and differences d of the four edges.
        let (s0, d0) = (p[1][i] + p[0][i], p[1][i] - p[0][i]);
        let (s1, d1) = (p[2][i] + p[3][i], p[2][i] - p[3][i]);
        let (s2, d2) = (p[5][i] + p[4][i], p[5][i] - p[4][i]);
        let (s3, d3) = (p[6][i] + p[7][i], p[6][i] - p[7][i]);
        // Along η: bottom (0) and top (1).
        let (ss0, sd0) = (s1 + s0, s1 - s0);
        let (ss1, sd1) = (s3 + s2, s3 - s2);
        let (ds0, dd0) = (d1 + d0, d1 - d0);
        let (ds1, dd1) = (d3 + d2, d3 - d2);
        // Along ζ.
        modes[0][i] = ds1 + ds0;
        modes[1][i] = sd1 + sd0;
        modes[2][i] = ss1 - ss0;
        modes[3][i] = dd1 + dd0;
        modes[4][i] = sd1 - sd0;
        modes[5][i] = ds1 - ds0;
        modes[6][i] = dd1 - dd0;
        i += 1;
    }
    modes
}

/// Nodal vectors Σ ± Fₘ: the transpose of [`of_nodes`].
#[inline(always)]
pub(crate) fn to_nodes<L: Lane>(modes: &Modes<L>) -> [V3<L>; 8] {
    let mut f = [[L::splat(0.0); 3]; 8];
    let mut i = 0;
    while i < 3 {
        let (dd1, dd0) = (modes[3][i] + modes[6][i], modes[3][i] - modes[6][i]);
        let (ds1, ds0) = (modes[0][i] + modes[5][i], modes[0][i] - modes[5][i]);
        let (sd1, sd0) = (modes[1][i] + modes[4][i], modes[1][i] - modes[4][i]);
        let z = modes[2][i];
        let (d3, d2) = (ds1 + dd1, ds1 - dd1);
        let (d1, d0) = (ds0 + dd0, ds0 - dd0);
        let (s3, s2) = (z + sd1, z - sd1);
        let (s1, s0) = (sd0 - z, -(sd0 + z));
        (f[6][i], f[7][i]) = (s3 + d3, s3 - d3);
        (f[5][i], f[4][i]) = (s2 + d2, s2 - d2);
        (f[2][i], f[3][i]) = (s1 + d1, s1 - d1);
        (f[1][i], f[0][i]) = (s0 + d0, s0 - d0);
        i += 1;
    }
    f
}

/// q Uₘ − restₘ
#[inline(always)]
pub(crate) fn local_displacement<L: Lane>(
    q: &M3<L>,
    modes: &Modes<L>,
    rest: &ModeRows,
    at: usize,
) -> Modes<L> {
    let mut u = [[L::splat(0.0); 3]; 7];
    let mut m = 0;
    while m < 7 {
        u[m] = sub(&mul(q, &modes[m]), &load3(&rest[m], at));
        m += 1;
    }
    u
}

/// q Uₘ
#[inline(always)]
pub(crate) fn rotated<L: Lane>(q: &M3<L>, modes: &Modes<L>) -> Modes<L> {
    let mut u = [[L::splat(0.0); 3]; 7];
    let mut m = 0;
    while m < 7 {
        u[m] = mul(q, &modes[m]);
        m += 1;
    }
    u
}

/// qᵀ Uₘ
#[inline(always)]
pub(crate) fn rotated_back<L: Lane>(q: &M3<L>, modes: &Modes<L>) -> Modes<L> {
    let mut u = [[L::splat(0.0); 3]; 7];
    let mut m = 0;
    while m < 7 {
        u[m] = mul_transposed(q, &modes[m]);
        m += 1;
    }
    u
}

/// Σ Uₘ · Fₘ, which is the sum over nodes of u · f.
#[inline(always)]
pub(crate) fn work<L: Lane>(u: &Modes<L>, f: &Modes<L>) -> L {
    let mut sum = dot(&u[0], &f[0]);
    let mut m = 1;
    while m < 7 {
        sum = sum + dot(&u[m], &f[m]);
        m += 1;
    }
    sum
}

/// No rows filled in yet.
pub(crate) const ZERO_MODES: ModeRows = [[Row::splat(0.0); 3]; 7];

#[inline(always)]
pub(crate) fn store<L: Lane>(modes: &Modes<L>, rows: &mut ModeRows, at: usize) {
    let mut m = 0;
    while m < 7 {
        let mut i = 0;
        while i < 3 {
            modes[m][i].store(&mut rows[m][i], at);
            i += 1;
        }
        m += 1;
    }
}
