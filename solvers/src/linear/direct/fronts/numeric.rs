//! The numbers of fronts: each is a dense matrix, of which some columns are eliminated.

use std::cmp::{max, min};

use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};

use super::super::singular::Singular;
use super::pattern::{Front, FrontPattern, Run};
use super::{Part, Pivots};

/// Rows of lanes that stay in the nearest cache while columns go over them: so many, by how many columns a front has.
const TILE: usize = 512;
/// Rows of lanes below that are eliminated together.
const TOGETHER: usize = 4;

/// Factorises the fronts of a part; `others` are the parts that are done.
pub fn factorize(
    pattern: &FrontPattern,
    part: usize,
    values: &[f64],
    numbers: &mut Part,
    others: &[Part],
    pivots: Pivots,
) -> Result<(), Singular> {
    for k in &pattern.parts[part] {
        let front = &pattern.fronts[*k as usize];
        let (c, stride) = (front.columns as usize, front.stride());
        take_entries(pattern, front, values, numbers);
        let children = &pattern.children[front.child as usize..][..front.children as usize];
        if front.goes_on {
            go_on(&pattern.fronts[children[0] as usize], front, numbers);
        } else {
            numbers.updates[front.work..][..front.rows as usize * stride].fill(Row::splat(0.0));
            for child in children {
                let child = &pattern.fronts[*child as usize];
                let Part { tops, belows, updates, .. } = &mut *numbers;
                let (kept, work) = updates.split_at_mut(front.work);
                let is_own = child.part == front.part;
                let from = if is_own { &*kept } else { &others[child.part as usize].updates[..] };
                dispatch(Assemble {
                    from: Row::flat(&from[child.update..]),
                    from_stride: child.update_stride * BLOCK,
                    rows: child.rows as usize,
                    runs: &pattern.runs[child.run as usize..][..child.runs as usize],
                    columns: c,
                    top: &mut tops[front.top..][..c * c],
                    below: Row::flat_mut(&mut belows[front.below..][..c * stride]),
                    update: Row::flat_mut(work),
                    stride: stride * BLOCK,
                });
            }
        }
        let top = &mut numbers.tops[front.top..][..c * c];
        let below = &mut numbers.belows[front.below..][..c * stride];
        if numbers.weighted.len() < below.len() {
            numbers.weighted.resize(below.len(), Row::splat(0.0));
        }
        let weighted = &mut numbers.weighted[..below.len()];
        let update = &mut numbers.updates[front.work..];
        let rows = front.rows as usize;
        dispatch(Eliminate {
            top,
            c,
            pivots,
            below,
            weighted,
            update,
            stride,
            update_stride: front.update_stride,
            rows,
        })?;
        if front.work != front.update {
            numbers.updates.copy_within(front.work..front.work + rows * stride, front.update);
        }
    }
    Ok(())
}

/// Takes its columns out of what the one before it has left, which stays where it is.
fn go_on(before: &Front, front: &Front, part: &mut Part) {
    let (c, stride) = (front.columns as usize, front.stride());
    for column in 0..c {
        let from = &part.updates[before.update + column * before.update_stride..];
        let top = &mut part.tops[front.top + column * c..][..c];
        for (row, to) in top.iter_mut().enumerate().skip(column) {
            *to += from[row / BLOCK].0[row % BLOCK];
        }
        let below = &mut part.belows[front.below..][..c * stride];
        for (to, from) in below[column..].iter_mut().step_by(c).zip(&from[c / BLOCK..]) {
            to.0.iter_mut().zip(&from.0).for_each(|(to, from)| *to += from);
        }
    }
}

fn take_entries(pattern: &FrontPattern, front: &Front, values: &[f64], part: &mut Part) {
    let c = front.columns as usize;
    let top = &mut part.tops[front.top..][..c * c];
    let below = &mut part.belows[front.below..][..c * front.stride()];
    top.fill(0.0);
    below.fill(Row::splat(0.0));
    for [number, place] in &pattern.entries[front.entry as usize..][..front.entries as usize] {
        let (value, place) = (values[*number as usize], *place as usize);
        match place.checked_sub(c * c) {
            None => top[place] = value,
            Some(place) => below[place / BLOCK].0[place % BLOCK] = value,
        }
    }
}

/// Adds what a front has passed on to the one that it passes on to.
struct Assemble<'a> {
    from: &'a [f64],
    from_stride: usize,
    rows: usize,
    /// To which rows, see [`FrontPattern::runs`].
    runs: &'a [Run],
    columns: usize,
    top: &'a mut [f64],
    below: &'a mut [f64],
    update: &'a mut [f64],
    stride: usize,
}

impl LaneKernel for Assemble<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { from, from_stride, rows, runs, columns: c, top, below, update, stride } = self;
        for (number, of) in runs.iter().enumerate() {
            for j in 0..of.length as usize {
                let column = of.to as usize + j;
                let from = &from[(of.from as usize + j) * from_stride..][..rows];
                // What is on and below the diagonal.
                let first =
                    Run { from: of.from + j as u32, to: of.to + j as u32, length: of.length - j as u32 };
                let below_it = std::iter::once(first).chain(runs[number + 1..].iter().copied());
                for Run { from: i, to: row, length } in below_it {
                    let (row, length) = (row as usize, length as usize);
                    let values = &from[i as usize..][..length];
                    if column >= c {
                        let to = &mut update[(column - c) * stride + row - c..][..length];
                        to.iter_mut().zip(values).for_each(|(to, value)| *to += value);
                    } else if row < c {
                        let to = &mut top[column * c + row..][..length];
                        to.iter_mut().zip(values).for_each(|(to, value)| *to += value);
                    } else {
                        for (row, value) in (row - c..).zip(values) {
                            below[(row / BLOCK * c + column) * BLOCK + row % BLOCK] += value;
                        }
                    }
                }
            }
        }
    }
}

/// Eliminates a front's columns from its own rows and those below, and computes what it passes on: update := update - L D L^T.
struct Eliminate<'a> {
    top: &'a mut [f64],
    c: usize,
    pivots: Pivots,
    below: &'a mut [Row],
    weighted: &'a mut [Row],
    update: &'a mut [Row],
    stride: usize,
    update_stride: usize,
    rows: usize,
}

impl LaneKernel for Eliminate<'_> {
    type Output = Result<(), Singular>;

    #[inline(always)]
    fn run<L: Lane>(self) -> Result<(), Singular> {
        let Self { top, c, pivots, below, weighted, update, stride, update_stride, rows } = self;
        eliminate_top(top, c, pivots)?;
        let mut block = 0;
        while block < stride {
            // Several together, so that none waits for its last term.
            let together = if stride - block >= TOGETHER { TOGETHER } else { 1 };
            let range = block * c..(block + together) * c;
            let (below, weighted) = (&mut below[range.clone()], &mut weighted[range]);
            let mut at = 0;
            while at < BLOCK {
                if together == 1 {
                    eliminate::<L, 1>(top, c, below, weighted, at);
                } else {
                    eliminate::<L, TOGETHER>(top, c, below, weighted, at);
                }
                at += L::WIDTH;
            }
            block += together;
        }
        let product = Product { below, weighted, c, update_stride };
        // The columns that go over a tile's rows go over them again while these are near.
        let (mut tile, length) = (0, max(TILE / c, 2));
        while tile < stride {
            let tile_end = min(tile + length, stride);
            let last = min(rows, tile_end * BLOCK);
            let mut column = 0;
            while column < last {
                let count = min(BLOCK, rows - column);
                let mut block = max(tile, column / BLOCK);
                while block < tile_end {
                    block += product.subtract_from_columns::<L>(update, column, count, block, tile_end);
                }
                column += BLOCK;
            }
            tile = tile_end;
        }
        Ok(())
    }
}

/// L D L^T of a front's own rows: D on the diagonal, L below it.
#[inline(always)]
fn eliminate_top(top: &mut [f64], c: usize, pivots: Pivots) -> Result<(), Singular> {
    for k in 0..c {
        let mut pivot = top[k * c + k];
        if let Pivots::AtLeast(least) = pivots
            && pivot.abs() <= least
        {
            pivot = if pivot < 0.0 { -least } else { least };
            top[k * c + k] = pivot;
        }
        if pivot == 0.0 || !pivot.is_finite() || (pivots == Pivots::Positive && pivot < 0.0) {
            return Err(Singular);
        }
        let inverse = 1.0 / pivot;
        let (done, rest) = top.split_at_mut((k + 1) * c);
        let own = &mut done[k * c..];
        for (j, column) in (k + 1..c).zip(rest.chunks_exact_mut(c)) {
            let factor = own[j] * inverse;
            for (to, own) in column[j..].iter_mut().zip(&own[j..]) {
                *to -= own * factor;
            }
        }
        own[k + 1..].iter_mut().for_each(|l| *l *= inverse);
    }
    Ok(())
}

/// weighted := A L^-T, below := A L^-T D^-1 for `B` times eight rows.
#[inline(always)]
fn eliminate<L: Lane, const B: usize>(
    top: &[f64],
    c: usize,
    below: &mut [Row],
    weighted: &mut [Row],
    at: usize,
) {
    let mut k = 0;
    while k < c {
        let mut own = [L::splat(0.0); B];
        let mut b = 0;
        while b < B {
            own[b] = L::load(&below[b * c + k], at);
            b += 1;
        }
        let mut j = 0;
        while j < k {
            let factor = L::splat(top[j * c + k]);
            let mut b = 0;
            while b < B {
                own[b] = own[b].sub_product(L::load(&weighted[b * c + j], at), factor);
                b += 1;
            }
            j += 1;
        }
        let mut b = 0;
        while b < B {
            own[b].store(&mut weighted[b * c + k], at);
            b += 1;
        }
        k += 1;
    }
    let mut k = 0;
    while k < c {
        let inverse = L::splat(1.0 / top[k * c + k]);
        let mut b = 0;
        while b < B {
            (L::load(&weighted[b * c + k], at) * inverse).store(&mut below[b * c + k], at);
            b += 1;
        }
        k += 1;
    }
}

/// L and L D of a front's rows below.
#[derive(Clone, Copy)]
struct Product<'a> {
    below: &'a [Row],
    weighted: &'a [Row],
    c: usize,
    update_stride: usize,
}

impl Product<'_> {
    /// Subtracts L D L^T in eight rows, or twice as many up to `end`, of as many columns, or of the last ones; says how many blocks of
    /// rows these were.
    #[inline(always)]
    fn subtract_from_columns<L: Lane>(
        self,
        update: &mut [Row],
        column: usize,
        count: usize,
        block: usize,
        end: usize,
    ) -> usize {
        let c = self.c;
        let l = &self.below[block * c..];
        let factors = &self.weighted[column / BLOCK * c..][..c];
        let update = &mut update[column * self.update_stride + block..];
        // As many sums as registers hold: enough that none waits for its last term.
        if L::WIDTH == BLOCK && count == BLOCK {
            if block + 1 < end {
                subtract::<L, 8, 2>(l, factors, update, self.update_stride, [0, 0]);
                return 2;
            }
            subtract::<L, 8, 1>(l, factors, update, self.update_stride, [0, 0]);
            return 1;
        }
        let mut first = 0;
        while first < count {
            let update = &mut update[first * self.update_stride..];
            let mut at = 0;
            while at < BLOCK {
                let place = [first, at];
                match (count - first, L::WIDTH < BLOCK) {
                    (1, _) => subtract::<L, 1, 1>(l, factors, update, self.update_stride, place),
                    (2, _) => subtract::<L, 2, 1>(l, factors, update, self.update_stride, place),
                    (3, _) => subtract::<L, 3, 1>(l, factors, update, self.update_stride, place),
                    (_, true) => subtract::<L, 4, 2>(l, factors, update, self.update_stride, place),
                    (_, false) => subtract::<L, 4, 1>(l, factors, update, self.update_stride, place),
                }
                at += if count - first >= 4 && L::WIDTH < BLOCK { 2 * L::WIDTH } else { L::WIDTH };
            }
            first += 4;
        }
        1
    }
}

/// `M` vectors of rows in `N` columns from the first on.
#[inline(always)]
fn subtract<L: Lane, const N: usize, const M: usize>(
    l: &[Row],
    factors: &[Row],
    update: &mut [Row],
    stride: usize,
    [first, at]: [usize; 2],
) {
    let c = factors.len();
    // Where a vector is: its row of lanes, and its place in it.
    let place = |m: usize| ((at + m * L::WIDTH) / BLOCK, (at + m * L::WIDTH) % BLOCK);
    let mut sums = [[L::splat(0.0); M]; N];
    let mut q = 0;
    while q < N {
        let mut m = 0;
        while m < M {
            let (block, at) = place(m);
            sums[q][m] = L::load(&update[q * stride + block], at);
            m += 1;
        }
        q += 1;
    }
    let l: [&[Row]; M] = std::array::from_fn(|m| &l[place(m).0 * c..][..c]);
    let mut k = 0;
    while k < c {
        let mut own = [L::splat(0.0); M];
        let mut m = 0;
        while m < M {
            own[m] = L::load(&l[m][k], place(m).1);
            m += 1;
        }
        let factors = &factors[k].0;
        let mut q = 0;
        while q < N {
            let factor = L::splat(factors[(first + q) % BLOCK]);
            let mut m = 0;
            while m < M {
                sums[q][m] = sums[q][m].sub_product(own[m], factor);
                m += 1;
            }
            q += 1;
        }
        k += 1;
    }
    let mut q = 0;
    while q < N {
        let mut m = 0;
        while m < M {
            let (block, at) = place(m);
            sums[q][m].store(&mut update[q * stride + block], at);
            m += 1;
        }
        q += 1;
    }
}
