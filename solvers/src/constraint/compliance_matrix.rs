//! The matrix W = J C J^T of all rows, as sweeps read it: the rows of a block side by side, in runs of columns.

use sim_core::math::lane::{Lane, LaneKernel, dispatch};

/// A run of neighboring columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first one.
    pub first: u32,
    /// Their number.
    pub len: u32,
}

/// The rows of a block.
#[derive(Clone, Copy, Debug, Default)]
struct BlockRows {
    /// Its first row, and their number.
    rows: [u32; 2],
    /// Its runs.
    runs: [u32; 2],
    /// Where its values begin: run after run, in each run row after row.
    values: usize,
    /// Where its own part begins, row by row: the columns of its own rows.
    own: usize,
}

/// Fewer zeros than so many between two columns are kept: one run is read faster than two.
const GAP: u32 = 5;

/// The square of a few last digits of a weight: a weight that is rounding gives way by its square.
const ROUNDING: f64 = 1e-29;

/// W, symmetric where corrections are, zeros left out between runs.
#[derive(Debug, Default)]
pub struct ComplianceMatrix {
    blocks: Vec<BlockRows>,
    block_of_row: Vec<u32>,
    runs: Vec<Run>,
    values: Vec<f64>,
    own: Vec<f64>,
    /// The rows of the block that is put together.
    sums: BlockSums,
}

/// The rows of a block while numbers are added up.
#[derive(Debug, Default)]
pub struct BlockSums {
    n_columns: usize,
    /// One row behind the other; zeros where nothing was added.
    values: Vec<f64>,
    /// Bit by bit, the columns in which a number other than zero was added.
    present: Vec<u64>,
    /// Bit by bit, which words of `present` are not zero.
    words: Vec<u64>,
}

impl BlockSums {
    fn begin(&mut self, n_columns: usize) {
        self.n_columns = n_columns;
        self.present.clear();
        self.present.resize(n_columns.div_ceil(64), 0);
        self.words.clear();
        self.words.resize(n_columns.div_ceil(64 * 64), 0);
    }

    /// Adds a number at a row of the block.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        if value != 0.0 {
            self.values[row * self.n_columns + column] += value;
            self.mark(column, 1);
        }
    }

    /// Adds numbers at a row of the block and neighboring columns from `first` on.
    pub fn add_run(&mut self, row: usize, first: usize, values: &[f64]) {
        let sums = &mut self.values[row * self.n_columns + first..][..values.len()];
        let mut none_is_zero = true;
        for (sum, value) in sums.iter_mut().zip(values) {
            none_is_zero &= *value != 0.0;
            *sum += value;
        }
        if none_is_zero {
            self.mark(first, values.len());
        } else {
            for (k, _) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                self.mark(first + k, 1);
            }
        }
    }

    /// Marks columns as present.
    fn mark(&mut self, first: usize, len: usize) {
        let (mut at, end) = (first, first + len);
        while at < end {
            let (word, bit) = (at / 64, at % 64);
            let n = (64 - bit).min(end - at);
            self.present[word] |= (u64::MAX >> (64 - n)) << bit;
            self.words[word / 64] |= 1 << (word % 64);
            at += n;
        }
    }

    /// Calls `visit` with each longest run of columns that are present, ascending, and forgets which are.
    fn take_runs(&mut self, mut visit: impl FnMut(Run)) {
        let mut open: Option<Run> = None;
        for (k, of_words) in self.words.iter_mut().enumerate() {
            let mut words = std::mem::take(of_words);
            while words != 0 {
                let word = 64 * k + words.trailing_zeros() as usize;
                words &= words - 1;
                let mut bits = std::mem::take(&mut self.present[word]);
                while bits != 0 {
                    let bit = bits.trailing_zeros();
                    let len = (bits >> bit).trailing_ones();
                    bits = if bit + len < 64 { bits >> (bit + len) << (bit + len) } else { 0 };
                    let run = Run { first: 64 * word as u32 + bit, len };
                    match &mut open {
                        Some(last) if last.first + last.len == run.first => last.len += run.len,
                        last => {
                            if let Some(done) = last.replace(run) {
                                visit(done);
                            }
                        }
                    }
                }
            }
        }
        if let Some(last) = open {
            visit(last);
        }
    }
}

impl ComplianceMatrix {
    /// Forgets all rows; what comes has `n` columns.
    pub fn begin(&mut self, n: usize) {
        self.blocks.clear();
        self.block_of_row.clear();
        self.runs.clear();
        self.values.clear();
        self.own.clear();
        // What another number of columns has left stands elsewhere.
        if self.sums.n_columns != n {
            self.sums.values.clear();
        }
        self.sums.begin(n);
    }

    /// Takes the next `n` rows as a block: `add` adds numbers at rows of the block and columns, as often as it likes.
    pub fn push_block(&mut self, n: usize, add: impl FnOnce(&mut BlockSums)) {
        let Self { sums, runs, values, own, .. } = self;
        let columns = sums.n_columns;
        if sums.values.len() < n * columns {
            sums.values.resize(n * columns, 0.0);
        }
        add(sums);
        let first_row = self.block_of_row.len();
        let first_run = runs.len();
        sums.take_runs(|run| match runs[first_run..].last_mut() {
            Some(last) if run.first - (last.first + last.len) < GAP => {
                last.len = run.first + run.len - last.first;
            }
            _ => runs.push(run),
        });
        let block = BlockRows {
            rows: [first_row as u32, n as u32],
            runs: [first_run as u32, runs.len() as u32],
            values: values.len(),
            own: own.len(),
        };
        for row in 0..n {
            own.extend_from_slice(&sums.values[row * columns + first_row..][..n]);
        }
        for run in &runs[first_run..] {
            for row in 0..n {
                let of_run = &mut sums.values[row * columns + run.first as usize..][..run.len as usize];
                values.extend_from_slice(of_run);
                of_run.fill(0.0);
            }
        }
        let number = self.blocks.len() as u32;
        self.block_of_row.extend(std::iter::repeat_n(number, n));
        self.blocks.push(block);
    }

    /// The part of a block's rows that is in its own columns, row by row.
    pub fn own(&self, block: usize) -> &[f64] {
        let BlockRows { own, rows, .. } = self.blocks[block];
        &self.own[own..own + (rows[1] * rows[1]) as usize]
    }

    /// Lets `add` add to the part of a block's rows in its own columns, which [`Self::own`] then says; products do without it.
    pub fn add_to_own(&mut self, block: usize, add: impl FnOnce(&mut [f64])) {
        let BlockRows { own, rows, .. } = self.blocks[block];
        add(&mut self.own[own..own + (rows[1] * rows[1]) as usize]);
    }

    /// Takes as nothing what rows give way by rounding alone: less than [`ROUNDING`] of what the row that gives way most does.
    ///
    /// Such a row is a contact on a triangle whose corners are held, but for a weight of 1e-17 at a corner that is not: its force
    /// would be 1e17 times those of others. SOFA divides by it.
    pub fn forget_rounding(&mut self) {
        let diagonal =
            |block: &BlockRows, own: &[f64], row: usize| own[block.own + row * (block.rows[1] as usize + 1)];
        let Self { blocks, own, .. } = self;
        let mut most: f64 = 0.0;
        for block in blocks.iter() {
            most = (0..block.rows[1] as usize).fold(most, |most, row| most.max(diagonal(block, own, row)));
        }
        let least = ROUNDING * most;
        for block in blocks.iter() {
            let n = block.rows[1] as usize;
            for row in 0..n {
                if diagonal(block, own, row).abs() < least {
                    let of_block = &mut own[block.own..block.own + n * n];
                    (0..n).for_each(|k| {
                        of_block[row * n + k] = 0.0;
                        of_block[k * n + row] = 0.0;
                    });
                }
            }
        }
    }

    /// Adds W x of a block's rows to `sums`.
    pub fn add_products(&self, block: usize, x: &[f64], sums: &mut [f64]) {
        let BlockRows { rows, runs, values, .. } = self.blocks[block];
        let runs = &self.runs[runs[0] as usize..runs[1] as usize];
        dispatch(Products { n: rows[1] as usize, runs, values: &self.values[values..], x, sums });
    }

    /// The sum of squares of all products W_ij x_j in a block's rows.
    pub fn squares_of_products(&self, block: usize, x: &[f64]) -> f64 {
        let BlockRows { rows, runs, mut values, .. } = self.blocks[block];
        let n = rows[1] as usize;
        let mut sum = 0.0;
        for run in &self.runs[runs[0] as usize..runs[1] as usize] {
            let len = run.len as usize;
            let x = &x[run.first as usize..][..len];
            for row in self.values[values..values + n * len].chunks_exact(len) {
                sum += row.iter().zip(x).map(|(w, x)| (w * x) * (w * x)).sum::<f64>();
            }
            values += n * len;
        }
        sum
    }

    /// A row of W times x.
    pub fn product(&self, row: usize, x: &[f64]) -> f64 {
        let BlockRows { rows, runs, mut values, .. } = self.blocks[self.block_of_row[row] as usize];
        let (n, row) = (rows[1] as usize, row - rows[0] as usize);
        let mut sum = 0.0;
        for run in &self.runs[runs[0] as usize..runs[1] as usize] {
            let len = run.len as usize;
            let of_row = &self.values[values + row * len..][..len];
            sum += product(of_row, &x[run.first as usize..][..len]);
            values += n * len;
        }
        sum
    }

    /// An entry of the diagonal.
    pub fn diagonal(&self, row: usize) -> f64 {
        self.at(row, row)
    }

    /// An entry.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        let BlockRows { rows, runs, mut values, own, .. } = self.blocks[self.block_of_row[row] as usize];
        let (n, first) = (rows[1] as usize, rows[0] as usize);
        let row = row - first;
        if (first..first + n).contains(&column) {
            return self.own[own + row * n + column - first];
        }
        for run in &self.runs[runs[0] as usize..runs[1] as usize] {
            let (begin, len) = (run.first as usize, run.len as usize);
            if (begin..begin + len).contains(&column) {
                return self.values[values + row * len + column - begin];
            }
            values += n * len;
        }
        0.0
    }
}

/// Adds the products of a block's rows: compiled for each instruction set, which all have the same bits.
struct Products<'a> {
    n: usize,
    runs: &'a [Run],
    values: &'a [f64],
    x: &'a [f64],
    sums: &'a mut [f64],
}

impl LaneKernel for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { n, runs, mut values, x, sums } = self;
        for run in runs {
            let len = run.len as usize;
            let x = &x[run.first as usize..][..len];
            let (of_run, rest) = values.split_at(n * len);
            if let [a, b, c] = &mut *sums {
                let products = products_of_three([0, 1, 2].map(|row| &of_run[row * len..][..len]), x);
                (*a, *b, *c) = (*a + products[0], *b + products[1], *c + products[2]);
            } else {
                for (sum, row) in sums.iter_mut().zip(of_run.chunks_exact(len)) {
                    *sum += product(row, x);
                }
            }
            values = rest;
        }
    }
}

/// The scalar product, in four sums.
#[inline(always)]
fn product(row: &[f64], x: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (rows, xs) = (row.chunks_exact(4), x.chunks_exact(4));
    let rest: f64 = rows.remainder().iter().zip(xs.remainder()).map(|(w, x)| w * x).sum();
    for (w, x) in rows.zip(xs) {
        (0..4).for_each(|k| sums[k] += w[k] * x[k]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The scalar products of three rows with the same vector.
#[inline(always)]
fn products_of_three([first, second, third]: [&[f64]; 3], x: &[f64]) -> [f64; 3] {
    let mut sums = [[0.0; 4]; 3];
    let whole = x.len() / 4 * 4;
    let chunks = first.chunks_exact(4).zip(second.chunks_exact(4)).zip(third.chunks_exact(4));
    for (((a, b), c), x) in chunks.zip(x.chunks_exact(4)) {
        for k in 0..4 {
            sums[0][k] += a[k] * x[k];
            sums[1][k] += b[k] * x[k];
            sums[2][k] += c[k] * x[k];
        }
    }
    let rows = [first, second, third];
    [0, 1, 2].map(|r| {
        let rest: f64 = rows[r][whole..].iter().zip(&x[whole..]).map(|(w, x)| w * x).sum();
        let s = sums[r];
        (s[0] + s[1]) + (s[2] + s[3]) + rest
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the blocks and wherever there is nothing, W is what was added.
        #[test]
        fn rows_are_what_was_added(
            sizes in prop::collection::vec(1usize..7, 1..8),
            entries in prop::collection::vec((0usize..60, 0usize..60, -2i32..3), 0..120),
        ) {
            let n: usize = sizes.iter().sum();
            let mut dense = vec![vec![0.0; n]; n];
            let entries: Vec<(usize, usize, f64)> =
                entries.into_iter().map(|(i, j, v)| (i % n, j % n, f64::from(v))).collect();
            entries.iter().for_each(|(i, j, v)| dense[*i][*j] += v);
            let mut w = ComplianceMatrix::default();
            // Twice: what the first one leaves must not be seen.
            for _ in 0..2 {
                w.begin(n);
                let mut first = 0;
                for &size in &sizes {
                    w.push_block(size, |sums| {
                        for (i, j, v) in entries.iter().filter(|(i, ..)| (first..first + size).contains(i)) {
                            // As runs, too, with zeros around.
                            match j % 3 {
                                0 if j + 1 < n => sums.add_run(i - first, *j, &[*v, 0.0]),
                                1 => sums.add_run(i - first, *j - 1, &[0.0, *v]),
                                _ => sums.add(i - first, *j, *v),
                            }
                        }
                    });
                    first += size;
                }
            }
            let x: Vec<f64> = (0..n).map(|k| (k * k % 7) as f64 - 3.0).collect();
            let mut first = 0;
            for (block, &size) in sizes.iter().enumerate() {
                let mut sums = vec![1.0; size];
                w.add_products(block, &x, &mut sums);
                for row in 0..size {
                    let expected: f64 = dense[first + row].iter().zip(&x).map(|(w, x)| w * x).sum();
                    prop_assert_eq!(sums[row], 1.0 + expected);
                    prop_assert_eq!(w.product(first + row, &x), expected);
                    for (column, expected) in dense[first + row].iter().enumerate() {
                        prop_assert_eq!(w.at(first + row, column), *expected);
                    }
                    prop_assert_eq!(&w.own(block)[row * size..][..size], &dense[first + row][first..first + size]);
                }
                let squares = dense[first..first + size].iter().flat_map(|row| row.iter().zip(&x));
                prop_assert_eq!(w.squares_of_products(block, &x), squares.map(|(w, x)| (w * x) * (w * x)).sum::<f64>());
                first += size;
            }
        }
    }

    /// Zeros up to four are kept between columns, more are not; long runs cross the words of the marks.
    #[test]
    fn columns_are_put_into_runs() {
        let mut w = ComplianceMatrix::default();
        for n in [300, 9000] {
            w.begin(n);
            let ones = vec![1.0; 150];
            w.push_block(1, |sums| {
                sums.add_run(0, 50, &ones);
                [0, 4, 9, 15, 205, 299].into_iter().for_each(|column| sums.add(0, column, 1.0));
            });
            w.push_block(1, |sums| sums.add(0, n - 1, 1.0));
            let runs: Vec<(u32, u32)> = w.runs.iter().map(|r| (r.first, r.len)).collect();
            assert_eq!(runs, [(0, 10), (15, 1), (50, 150), (205, 1), (299, 1), (n as u32 - 1, 1)]);
            assert_eq!(w.values.iter().sum::<f64>(), 156.0 + 1.0);
        }
    }

    /// A block that gives way by the square of a weight of 1e-17 does not give way; one that is soft by 1e-8 does.
    #[test]
    fn what_gives_way_by_rounding_is_left_alone() {
        let mut w = ComplianceMatrix::default();
        w.begin(5);
        w.push_block(1, |sums| sums.add(0, 0, 2.0));
        w.push_block(3, |sums| {
            (0..3).for_each(|k| sums.add(k, k + 1, 1e-34));
            sums.add(0, 0, 1e-17);
        });
        w.push_block(1, |sums| sums.add(0, 4, 1e-8));
        w.forget_rounding();
        assert_eq!([w.at(0, 0), w.at(4, 4)], [2.0, 1e-8]);
        assert_eq!(w.own(1), [0.0; 9]);
    }
}
