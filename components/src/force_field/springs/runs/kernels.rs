//! Forces and products of springs in runs, in lanes.

use sim_core::math::lane::{BLOCK, Lane, LaneKernel, PointBlock, fetch};
use sim_core::math::{Real, Vec3};

use super::parts::{Parts, Round};
use crate::force_field::springs::lanes::{TangentBlock, force, product};
use crate::force_field::springs::plan::{RING, SUMS};

/// How many blocks before they are used laws and tangents are fetched: a kernel is as fast as memory only if it never waits for it.
const AHEAD: usize = 32;
/// How many rounds before they are done they are fetched: the processor foresees stretches, not parts of which a varying share is read.
const ROUNDS_AHEAD: usize = 3;
/// How many points before they are read displacements are fetched: a block's springs read two stretches of them, which the processor
/// does not foresee beside the tangents.
const POINTS_AHEAD: usize = 128;

/// Forces that wait for being added: those of the last `turn` blocks, and once more of the first, so that eight that follow each other are
/// in line wherever they begin.
pub(super) struct Ring<'a> {
    blocks: &'a mut [PointBlock],
    next: usize,
    turn: usize,
}

impl Ring<'_> {
    #[inline(always)]
    fn go_on(&mut self) {
        if self.next == 0 {
            self.blocks[self.turn] = self.blocks[0];
        }
        self.next = if self.next + 1 >= self.turn { 0 } else { self.next + 1 };
    }

    /// Adds what has come together.
    #[inline(always)]
    fn add<L: Lane>(&self, round: &Round, f: &mut [Vec3]) {
        let (mut begin, mut k) = (0, 0);
        while k < SUMS.min(round.n_sums as usize) {
            let [first, terms] = round.sums[k];
            let end = begin + terms as usize;
            L::add_runs(f, first as usize, self.blocks, &round.terms[begin..end]);
            begin = end;
            k += 1;
        }
    }
}

/// Calls `f` with room for a ring; no more than needed is cleared and read, so that it stays in the nearest cache.
pub(super) fn with_ring(turn: usize, f: impl FnOnce(Ring<'_>)) {
    fn of<const N: usize>(turn: usize, f: impl FnOnce(Ring<'_>)) {
        f(Ring { blocks: &mut [PointBlock::default(); N], next: 0, turn });
    }
    match turn {
        0..=64 => of::<65>(turn, f),
        65..=128 => of::<129>(turn, f),
        129..=256 => of::<257>(turn, f),
        _ => of::<{ RING + 1 }>(turn, f),
    }
}

/// Has the points fetched that blocks further on will read at their farther ends; the nearer ends have been read as farther ones before.
#[inline(always)]
fn fetch_points(of: &[Vec3], ends: [u32; 2]) {
    if !Parts::has_own_ends(ends) {
        let begin = ends[0].max(ends[1]) as usize + POINTS_AHEAD;
        fetch::<[Vec3; BLOCK]>(of.as_chunks().0, begin / BLOCK);
    }
}

/// Adds forces, and leaves tangents.
pub(super) struct ForceKernel<'a> {
    pub ring: Ring<'a>,
    pub parts: Parts<'a>,
    pub tangents: &'a mut [TangentBlock],
    pub f: &'a mut [Vec3],
    pub x: &'a [Vec3],
    pub v: &'a [Vec3],
}

impl LaneKernel for ForceKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(mut self) {
        let mut b = 0;
        for (r, round) in self.parts.rounds().iter().enumerate() {
            fetch(self.parts.rounds(), r + ROUNDS_AHEAD);
            let Some(round) = round.round() else { continue };
            let end = b + round.n_blocks as usize;
            while b < end {
                fetch(self.tangents, b + AHEAD);
                let (ends, tangent) = (self.parts.joined(b).ends, &mut self.tangents[b]);
                let Some(law) = self.parts.law(b) else { return };
                self.parts.fetch_law(b + AHEAD);
                let mut at = 0;
                while at < BLOCK {
                    let u = self.parts.differences::<L>(self.x, ends, at);
                    let w = self.parts.differences::<L>(self.v, ends, at);
                    let f = force::<L>(&[u, w], law, tangent, at);
                    L::store_points(&f, &mut self.ring.blocks[self.ring.next], at);
                    at += L::WIDTH;
                }
                self.ring.go_on();
                b += 1;
            }
            self.ring.add::<L>(round, self.f);
        }
    }
}

/// Adds the changes of forces.
pub(super) struct ProductKernel<'a> {
    pub ring: Ring<'a>,
    pub k_factor: Real,
    pub parts: Parts<'a>,
    pub tangents: &'a [TangentBlock],
    pub df: &'a mut [Vec3],
    pub dx: &'a [Vec3],
}

impl LaneKernel for ProductKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(mut self) {
        let k = L::splat(self.k_factor);
        let (mut b, mut of_several) = (0, 0);
        for (r, round) in self.parts.rounds().iter().enumerate() {
            fetch(self.parts.rounds(), r + ROUNDS_AHEAD);
            let Some(round) = round.round() else { continue };
            let end = b + round.n_blocks as usize;
            while b < end {
                let (joined, tangent) = (self.parts.joined(b), &self.tangents[b]);
                fetch(self.tangents, b + AHEAD);
                fetch_points(self.dx, joined.ends);
                let mut own = None;
                if joined.stiffness.is_nan() {
                    own = self.parts.stiffnesses(of_several);
                    of_several += 1;
                    self.parts.fetch_stiffnesses(of_several + AHEAD);
                }
                let mut at = 0;
                while at < BLOCK {
                    let u = self.parts.differences::<L>(self.dx, joined.ends, at);
                    let stiffness = own.map_or(L::splat(joined.stiffness), |row| L::load(row, at));
                    let df = product(&u, tangent, stiffness, k, at);
                    L::store_points(&df, &mut self.ring.blocks[self.ring.next], at);
                    at += L::WIDTH;
                }
                self.ring.go_on();
                b += 1;
            }
            self.ring.add::<L>(round, self.df);
        }
    }
}
