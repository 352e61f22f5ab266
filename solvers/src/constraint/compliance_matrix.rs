//! The matrix W = J C J^T of all rows, as sweeps read it: the rows of a block side by side, in runs of columns.

/// A run of neighboring columns in the rows of a block.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    len: u32,
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

/// Zeros up to this many between two columns are kept: one run is read faster than two.
const GAP: u32 = 4;

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
    /// The rows of the block that is put together, one behind the other.
    accumulated: Vec<f64>,
    /// Its columns, and which of all they are.
    present: Vec<u32>,
    is_present: Vec<bool>,
}

impl ComplianceMatrix {
    /// Forgets all rows; what comes has `n` columns.
    pub fn begin(&mut self, n: usize) {
        self.blocks.clear();
        self.block_of_row.clear();
        self.runs.clear();
        self.values.clear();
        self.own.clear();
        self.is_present.clear();
        self.is_present.resize(n, false);
    }

    /// Takes the next `n` rows as a block: `add` adds numbers at rows of the block and columns, as often as it likes.
    pub fn push_block(&mut self, n: usize, add: impl FnOnce(&mut dyn FnMut(usize, usize, f64))) {
        let columns = self.is_present.len();
        let Self { accumulated, present, is_present, .. } = self;
        if accumulated.len() < n * columns {
            accumulated.resize(n * columns, 0.0);
        }
        present.clear();
        add(&mut |row, column, value| {
            if value != 0.0 {
                if !is_present[column] {
                    is_present[column] = true;
                    present.push(column as u32);
                }
                accumulated[row * columns + column] += value;
            }
        });
        present.sort_unstable();
        let first_row = self.block_of_row.len();
        let first_run = self.runs.len() as u32;
        let mut block = BlockRows {
            rows: [first_row as u32, n as u32],
            runs: [first_run, first_run],
            values: self.values.len(),
            own: self.own.len(),
        };
        for &column in present.iter() {
            match self.runs[first_run as usize..].last_mut() {
                Some(run) if column - (run.first + run.len) <= GAP => run.len = column + 1 - run.first,
                _ => self.runs.push(Run { first: column, len: 1 }),
            }
        }
        block.runs[1] = self.runs.len() as u32;
        for row in 0..n {
            let of_row = &accumulated[row * columns..][..columns];
            self.own.extend_from_slice(&of_row[first_row..first_row + n]);
        }
        for run in &self.runs[first_run as usize..] {
            for row in 0..n {
                let begin = row * columns + run.first as usize;
                self.values.extend_from_slice(&accumulated[begin..begin + run.len as usize]);
            }
        }
        for &column in present.iter() {
            is_present[column as usize] = false;
            (0..n).for_each(|row| accumulated[row * columns + column as usize] = 0.0);
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
        let BlockRows { rows, runs, mut values, .. } = self.blocks[block];
        let n = rows[1] as usize;
        for run in &self.runs[runs[0] as usize..runs[1] as usize] {
            let len = run.len as usize;
            let x = &x[run.first as usize..][..len];
            let of_run = &self.values[values..values + n * len];
            if let [a, b, c] = &mut *sums {
                let products = products_of_three([0, 1, 2].map(|row| &of_run[row * len..][..len]), x);
                (*a, *b, *c) = (*a + products[0], *b + products[1], *c + products[2]);
            } else {
                for (sum, row) in sums.iter_mut().zip(of_run.chunks_exact(len)) {
                    *sum += product(row, x);
                }
            }
            values += n * len;
        }
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

/// The scalar product, in four sums.
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
                    w.push_block(size, |add| {
                        for (i, j, v) in entries.iter().filter(|(i, ..)| (first..first + size).contains(i)) {
                            add(i - first, *j, *v);
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

    /// A block that gives way by the square of a weight of 1e-17 does not give way; one that is soft by 1e-8 does.
    #[test]
    fn what_gives_way_by_rounding_is_left_alone() {
        let mut w = ComplianceMatrix::default();
        w.begin(5);
        w.push_block(1, |add| add(0, 0, 2.0));
        w.push_block(3, |add| {
            (0..3).for_each(|k| add(k, k + 1, 1e-34));
            add(0, 0, 1e-17);
        });
        w.push_block(1, |add| add(0, 4, 1e-8));
        w.forget_rounding();
        assert_eq!([w.at(0, 0), w.at(4, 4)], [2.0, 1e-8]);
        assert_eq!(w.own(1), [0.0; 9]);
    }
}
