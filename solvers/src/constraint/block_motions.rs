//! W times lambda without W: what forces move, where each block row of the degrees of freedom gives way by itself.

use sim_core::math::{Mat3, Vec3};
use sim_core::visitor::constraints::UnitRows;

/// The columns of a block of rows.
#[derive(Clone, Copy, Debug, Default)]
struct BlockColumns {
    /// They are these of `columns`.
    columns: [u32; 2],
    /// Where the directions begin: column after column, in each column row after row.
    directions: usize,
    /// Number of rows.
    n: usize,
}

/// The block rows of all units whose compliance is one of blocks, and the rows of constraints on them.
///
/// A row with directions d_j adds the sum of the d_j . u_j to its violation, where u_j = C_j f_j is how block row j moves under the
/// force f_j. A contact of two rigid bodies has four block rows, whatever else these bodies touch; in W it has a column for each row of
/// all their contacts.
///
/// **Source:** as SOFA's unbuilt interface of UncoupledConstraintCorrection.
#[derive(Debug, Default)]
pub(super) struct BlockMotions {
    /// C of each block row.
    compliances: Vec<Mat3>,
    forces: Vec<Vec3>,
    motions: Vec<Vec3>,
    blocks: Vec<BlockColumns>,
    columns: Vec<u32>,
    directions: Vec<Vec3>,
}

impl BlockMotions {
    /// Forgets all units and rows.
    pub fn begin(&mut self) {
        self.compliances.clear();
        self.blocks.clear();
        self.columns.clear();
        self.directions.clear();
    }

    /// Whether no unit has such a compliance.
    pub fn is_empty(&self) -> bool {
        self.compliances.is_empty()
    }

    /// Takes the block rows of a unit; gives back the number of the first one.
    pub fn take_unit(&mut self, compliances: &[Mat3], factor: f64) -> u32 {
        let first = self.compliances.len() as u32;
        self.compliances.extend(compliances.iter().map(|c| c * factor));
        first
    }

    /// Takes the next block, of `n` rows without entries yet.
    pub fn push_block(&mut self, n: usize) {
        let columns = [self.columns.len() as u32; 2];
        self.blocks.push(BlockColumns { columns, directions: self.directions.len(), n });
    }

    /// Adds the entries of a row of the last block, which are of the unit whose first block row is `first`.
    pub fn add_row(&mut self, row: usize, first: u32, entries: &[(u32, Vec3)]) {
        let Self { blocks, columns, directions, .. } = self;
        let Some(BlockColumns { columns: range, directions: begin, n }) = blocks.last_mut() else { return };
        for (block, direction) in entries {
            let column = first + block;
            let known = columns[range[0] as usize..].iter().position(|c| *c == column);
            let at = known.unwrap_or_else(|| {
                columns.push(column);
                directions.resize(directions.len() + *n, Vec3::zeros());
                range[1] += 1;
                (range[1] - range[0]) as usize - 1
            });
            directions[*begin + at * *n + row] += direction;
        }
    }

    /// Nothing has moved yet.
    pub fn rest(&mut self) {
        self.forces.clear();
        self.forces.resize(self.compliances.len(), Vec3::zeros());
        self.motions.clear();
        self.motions.resize(self.compliances.len(), Vec3::zeros());
    }

    /// The columns of a block, and the directions of its rows in each, column after column.
    #[inline]
    fn columns_of(&self, block: usize) -> (&[u32], &[Vec3], usize) {
        let BlockColumns { columns, directions, n } = self.blocks[block];
        let columns = &self.columns[columns[0] as usize..columns[1] as usize];
        (columns, &self.directions[directions..directions + n * columns.len()], n)
    }

    /// Adds a block's part of W, row by row.
    pub fn add_own(&self, block: usize, own: &mut [f64]) {
        let (columns, directions, n) = self.columns_of(block);
        for (column, directions) in columns.iter().zip(directions.chunks_exact(n.max(1))) {
            for (j, d) in directions.iter().enumerate() {
                let moved = self.compliances[*column as usize] * d;
                (0..n).for_each(|i| own[i * n + j] += directions[i].dot(&moved));
            }
        }
    }

    /// Adds what a block's rows see of the present motion.
    #[inline]
    pub fn add_violations(&self, block: usize, sums: &mut [f64]) {
        let (columns, directions, n) = self.columns_of(block);
        if let [a, b, c] = sums {
            // Contacts with friction.
            let (of_columns, _) = directions.as_chunks::<3>();
            for (column, [d, e, f]) in columns.iter().zip(of_columns) {
                let u = &self.motions[*column as usize];
                (*a, *b, *c) = (*a + d.dot(u), *b + e.dot(u), *c + f.dot(u));
            }
            return;
        }
        for (column, directions) in columns.iter().zip(directions.chunks_exact(n.max(1))) {
            let u = &self.motions[*column as usize];
            sums.iter_mut().zip(directions).for_each(|(sum, d)| *sum += d.dot(u));
        }
    }

    /// The forces of a block's rows change, each by what `change` says.
    #[inline]
    pub fn change_forces(&mut self, block: usize, change: impl Fn(usize) -> f64) {
        let Self { compliances, forces, motions, .. } = self;
        let BlockColumns { columns, directions, n } = self.blocks[block];
        let columns = &self.columns[columns[0] as usize..columns[1] as usize];
        let directions = &self.directions[directions..directions + n * columns.len()];
        let mut push = |column: u32, by: Vec3| {
            let column = column as usize;
            let force = forces[column] + by;
            forces[column] = force;
            motions[column] = compliances[column] * force;
        };
        if n == 3 {
            let changes = [change(0), change(1), change(2)];
            let (of_columns, _) = directions.as_chunks::<3>();
            for (column, [d, e, f]) in columns.iter().zip(of_columns) {
                push(*column, d * changes[0] + e * changes[1] + f * changes[2]);
            }
            return;
        }
        for (column, directions) in columns.iter().zip(directions.chunks_exact(n.max(1))) {
            let of_row = |(row, d): (usize, &Vec3)| d * change(row);
            push(*column, directions.iter().enumerate().map(of_row).sum());
        }
    }
}

/// The rows of a unit, kept until all units are known.
#[derive(Debug, Default)]
pub(super) struct KeptRows {
    starts: Vec<u32>,
    entries: Vec<(u32, Vec3)>,
}

impl KeptRows {
    /// Copies them.
    pub fn take(&mut self, rows: &UnitRows) {
        self.starts.clone_from(&rows.starts);
        self.entries.clone_from(&rows.entries);
    }

    /// The entries of a row.
    pub fn row(&self, row: usize) -> &[(u32, Vec3)] {
        &self.entries[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sim_core::component::lagrangian_constraint::RowEntry;
    use sim_core::component::matrix::End;

    use super::*;

    /// The rows of a unit of some block rows, of one constraint.
    fn rows_of(entries: &[(u32, u32, [f64; 3])]) -> UnitRows {
        let entries: Vec<RowEntry> = entries
            .iter()
            .map(|(row, block, d)| RowEntry {
                row: *row,
                end: End::First,
                block: *block,
                direction: Vec3::from(*d),
            })
            .collect();
        let mut rows = UnitRows::default();
        rows.begin();
        rows.take(0, None, 0, &entries);
        rows.finish();
        rows
    }

    proptest! {
        /// Whatever the blocks, rows and entries: the products are those of W = sum of D C D^T, and of its own part.
        #[test]
        fn products_are_those_of_the_matrix(
            sizes in prop::collection::vec(1usize..5, 1..6),
            entries in prop::collection::vec((0u32..40, 0u32..4, prop::array::uniform3(-3i32..4)), 1..60),
            lambda in prop::collection::vec(-4i32..5, 30),
        ) {
            let n: usize = sizes.iter().sum();
            let entries: Vec<(u32, u32, [f64; 3])> =
                entries.into_iter().map(|(r, b, d)| (r % n as u32, b, d.map(f64::from))).collect();
            // Two units of two block rows each; rows that are on neither have no entries.
            let units = [0, 1].map(|unit| {
                let of_unit = entries.iter().filter(|e| e.1 / 2 == unit).map(|(r, b, d)| (*r, b % 2, *d));
                rows_of(&of_unit.collect::<Vec<_>>())
            });
            let c: Vec<Mat3> = (0..4).map(|k| Mat3::new(2.0, 1.0, 0.0, 1.0, 3.0, f64::from(k), 0.0, f64::from(k), 4.0)).collect();
            let mut dense = vec![vec![0.0; n]; n];
            for (i, a, d) in &entries {
                for (j, _, e) in entries.iter().filter(|(_, b, _)| b == a) {
                    dense[*i as usize][*j as usize] += Vec3::from(*d).dot(&(c[*a as usize] * 0.5 * Vec3::from(*e)));
                }
            }
            let mut motions = BlockMotions::default();
            // Twice: what the first one leaves must not be seen.
            for _ in 0..2 {
                motions.begin();
                let firsts = [0, 1].map(|k| motions.take_unit(&c[2 * k..2 * k + 2], 0.5));
                let mut first = 0;
                for size in &sizes {
                    motions.push_block(*size);
                    for row in 0..*size {
                        for (unit, begin) in units.iter().zip(firsts) {
                            if let Some(local) = unit.rows.iter().position(|r| r[1] as usize == first + row) {
                                motions.add_row(row, begin, unit.row(local));
                            }
                        }
                    }
                    first += size;
                }
                motions.rest();
            }
            let mut first = 0;
            for (k, size) in sizes.iter().enumerate() {
                motions.change_forces(k, |row| f64::from(lambda[first + row]));
                first += size;
            }
            first = 0;
            for (k, &size) in sizes.iter().enumerate() {
                let (mut sums, mut own) = (vec![1.0; size], vec![0.0; size * size]);
                motions.add_violations(k, &mut sums);
                motions.add_own(k, &mut own);
                for row in 0..size {
                    let of_row = &dense[first + row];
                    let expected: f64 = of_row.iter().zip(&lambda).map(|(w, l)| w * f64::from(*l)).sum();
                    prop_assert_eq!(sums[row], 1.0 + expected);
                    prop_assert_eq!(&own[row * size..][..size], &of_row[first..first + size]);
                }
                first += size;
            }
        }
    }
}
