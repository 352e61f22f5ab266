//! Several right-hand sides at once: eight stand side by side in a row of lanes, and each operation is on all of them.
//!
//! A block of right-hand sides has `groups` rows of lanes for each scalar: row `i * groups + g` has scalar `i` of the right-hand
//! sides `8 g` to `8 g + 7`.

use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};

/// Right-hand sides that are taken through factors together, at most.
pub const TOGETHER: usize = 4 * BLOCK;

/// How many rows of lanes each scalar of so many right-hand sides has.
pub fn groups_of(columns: usize) -> usize {
    columns.div_ceil(BLOCK)
}

/// Where scalar 0 of a right-hand side is: the row of lanes, and the place in it.
fn place(column: usize) -> (usize, usize) {
    (column / BLOCK, column % BLOCK)
}

/// One right-hand side of a block.
pub fn copy_column(block: &[Row], groups: usize, column: usize, to: &mut Vec<f64>) {
    let (group, lane) = place(column);
    to.clear();
    to.extend(block[group..].iter().step_by(groups).map(|row| row.0[lane]));
}

/// Puts a right-hand side into a block.
pub fn set_column(block: &mut [Row], groups: usize, column: usize, values: &[f64]) {
    let (group, lane) = place(column);
    for (row, value) in block[group..].iter_mut().step_by(groups).zip(values) {
        row.0[lane] = *value;
    }
}

/// Copies the scalars of a block in another order: scalar `i` of the copy is scalar `order[i]`.
pub fn permute(block: &[Row], groups: usize, order: &[u32], to: &mut Vec<Row>) {
    to.clear();
    for i in order {
        to.extend_from_slice(&block[*i as usize * groups..][..groups]);
    }
}

/// Factors L D L^T by columns: the first entry of each is D's, the others are L's below the diagonal.
#[derive(Clone, Copy)]
pub struct LdltColumns<'a> {
    /// First entry of each column, and the end of the last one's.
    pub starts: &'a [u32],
    /// Row of each entry.
    pub rows: &'a [u32],
    /// The entries.
    pub values: &'a [f64],
}

impl LdltColumns<'_> {
    /// Puts the solutions in the place of a block of right-hand sides.
    ///
    /// Each one's operations, and their order, are those of faer's solution by simplicial factors, so that the bits are the same. What
    /// is zero for all right-hand sides is passed over on the way down.
    pub fn solve(self, block: &mut [Row], groups: usize) {
        match groups {
            1 => dispatch(Solve::<1> { factors: self, block }),
            2 => dispatch(Solve::<2> { factors: self, block }),
            3 => dispatch(Solve::<3> { factors: self, block }),
            4 => dispatch(Solve::<4> { factors: self, block }),
            _ => panic!("a block has at most {TOGETHER} right-hand sides"),
        }
    }

    /// The entries of a column below the diagonal: rows and values.
    #[inline(always)]
    fn below(&self, column: usize) -> (&[u32], &[f64]) {
        let range = self.starts[column] as usize + 1..self.starts[column + 1] as usize;
        (&self.rows[range.clone()], &self.values[range])
    }
}

struct Solve<'a, const G: usize> {
    factors: LdltColumns<'a>,
    block: &'a mut [Row],
}

impl<const G: usize> LaneKernel for Solve<'_, G> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { factors, block } = self;
        let (x, _) = block.as_chunks_mut::<G>();
        let mut at = 0;
        while at < BLOCK {
            down::<L, G>(&factors, x, at);
            up::<L, G>(&factors, x, at);
            at += L::WIDTH;
        }
    }
}

/// x := L^-1 x
#[inline(always)]
fn down<L: Lane, const G: usize>(factors: &LdltColumns<'_>, x: &mut [[Row; G]], at: usize) {
    for column in 0..x.len() {
        let own = load::<L, G>(&x[column], at);
        if !is_some::<L, G>(&own) {
            continue;
        }
        let (rows, values) = factors.below(column);
        let mut k = 0;
        while k < rows.len() {
            let (to, value) = (&mut x[rows[k] as usize], L::splat(values[k]));
            let mut g = 0;
            while g < G {
                (L::load(&to[g], at) - value * own[g]).store(&mut to[g], at);
                g += 1;
            }
            k += 1;
        }
    }
}

/// x := L^-T D^-1 x
#[inline(always)]
fn up<L: Lane, const G: usize>(factors: &LdltColumns<'_>, x: &mut [[Row; G]], at: usize) {
    let mut column = x.len();
    while column > 0 {
        column -= 1;
        let (rows, values) = factors.below(column);
        let mut sums = [L::splat(0.0); G];
        let mut k = rows.len();
        while k > 0 {
            k -= 1;
            let (from, value) = (&x[rows[k] as usize], L::splat(values[k]));
            let mut g = 0;
            while g < G {
                sums[g] = sums[g] + value * L::load(&from[g], at);
                g += 1;
            }
        }
        let inverse = L::splat(1.0 / factors.values[factors.starts[column] as usize]);
        let own = &mut x[column];
        let mut g = 0;
        while g < G {
            (L::load(&own[g], at) * inverse - sums[g]).store(&mut own[g], at);
            g += 1;
        }
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
