//! The numbers of fronts: each is a dense matrix, of which some columns are eliminated.

use std::cmp::{max, min};

use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};

use super::super::singular::Singular;
use super::pattern::{Front, FrontPattern};
use super::{Part, Pivots};

/// Rows of lanes that stay in the nearest cache while columns go over them.
const TILE: usize = 8;

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
                let onto = &pattern.onto[child.row as usize..][..child.rows as usize];
                let Part { tops, belows, updates, .. } = &mut *numbers;
                let (kept, work) = updates.split_at_mut(front.work);
                let is_own = child.part == front.part;
                let from = if is_own { &*kept } else { &others[child.part as usize].updates[..] };
                let to = Assembled {
                    columns: c,
                    top: &mut tops[front.top..][..c * c],
                    below: &mut belows[front.below..][..c * stride],
                    update: work,
                    stride,
                };
                add(&from[child.update..], child.update_stride, onto, to);
            }
        }
        let top = &mut numbers.tops[front.top..][..c * c];
        eliminate_top(top, c, pivots)?;
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
            below,
            weighted,
            update,
            stride,
            update_stride: front.update_stride,
            rows,
        });
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

/// A front while it is put together.
struct Assembled<'a> {
    columns: usize,
    top: &'a mut [f64],
    below: &'a mut [Row],
    update: &'a mut [Row],
    stride: usize,
}

/// Adds what a front has passed on; `onto` says to which rows.
fn add(from: &[Row], from_stride: usize, onto: &[u32], to: Assembled<'_>) {
    let c = to.columns;
    // Those of the columns come first.
    let own = onto.partition_point(|row| (*row as usize) < c);
    for (j, column) in onto.iter().enumerate() {
        let column = *column as usize;
        let from = &from[j * from_stride..][..onto.len().div_ceil(BLOCK)];
        let value = |i: usize| from[i / BLOCK].0[i % BLOCK];
        if column < c {
            for (i, row) in onto.iter().enumerate().take(own).skip(j) {
                to.top[column * c + *row as usize] += value(i);
            }
            for (i, row) in onto.iter().enumerate().skip(own) {
                let row = *row as usize - c;
                to.below[row / BLOCK * c + column].0[row % BLOCK] += value(i);
            }
        } else {
            let update = &mut to.update[(column - c) * to.stride..][..to.stride];
            // The rows of a block of the one go to few blocks of the other.
            for (block, rows) in onto.chunks(BLOCK).enumerate().skip(j / BLOCK) {
                let from = &from[block].0;
                let begin = j.saturating_sub(block * BLOCK);
                for (row, value) in rows.iter().zip(from).skip(begin) {
                    let row = *row as usize - c;
                    update[row / BLOCK].0[row % BLOCK] += value;
                }
            }
        }
    }
}

/// L D L^T of a front's own rows: D on the diagonal, L below it.
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
        for j in k + 1..c {
            let factor = own[j] * inverse;
            let column = &mut rest[(j - k - 1) * c..][..c];
            for i in j..c {
                column[i] -= own[i] * factor;
            }
        }
        own[k + 1..].iter_mut().for_each(|l| *l *= inverse);
    }
    Ok(())
}

/// Eliminates a front's columns from its rows below, and computes what it passes on: update := update - L D L^T.
struct Eliminate<'a> {
    top: &'a [f64],
    c: usize,
    below: &'a mut [Row],
    weighted: &'a mut [Row],
    update: &'a mut [Row],
    stride: usize,
    update_stride: usize,
    rows: usize,
}

impl LaneKernel for Eliminate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { top, c, below, weighted, update, stride, update_stride, rows } = self;
        let mut block = 0;
        while block < stride {
            let (below, weighted) = (&mut below[block * c..][..c], &mut weighted[block * c..][..c]);
            let mut at = 0;
            while at < BLOCK {
                eliminate::<L>(top, below, weighted, at);
                at += L::WIDTH;
            }
            block += 1;
        }
        let product = Product { below, weighted, c, update_stride };
        // The columns that go over a tile's rows go over them again while these are near.
        let mut tile = 0;
        while tile < stride {
            let tile_end = min(tile + TILE, stride);
            let last = min(rows, tile_end * BLOCK);
            let mut column = 0;
            while column < last {
                let count = min(BLOCK, rows - column);
                let mut block = max(tile, column / BLOCK);
                while block < tile_end {
                    product.subtract_from_columns::<L>(update, column, count, block);
                    block += 1;
                }
                column += BLOCK;
            }
            tile = tile_end;
        }
    }
}

/// weighted := A L^-T for eight rows, below := A L^-T D^-1.
#[inline(always)]
fn eliminate<L: Lane>(top: &[f64], below: &mut [Row], weighted: &mut [Row], at: usize) {
    let c = below.len();
    let mut k = 0;
    while k < c {
        let mut own = L::load(&below[k], at);
        let mut j = 0;
        while j < k {
            own = own - L::load(&weighted[j], at) * L::splat(top[j * c + k]);
            j += 1;
        }
        own.store(&mut weighted[k], at);
        k += 1;
    }
    let mut k = 0;
    while k < c {
        let own = L::load(&weighted[k], at);
        (own * L::splat(1.0 / top[k * c + k])).store(&mut below[k], at);
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
    /// Subtracts L D L^T in eight rows of as many columns, or of the last ones.
    #[inline(always)]
    fn subtract_from_columns<L: Lane>(self, update: &mut [Row], column: usize, count: usize, block: usize) {
        let c = self.c;
        let l = &self.below[block * c..][..c];
        let factors = &self.weighted[column / BLOCK * c..][..c];
        let update = &mut update[column * self.update_stride + block..];
        // As many sums as registers hold: enough that none waits for its last term.
        if L::WIDTH == BLOCK && count == BLOCK {
            return subtract::<L, 8, 1>(l, factors, update, self.update_stride, [0, 0]);
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
    }
}

/// `M` lanes of rows in `N` columns from the first on.
#[inline(always)]
fn subtract<L: Lane, const N: usize, const M: usize>(
    l: &[Row],
    factors: &[Row],
    update: &mut [Row],
    stride: usize,
    [first, at]: [usize; 2],
) {
    let mut sums = [[L::splat(0.0); M]; N];
    let mut q = 0;
    while q < N {
        let mut m = 0;
        while m < M {
            sums[q][m] = L::load(&update[q * stride], at + m * L::WIDTH);
            m += 1;
        }
        q += 1;
    }
    let mut k = 0;
    while k < l.len() {
        let mut own = [L::splat(0.0); M];
        let mut m = 0;
        while m < M {
            own[m] = L::load(&l[k], at + m * L::WIDTH);
            m += 1;
        }
        let factors = &factors[k].0;
        let mut q = 0;
        while q < N {
            let factor = L::splat(factors[(first + q) % BLOCK]);
            let mut m = 0;
            while m < M {
                sums[q][m] = sums[q][m] - own[m] * factor;
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
            sums[q][m].store(&mut update[q * stride], at + m * L::WIDTH);
            m += 1;
        }
        q += 1;
    }
}
