//! Right-hand sides are taken through the fronts: one, or rows of lanes.

use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};

use super::Part;
use super::pattern::{Front, FrontPattern, LARGE_WIDTH};

/// A front's numbers.
#[derive(Clone, Copy)]
struct Factors<'a> {
    first: usize,
    c: usize,
    rows: &'a [u32],
    top: &'a [f64],
    below: &'a [Row],
}

impl<'a> Factors<'a> {
    fn of(pattern: &'a FrontPattern, front: &Front, numbers: &'a Part) -> Self {
        let c = front.columns as usize;
        Self {
            first: front.first as usize,
            c,
            rows: pattern.rows_of(front),
            top: &numbers.tops[front.top..][..c * c],
            below: &numbers.belows[front.below..][..c * front.stride()],
        }
    }
}

/// Puts the solution in the place of a right-hand side in the order of the factors.
pub fn solve(pattern: &FrontPattern, parts: &[Part], x: &mut [f64]) {
    for front in &pattern.fronts {
        let Factors { first, c, rows, top, below } = Factors::of(pattern, front, &parts[front.part as usize]);
        for k in 0..c {
            let own = x[first + k];
            for i in k + 1..c {
                x[first + i] -= top[k * c + i] * own;
            }
        }
        for (rows, below) in rows.chunks(BLOCK).zip(below.chunks_exact(c)) {
            let mut eight = [0.0; BLOCK];
            eight.iter_mut().zip(rows).for_each(|(x_i, row)| *x_i = x[*row as usize]);
            for (l, own) in below.iter().zip(&x[first..first + c]) {
                eight.iter_mut().zip(&l.0).for_each(|(x_i, l)| *x_i -= l * own);
            }
            eight.iter().zip(rows).for_each(|(x_i, row)| x[*row as usize] = *x_i);
        }
    }
    for front in pattern.fronts.iter().rev() {
        let Factors { first, c, rows, top, below } = Factors::of(pattern, front, &parts[front.part as usize]);
        let mut sums = [0.0; LARGE_WIDTH as usize];
        for (rows, below) in rows.chunks(BLOCK).zip(below.chunks_exact(c)) {
            let mut eight = [0.0; BLOCK];
            eight.iter_mut().zip(rows).for_each(|(x_i, row)| *x_i = x[*row as usize]);
            for (sum, l) in sums.iter_mut().zip(below) {
                for (l, x_i) in l.0.iter().zip(&eight[..rows.len()]) {
                    *sum += l * x_i;
                }
            }
        }
        for k in (0..c).rev() {
            let mut sum = sums[k];
            for i in k + 1..c {
                sum += top[k * c + i] * x[first + i];
            }
            x[first + k] = x[first + k] * (1.0 / top[k * c + k]) - sum;
        }
    }
}

/// Puts the solutions in the place of a block of right-hand sides in the order of the factors, `G` rows of lanes for each scalar.
///
/// The operations on each right-hand side are those of [`solve`] in the same order, so that the bits are the same.
pub struct Solve<'a, const G: usize> {
    pub pattern: &'a FrontPattern,
    pub parts: &'a [Part],
    pub block: &'a mut [Row],
}

/// As [`Solve`], of `groups` rows of lanes for each scalar.
///
/// # Panics
/// If there are more than four.
pub fn solve_block(pattern: &FrontPattern, parts: &[Part], block: &mut [Row], groups: usize) {
    match groups {
        1 => dispatch(Solve::<1> { pattern, parts, block }),
        2 => dispatch(Solve::<2> { pattern, parts, block }),
        3 => dispatch(Solve::<3> { pattern, parts, block }),
        4 => dispatch(Solve::<4> { pattern, parts, block }),
        _ => panic!("a block has at most four rows of lanes for each scalar"),
    }
}

impl<const G: usize> LaneKernel for Solve<'_, G> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { pattern, parts, block } = self;
        let (x, _) = block.as_chunks_mut::<G>();
        let mut at = 0;
        while at < BLOCK {
            let mut k = 0;
            while k < pattern.fronts.len() {
                let front = &pattern.fronts[k];
                down::<L, G>(Factors::of(pattern, front, &parts[front.part as usize]), x, at);
                k += 1;
            }
            while k > 0 {
                k -= 1;
                let front = &pattern.fronts[k];
                up::<L, G>(Factors::of(pattern, front, &parts[front.part as usize]), x, at);
            }
            at += L::WIDTH;
        }
    }
}

#[inline(always)]
fn down<L: Lane, const G: usize>(factors: Factors<'_>, x: &mut [[Row; G]], at: usize) {
    let Factors { first, c, rows, top, below } = factors;
    let mut k = 0;
    while k < c {
        let own = load::<L, G>(&x[first + k], at);
        if is_some::<L, G>(&own) {
            let mut i = k + 1;
            while i < c {
                subtract::<L, G>(&mut x[first + i], top[k * c + i], &own, at);
                i += 1;
            }
            let mut i = 0;
            while i < rows.len() {
                let l = below[i / BLOCK * c + k].0[i % BLOCK];
                subtract::<L, G>(&mut x[rows[i] as usize], l, &own, at);
                i += 1;
            }
        }
        k += 1;
    }
}

#[inline(always)]
fn up<L: Lane, const G: usize>(factors: Factors<'_>, x: &mut [[Row; G]], at: usize) {
    let Factors { first, c, rows, top, below } = factors;
    let mut k = c;
    while k > 0 {
        k -= 1;
        let mut sums = [L::splat(0.0); G];
        let mut i = 0;
        while i < rows.len() {
            let l = below[i / BLOCK * c + k].0[i % BLOCK];
            add::<L, G>(&mut sums, &x[rows[i] as usize], l, at);
            i += 1;
        }
        let mut i = k + 1;
        while i < c {
            add::<L, G>(&mut sums, &x[first + i], top[k * c + i], at);
            i += 1;
        }
        let inverse = L::splat(1.0 / top[k * c + k]);
        let own = &mut x[first + k];
        let mut g = 0;
        while g < G {
            (L::load(&own[g], at) * inverse - sums[g]).store(&mut own[g], at);
            g += 1;
        }
    }
}

#[inline(always)]
fn subtract<L: Lane, const G: usize>(to: &mut [Row; G], l: f64, own: &[L; G], at: usize) {
    let l = L::splat(l);
    let mut g = 0;
    while g < G {
        (L::load(&to[g], at) - l * own[g]).store(&mut to[g], at);
        g += 1;
    }
}

#[inline(always)]
fn add<L: Lane, const G: usize>(sums: &mut [L; G], from: &[Row; G], l: f64, at: usize) {
    let l = L::splat(l);
    let mut g = 0;
    while g < G {
        sums[g] = sums[g] + l * L::load(&from[g], at);
        g += 1;
    }
}

#[inline(always)]
fn load<L: Lane, const G: usize>(rows: &[Row; G], at: usize) -> [L; G] {
    let mut lanes = [L::splat(0.0); G];
    let mut g = 0;
    while g < G {
        lanes[g] = L::load(&rows[g], at);
        g += 1;
    }
    lanes
}

/// Whether any of the numbers is not zero.
#[inline(always)]
fn is_some<L: Lane, const G: usize>(lanes: &[L; G]) -> bool {
    let mut some = false;
    let mut g = 0;
    while g < G {
        some |= L::any(lanes[g].ne(L::splat(0.0)));
        g += 1;
    }
    some
}
