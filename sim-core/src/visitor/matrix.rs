//! Assembled matrices: where each block that a component writes falls, found once.

use crate::component::matrix::{BlockSink, BlockSinkBetween, End, JointBlock};
use crate::math::{Deriv, Mat3};
use engine::data::{Data, GrowList};

/// Where the `count` blocks of one component go: its k-th block is added to `values[table[first + k]]`.
///
/// Components write their blocks in the same order each time, so no search remains for the step.
#[derive(Clone, Copy, Debug)]
pub struct SlotTable {
    /// Positions in the array of values.
    pub table: Data<u32>,
    /// Where this component's begin.
    pub first: u32,
    /// How many it has.
    pub count: u32,
}

impl SlotTable {
    /// The component's own places in the table.
    pub fn of(first: u32, count: u32, table: &[u32]) -> &[u32] {
        &table[first as usize..][..count as usize]
    }
}

/// How far the blocks reach that come.
#[derive(Default)]
pub struct Reach {
    /// Whether any came.
    pub any: bool,
    /// The largest block row or column.
    pub last: u32,
}

impl BlockSink for Reach {
    fn add_block(&mut self, row: u32, column: u32, _block: &Mat3) {
        self.any = true;
        self.last = self.last.max(row).max(column);
    }
}

/// Whether any entry that came is not 0.
#[derive(Default)]
pub struct AnyEntry(pub bool);

impl BlockSink for AnyEntry {
    fn add_block(&mut self, _row: u32, _column: u32, block: &Mat3) {
        self.0 |= block.iter().any(|entry| *entry != 0.0);
    }
}

/// Adds blocks at precomputed places.
pub struct SlotSink<'a> {
    /// The values of the matrix.
    pub values: &'a mut [Mat3],
    /// Places, in the order of the blocks to come.
    pub slots: &'a [u32],
    /// How many came.
    pub next: usize,
}

impl BlockSink for SlotSink<'_> {
    /// # Panics
    /// If the component has more blocks than when the places were found, see
    /// [`crate::component::force_field::ForceField::add_k_to_matrix`].
    fn add_block(&mut self, _row: u32, _column: u32, block: &Mat3) {
        self.values[self.slots[self.next] as usize] += block;
        self.next += 1;
    }
}

/// Adds the product of the blocks with a vector to another: what an assembled matrix would do, without one.
pub struct ProductSink<'a, D: Deriv> {
    /// What is multiplied.
    pub dx: &'a [D],
    /// What the product is added to.
    pub df: &'a mut [D],
}

impl<D: Deriv> BlockSink for ProductSink<'_, D> {
    fn add_block(&mut self, row: u32, column: u32, block: &Mat3) {
        let place = |k: u32| (k as usize / D::BLOCKS, k as usize % D::BLOCKS);
        let ((to, row), (from, column)) = (place(row), place(column));
        let sum = self.df[to].block(row) + block * self.dx[from].block(column);
        self.df[to].set_block(row, sum);
    }
}

/// Overwrites an array with blocks in the order in which they come.
pub struct SequenceSink<'a> {
    /// Where they go.
    pub values: &'a mut [Mat3],
    /// How many came.
    pub next: usize,
}

impl BlockSink for SequenceSink<'_> {
    /// # Panics
    /// If more blocks come than there is room for.
    fn add_block(&mut self, _row: u32, _column: u32, block: &Mat3) {
        self.values[self.next] = *block;
        self.next += 1;
    }
}

/// How the own matrix of what joins two states counts the scalars of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnScalars {
    /// How many scalars a degree of freedom of the state has.
    pub per_dof: u32,
    /// How many block rows it has.
    pub blocks_per_dof: u32,
    /// Whether the end is on points of the contacts' own, of three scalars each, in place of the state's degrees of freedom.
    pub of_contacts: bool,
}

impl OwnScalars {
    /// The numbers of the scalars of a block row, which belongs to a contact where there is one; none for what fills up the block, or is
    /// no force at a contact's point.
    pub fn of_row(self, row: u32, contact: Option<u32>) -> [Option<u32>; 3] {
        let Self { per_dof, blocks_per_dof, of_contacts } = self;
        let (dof, k) = (row / blocks_per_dof, row % blocks_per_dof);
        if of_contacts {
            // A force at a point is what it is to the first block of each degree of freedom, shared out among these.
            return [0, 1, 2].map(|i| contact.filter(|_| k == 0).map(|c| 3 * c + i));
        }
        [0, 1, 2].map(|i| (3 * k + i < per_dof).then_some(dof * per_dof + 3 * k + i))
    }
}

/// Appends blocks beside their places: for what joins two states at other places in each step, as contacts do.
pub struct JointBlocks<'a> {
    blocks: GrowList<'a, JointBlock>,
    contact: Option<u32>,
}

impl<'a> JointBlocks<'a> {
    /// Begins anew.
    pub fn new(mut blocks: GrowList<'a, JointBlock>) -> Self {
        blocks.clear();
        Self { blocks, contact: None }
    }
}

impl BlockSinkBetween for JointBlocks<'_> {
    fn add_block(&mut self, row: (End, u32), column: (End, u32), block: &Mat3) {
        self.blocks.push(JointBlock { row, column, block: *block, contact: self.contact });
    }

    fn of_contact(&mut self, contact: Option<u32>) {
        self.contact = contact;
    }
}
