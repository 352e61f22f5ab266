//! How components write into an assembled matrix.

use crate::math::Mat3;

/// Receives 3 by 3 blocks of a symmetric or general matrix; blocks at the same place add up.
///
/// Rows and columns count blocks of three scalars: degree of freedom i of a Vec3 state is block i, of a Rigid3 state blocks
/// 2i and 2i + 1; see [`Deriv::BLOCKS`](crate::math::Deriv::BLOCKS). A block is zero where its degree of freedom has no
/// scalar.
pub trait BlockSink {
    /// Adds `block` at block row `row`, block column `column`.
    fn add_block(&mut self, row: u32, column: u32, block: &Mat3);
}

/// One of the two states that something joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// The first.
    First,
    /// The second.
    Second,
}

/// Receives 3 by 3 blocks of a matrix over two states; blocks at the same place add up. Rows and columns are counted in each
/// state as for a [`BlockSink`].
pub trait BlockSinkBetween {
    /// Adds `block` at a block row and a block column, each of a state.
    fn add_block(&mut self, row: (End, u32), column: (End, u32), block: &Mat3);
    /// Says of which contact of its pair the blocks that follow are; none: of something that is no force between the contact's two
    /// points. Who does not ask for it need not know.
    fn of_contact(&mut self, contact: Option<u32>) {
        let _ = contact;
    }
}

/// A block of a matrix over two states, beside its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointBlock {
    /// Its block row.
    pub row: (End, u32),
    /// Its block column.
    pub column: (End, u32),
    /// Its entries.
    pub block: Mat3,
    /// The number of the contact that it belongs to, in the order of detection; none of what is no contact.
    pub contact: Option<u32>,
}

/// Records where blocks fall, for the pattern of a matrix.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PatternSink {
    /// The places, in the order written, repeats included.
    pub places: Vec<(u32, u32)>,
}

impl BlockSink for PatternSink {
    fn add_block(&mut self, row: u32, column: u32, _block: &Mat3) {
        self.places.push((row, column));
    }
}
