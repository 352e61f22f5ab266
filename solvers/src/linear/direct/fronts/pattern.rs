//! Which fronts a matrix has, what each takes, and which belong together.

use faer::Side;
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use sim_core::math::lane::BLOCK;

use super::super::scalar_matrix::ScalarMatrix;
use super::super::singular::Singular;
use super::PARTS;
use super::order::by_dissection;

/// Columns of a front, at most: the rows of so many stay in the nearest cache while they are used.
const WIDTH: u32 = 32;
/// Columns of a large front, at most: what it passes on does not stay in any cache, and is to be gone over seldom.
pub const LARGE_WIDTH: u32 = 128;
/// Rows of a large front, at least.
const LARGE: u32 = 1000;
/// Multiplications above which a matrix is dissected to see whether it has less work so.
const WORTH_DISSECTION: f64 = 3e7;
/// No front.
pub const NONE: u32 = u32::MAX;

/// Some columns of the factors that are eliminated together, as one dense matrix.
#[derive(Clone, Debug)]
pub struct Front {
    /// First of its columns.
    pub first: u32,
    /// Number of its columns.
    pub columns: u32,
    /// First of its rows below the columns among [`FrontPattern::rows`].
    pub row: u32,
    /// Number of these rows.
    pub rows: u32,
    /// Its part.
    pub part: u32,
    /// Where its columns' own rows begin in the part's memory for these.
    pub top: usize,
    /// Where its rows below begin in the part's memory for these, in rows of lanes.
    pub below: usize,
    /// Whether it goes on in the place of the one that passes on to it, which has all its rows.
    pub goes_on: bool,
    /// Where what it passes on is put together in the part's memory for that, in rows of lanes.
    pub work: usize,
    /// Where that is kept until it is passed on.
    pub update: usize,
    /// Rows of lanes of each column of that.
    pub update_stride: usize,
    /// Where the memory begins in which that is kept.
    pub begin: usize,
    /// First of the runs of its rows below among [`FrontPattern::runs`].
    pub run: u32,
    /// Number of these runs.
    pub runs: u32,
    /// First of its entries among [`FrontPattern::entries`].
    pub entry: u32,
    /// Number of its entries.
    pub entries: u32,
    /// First of those that pass on to it among [`FrontPattern::children`].
    pub child: u32,
    /// Number of these.
    pub children: u32,
}

/// Rows of a front that lie side by side in the one that it passes on to, too.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The first of them among the front's rows below.
    pub from: u32,
    /// The first of them in the other front, whose columns' own rows come first. A run is of these, or of those below.
    pub to: u32,
    /// How many there are.
    pub length: u32,
}

impl Front {
    /// Rows of lanes below its own rows.
    pub fn stride(&self) -> usize {
        (self.rows as usize).div_ceil(BLOCK)
    }

    /// How many multiplications it takes, roughly.
    pub fn work(&self) -> f64 {
        let (c, r) = (f64::from(self.columns), f64::from(self.rows));
        // Passing on takes about as long as three multiplications.
        c * (0.5 * r * r + 0.5 * c * r + c * c / 6.0) + 1.5 * r * r
    }
}

/// Fronts in the order of elimination; each passes what is left of it on to a later one.
///
/// **Parts:** subtrees of about the same work are put into [`PARTS`] parts, which do not need each other; what they pass on to is the last
/// part. The order of all additions is the same whatever the parts are.
#[derive(Debug, Default)]
pub struct FrontPattern {
    /// Of each row of the factors, the row of the matrix.
    pub order: Vec<u32>,
    /// Of each row of the matrix, the row of the factors.
    pub places: Vec<u32>,
    /// The fronts.
    pub fronts: Vec<Front>,
    /// The rows below each front's columns, ascending.
    pub rows: Vec<u32>,
    /// To which rows of the front that is passed on to these go.
    pub runs: Vec<Run>,
    /// The entries of the matrix: number, and place among a front's own rows, then among those below.
    pub entries: Vec<[u32; 2]>,
    /// Those that pass on to each front, ascending.
    pub children: Vec<u32>,
    /// The fronts of each part, each after those that pass on to it.
    pub parts: Vec<Vec<u32>>,
    /// The memory of each part: for own rows, for rows below and for what is passed on.
    pub sizes: Vec<[usize; 3]>,
}

impl FrontPattern {
    /// The fronts of a matrix of which what is on and below the diagonal is kept.
    ///
    /// # Errors
    /// If it does not fit into memory.
    pub fn of(matrix: &ScalarMatrix) -> Result<Self, Singular> {
        if matrix.n == 0 {
            let (parts, sizes) = (vec![Vec::new(); PARTS + 1], vec![[0; 3]; PARTS + 1]);
            return Ok(Self { parts, sizes, ..Self::default() });
        }
        let pattern = Self::by(matrix, SymmetricOrdering::Amd)?;
        if pattern.time() < WORTH_DISSECTION {
            return Ok(pattern);
        }
        let [order, places] = by_dissection(matrix);
        let order = PermRef::new_checked(&order, &places, matrix.n);
        let dissected = Self::by(matrix, SymmetricOrdering::Custom(order))?;
        Ok(if dissected.time() < pattern.time() { dissected } else { pattern })
    }

    /// The multiplications that one worker and as many as one likes wait for, in the mean.
    fn time(&self) -> f64 {
        let work = |part: &Vec<u32>| part.iter().map(|k| self.fronts[*k as usize].work()).sum::<f64>();
        let work: Vec<f64> = self.parts.iter().map(work).collect();
        let [parts @ .., last] = &work[..] else { return 0.0 };
        let most = parts.iter().copied().fold(0.0, f64::max);
        0.5 * (work.iter().sum::<f64>() + most + last)
    }

    fn by(matrix: &ScalarMatrix, order: SymmetricOrdering<'_, u32>) -> Result<Self, Singular> {
        // faer's own constant leaves out matrices that take no multiplication.
        let parameters = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold(-1.0),
            ..Default::default()
        };
        let found = factorize_symbolic_cholesky(matrix.pattern(), Side::Lower, order, parameters)
            .map_err(|_| Singular)?;
        let (order, places) = match found.perm().map(|p| p.arrays()) {
            Some((order, places)) => (order.to_vec(), places.to_vec()),
            None => ((0..matrix.n as u32).collect(), (0..matrix.n as u32).collect()),
        };
        let SymbolicCholeskyRaw::Supernodal(supernodes) = found.raw() else { return Err(Singular) };
        let mut pattern = Self { order, places, ..Self::default() };
        pattern.take_fronts(supernodes);
        let front_of = pattern.front_of();
        let parents = pattern.pass_on(&front_of);
        pattern.take_entries(matrix, &front_of);
        pattern.divide(&parents);
        pattern.go_on();
        pattern.take_memory();
        Ok(pattern)
    }

    /// The rows below a front's columns.
    pub fn rows_of(&self, front: &Front) -> &[u32] {
        &self.rows[front.row as usize..][..front.rows as usize]
    }

    /// Takes supernodes in pieces of [`WIDTH`] columns at most, large ones in pieces of [`LARGE_WIDTH`].
    fn take_fronts(&mut self, supernodes: &SymbolicSupernodalCholesky<u32>) {
        for s in 0..supernodes.n_supernodes() {
            let below = supernodes.supernode(s).pattern();
            let (begin, end) = (supernodes.supernode_begin()[s], supernodes.supernode_end()[s]);
            let mut first = begin;
            let rows = end - begin + below.len() as u32;
            let width = if rows < LARGE { WIDTH } else { LARGE_WIDTH };
            while first < end {
                let columns = width.min(end - first);
                let row = self.rows.len() as u32;
                self.rows.extend(first + columns..end);
                self.rows.extend_from_slice(below);
                let rows = self.rows.len() as u32 - row;
                self.fronts.push(Front {
                    first,
                    columns,
                    row,
                    rows,
                    part: 0,
                    top: 0,
                    below: 0,
                    goes_on: false,
                    work: 0,
                    update: 0,
                    update_stride: 0,
                    begin: 0,
                    run: 0,
                    runs: 0,
                    entry: 0,
                    entries: 0,
                    child: 0,
                    children: 0,
                });
                first += columns;
            }
        }
    }

    /// Of each column, its front.
    fn front_of(&self) -> Vec<u32> {
        let fronts = (0_u32..).zip(&self.fronts);
        fronts.flat_map(|(k, front)| std::iter::repeat_n(k, front.columns as usize)).collect()
    }

    /// Finds where each front passes on to: the front of its first row below.
    fn pass_on(&mut self, front_of: &[u32]) -> Vec<u32> {
        let mut parents = Vec::with_capacity(self.fronts.len());
        for k in 0..self.fronts.len() {
            let front = &self.fronts[k];
            let below = self.rows_of(front);
            let parent = below.first().map_or(NONE, |row| front_of[*row as usize]);
            parents.push(parent);
            let Some(above) = self.fronts.get(parent as usize) else { continue };
            let theirs = self.rows_of(above);
            let run = self.runs.len();
            let mut runs: Vec<Run> = Vec::new();
            for (from, row) in (0_u32..).zip(below) {
                // Those of a front are ascending, and all but its parent's columns are among its parent's rows.
                let to = match row.checked_sub(above.first) {
                    Some(own) if own < above.columns => own,
                    _ => above.columns + theirs.binary_search(row).unwrap_or_default() as u32,
                };
                match runs.last_mut() {
                    Some(run) if to == run.to + run.length && to != above.columns => run.length += 1,
                    _ => runs.push(Run { from, to, length: 1 }),
                }
            }
            let front = &mut self.fronts[k];
            (front.run, front.runs) = (run as u32, runs.len() as u32);
            self.runs.append(&mut runs);
        }
        let mut children: Vec<(u32, u32)> =
            (0_u32..).zip(&parents).filter(|(_, p)| **p != NONE).map(|(k, p)| (*p, k)).collect();
        children.sort_unstable();
        for (at, (parent, child)) in (0_u32..).zip(children) {
            let parent = &mut self.fronts[parent as usize];
            if parent.children == 0 {
                parent.child = at;
            }
            parent.children += 1;
            self.children.push(child);
        }
        parents
    }

    fn take_entries(&mut self, matrix: &ScalarMatrix, front_of: &[u32]) {
        let mut found: Vec<(u32, u32, u32)> = Vec::with_capacity(matrix.rows.len());
        for column in 0..matrix.n {
            let range = matrix.column_starts[column]..matrix.column_starts[column + 1];
            for number in range {
                let (i, j) = (self.places[matrix.rows[number as usize] as usize], self.places[column]);
                let (row, column) = (i.max(j), i.min(j));
                let k = front_of[column as usize];
                let front = &self.fronts[k as usize];
                let (row_within, column) = (row - front.first, column - front.first);
                let place = if row_within < front.columns {
                    column * front.columns + row_within
                } else {
                    let below = self.rows_of(front).binary_search(&row).unwrap_or_default() as u32;
                    let (block, lane) = (below / BLOCK as u32, below % BLOCK as u32);
                    let row = block * front.columns + column;
                    front.columns * front.columns + row * BLOCK as u32 + lane
                };
                found.push((k, place, number));
            }
        }
        found.sort_unstable();
        for (at, (k, place, number)) in (0_u32..).zip(found) {
            let front = &mut self.fronts[k as usize];
            if front.entries == 0 {
                front.entry = at;
            }
            front.entries += 1;
            self.entries.push([number, place]);
        }
    }

    /// Finds the fronts that only one passes on to, which has all their rows, and whose columns fill rows of lanes.
    fn go_on(&mut self) {
        for k in 0..self.fronts.len() {
            let front = &self.fronts[k];
            let [before] = &self.children[front.child as usize..][..front.children as usize] else {
                continue;
            };
            let before = &self.fronts[*before as usize];
            let has_all = front.rows > 0 && before.rows == front.columns + front.rows;
            self.fronts[k].goes_on =
                has_all && before.part == front.part && (front.columns as usize).is_multiple_of(BLOCK);
        }
    }

    /// Finds where in its part's memory each front is, and what it passes on: on a stack, from which its parent takes it.
    fn take_memory(&mut self) {
        for part in &self.parts {
            let [mut top, mut below, mut end, mut most] = [0; 4];
            for k in part {
                let front = &self.fronts[*k as usize];
                let (columns, rows, stride) = (front.columns as usize, front.rows as usize, front.stride());
                let of = &self.children[front.child as usize..][..front.children as usize];
                let own = of.iter().map(|c| &self.fronts[*c as usize]).find(|c| c.part == front.part);
                let (work, update, update_stride) = match own {
                    Some(before) if front.goes_on => {
                        let stride = before.update_stride;
                        let at = before.update + columns * stride + columns / BLOCK;
                        (at, at, stride)
                    }
                    own => {
                        let update = own.map_or(end, |c| c.begin);
                        most = most.max(end + rows * stride);
                        let work = end;
                        end = update + rows * stride;
                        (work, update, stride)
                    }
                };
                let begin = match own {
                    Some(before) if front.goes_on => before.begin,
                    _ => update,
                };
                let front = &mut self.fronts[*k as usize];
                (front.top, front.below, front.work, front.update) = (top, below, work, update);
                (front.update_stride, front.begin) = (update_stride, begin);
                top += columns * columns;
                below += columns * stride;
            }
            self.sizes.push([top, below, most]);
        }
    }
}
