//! The arithmetic of eight springs, in lanes.

use sim_core::math::lane::{BLOCK, Lane, Row};
use sim_core::math::{Real, Vec3};

use super::spring::{SHORTEST, Spring, Tangent};

/// The first and the second ends of eight springs.
pub(super) type Ends = [[u32; BLOCK]; 2];

/// Up to eight springs at their places; nothing is where a block is filled up.
pub(super) type Eight = [Option<Spring>; BLOCK];

/// Up to eight springs in the first places.
pub(super) fn eight(springs: &[Spring]) -> Eight {
    std::array::from_fn(|k| springs.get(k).copied())
}

/// Their ends; those of the first fill up what is left.
pub(super) fn ends(springs: &Eight) -> Ends {
    let first = springs.iter().flatten().next();
    let end = |of: fn(&Spring) -> u32| springs.each_ref().map(|s| s.as_ref().or(first).map_or(0, of));
    [end(|s| s.i), end(|s| s.j)]
}

/// What eight springs are made of.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct LawBlock {
    /// [N/m]
    stiffness: Row,
    /// [N s/m]
    damping: Row,
    /// Rest lengths [m].
    length: Row,
    /// Lengths from which they act [m]; infinite for what fills a block up.
    threshold: Row,
}

impl LawBlock {
    /// Some springs, and some that never act.
    pub fn new(springs: &Eight) -> Self {
        let row = |of: fn(&Spring) -> Real, filling: Real| {
            Row(springs.each_ref().map(|s| s.as_ref().map_or(filling, of)))
        };
        Self {
            stiffness: row(|s| s.stiffness, 0.0),
            damping: row(|s| s.damping, 0.0),
            length: row(|s| s.length, 0.0),
            threshold: row(Spring::threshold, Real::INFINITY),
        }
    }

    /// The stiffness of the springs from `at` on [N/m].
    #[inline(always)]
    pub fn stiffness<L: Lane>(&self, at: usize) -> L {
        L::load(&self.stiffness, at)
    }

    /// The stiffness of each spring [N/m].
    pub fn stiffnesses(&self) -> Row {
        self.stiffness
    }

    /// The stiffness that all springs have; not a number where they have several [N/m].
    pub fn common_stiffness(&self) -> Real {
        let springs = (0..BLOCK).filter(|k| self.threshold.0[*k].is_finite()).map(|k| self.stiffness.0[k]);
        springs.reduce(|a, b| if a == b { a } else { Real::NAN }).unwrap_or(0.0)
    }

    /// None of them acts up to this length [m].
    pub fn act_from(&mut self, shortest: Real) {
        self.threshold.0.iter_mut().for_each(|t| *t = t.max(shortest));
    }

    /// One spring, if it is none that fills the block up.
    pub fn spring(&self, ends: &Ends, k: usize) -> Option<Spring> {
        self.threshold.0[k].is_finite().then(|| Spring {
            i: ends[0][k],
            j: ends[1][k],
            stiffness: self.stiffness.0[k],
            damping: self.damping.0[k],
            length: self.length.0[k],
            // The threshold of one that only pulls is its length; that of others does not depend on it.
            elongation_only: self.threshold.0[k] > SHORTEST && self.threshold.0[k] >= self.length.0[k],
        })
    }
}

/// The tangents of a block: see [`Tangent`]. What they have along the springs is the springs' stiffness, less what they have
/// across; a spring that does nothing has no direction.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TangentBlock {
    n: [Row; 3],
    t: Row,
}

impl TangentBlock {
    /// That of one spring, of this stiffness [N/m].
    pub(super) fn get(&self, k: usize, stiffness: Real) -> Tangent {
        let n = Vec3::new(self.n[0].0[k], self.n[1].0[k], self.n[2].0[k]);
        let t = self.t.0[k];
        Tangent { n, s: stiffness - t, t }
    }
}

/// The forces on the first ends of the springs `at .. at + WIDTH` [N], whose second ends are `u` away and move by `w` against the first;
/// their tangents are stored.
#[inline(always)]
pub(super) fn force<L: Lane>(
    [u, w]: &[[L; 3]; 2],
    law: &LawBlock,
    tangent: &mut TangentBlock,
    at: usize,
) -> [L; 3] {
    let d = inner(u, u).sqrt();
    let acts = d.gt(L::load(&law.threshold, at));
    let inverse = L::splat(1.0) / d;
    let n = [u[0] * inverse, u[1] * inverse, u[2] * inverse];
    let stiffness = L::load(&law.stiffness, at);
    let phi = stiffness * (d - L::load(&law.length, at)) + L::load(&law.damping, at) * inner(&n, w);
    let t = phi * inverse;
    let zero = L::splat(0.0);
    // A spring that does nothing has a force and a tangent of 0, whatever its direction came out as.
    let n = [L::select(acts, n[0], zero), L::select(acts, n[1], zero), L::select(acts, n[2], zero)];
    let phi = L::select(acts, phi, zero);
    n[0].store(&mut tangent.n[0], at);
    n[1].store(&mut tangent.n[1], at);
    n[2].store(&mut tangent.n[2], at);
    L::select(acts, t, zero).store(&mut tangent.t, at);
    [n[0] * phi, n[1] * phi, n[2] * phi]
}

/// The change of these forces where the second ends are displaced by `u` against the first, times `k` [N]; of springs of this
/// stiffness [N/m].
#[inline(always)]
pub(super) fn product<L: Lane>(u: &[L; 3], tangent: &TangentBlock, stiffness: L, k: L, at: usize) -> [L; 3] {
    let n = [L::load(&tangent.n[0], at), L::load(&tangent.n[1], at), L::load(&tangent.n[2], at)];
    let t = L::load(&tangent.t, at);
    let along = (stiffness - t) * inner(&n, u);
    [(n[0] * along + u[0] * t) * k, (n[1] * along + u[1] * t) * k, (n[2] * along + u[2] * t) * k]
}

/// of[j] - of[i].
#[inline(always)]
pub(super) fn differences<L: Lane>(of: &[Vec3], [i, j]: &Ends, at: usize) -> [L; 3] {
    let (a, b) = (L::gather(of, i, at), L::gather(of, j, at));
    [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
}

#[inline(always)]
fn inner<L: Lane>(a: &[L; 3], b: &[L; 3]) -> L {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}
