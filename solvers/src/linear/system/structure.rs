//! Where the blocks of a system fall: what is known when the step is recorded.

use sim_core::visitor::matrix::OwnScalars;

/// How the rows of a state hang on those of the system; block rows are counted, of three scalars each.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// An independent state: its rows are the system's from `first` on.
    Independent {
        /// Its first row in the system.
        first: u32,
    },
    /// A state that mappings move.
    Mapped {
        /// Its number of rows.
        n: u32,
    },
}

/// The Jacobian of a mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    /// The state that moves: index in [`Structure::states`].
    pub input: usize,
    /// The state that follows.
    pub output: usize,
    /// Row in the output and column in the input of each block that the mapping writes.
    pub places: Vec<(u32, u32)>,
}

/// The matrix that the components on one state write.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalMatrix {
    /// The state.
    pub state: usize,
    /// Row and column of each of its blocks.
    pub places: Vec<(u32, u32)>,
}

/// What joins two states.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The two states; none for one that the solver does not move.
    pub ends: [Option<usize>; 2],
    /// Of a joint whose blocks SOFA also puts elsewhere: where those between the ends are in the counting of each end, see
    /// [`super::matrix`].
    pub elsewhere: [Option<Elsewhere>; 2],
}

/// Rows of the system that an end's scalars fall on besides their own: one scalar after the other, as the joint's own matrix counts
/// them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elsewhere {
    /// The number of the first one among the scalars of the system.
    pub first: u32,
    /// How they are counted.
    pub scalars: OwnScalars,
}

impl Elsewhere {
    /// The numbers of the scalars of a block row of the state, which belongs to a contact where there is one; none for what is none.
    pub fn of_row(self, row: u32, contact: Option<u32>) -> [Option<u32>; 3] {
        self.scalars.of_row(row, contact).map(|number| Some(self.first + number?))
    }
}

/// Where the blocks of a system fall.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// Number of block rows.
    pub n_rows: u32,
    /// All states, inputs of mappings before outputs.
    pub states: Vec<Rows>,
    /// All mappings, inputs before outputs.
    pub jacobians: Vec<Jacobian>,
    /// All matrices of single states.
    pub locals: Vec<LocalMatrix>,
    /// All that joins two states.
    pub joints: Vec<Joint>,
    /// Where the scalars of the system stand in its block rows, one after the other.
    pub scalars: Vec<u32>,
    /// For each scalar of the block rows, whether a constraint holds it, or nothing stands there.
    pub fixed: Vec<bool>,
}

impl Structure {
    /// Where the scalar of a number stands; after the last one as if rows without filling followed.
    pub fn scalar(&self, number: u32) -> u32 {
        let after = || 3 * self.n_rows + (number - self.scalars.len() as u32);
        self.scalars.get(number as usize).copied().unwrap_or_else(after)
    }
}

/// Places of blocks in compressed rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    /// First block of each row, and the end of the last one's.
    pub starts: Vec<u32>,
    /// Column of each block, ascending within a row.
    pub columns: Vec<u32>,
}

impl Places {
    /// The distinct ones of these places of a matrix of `n` rows.
    pub fn of(n: u32, places: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut sorted: Vec<(u32, u32)> = places.collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut starts = vec![0; n as usize + 1];
        for (row, _) in &sorted {
            starts[*row as usize + 1] += 1;
        }
        for row in 0..n as usize {
            starts[row + 1] += starts[row];
        }
        Self { starts, columns: sorted.into_iter().map(|(_, column)| column).collect() }
    }

    /// The numbers of a row's blocks.
    pub fn row(&self, row: u32) -> std::ops::Range<usize> {
        self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize
    }

    /// The number of the block at a place, if there is one.
    pub fn find(&self, row: u32, column: u32) -> Option<u32> {
        let range = self.row(row);
        let first = range.start;
        self.columns[range].binary_search(&column).ok().map(|k| (first + k) as u32)
    }
}
