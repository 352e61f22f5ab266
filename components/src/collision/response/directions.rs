//! Which way a contact pushes the degrees of freedom of both its ends.

use sim_core::component::matrix::{BlockSinkBetween, End};
use sim_core::math::{Deriv, Vec3};

/// What a unit force along a contact's normal, or a unit moment, does to the degrees of freedom of both ends, by blocks of three
/// scalars.
pub(super) struct Directions {
    /// At most four points an end; a frame has two blocks.
    blocks: [((End, u32), Vec3); 8],
    len: usize,
}

impl Directions {
    /// Nothing yet.
    #[inline]
    pub(super) fn new() -> Self {
        Self { blocks: [((End::First, 0), Vec3::zeros()); 8], len: 0 }
    }

    /// What it does to a degree of freedom.
    #[inline]
    pub(super) fn add<D: Deriv>(&mut self, end: End, dof: u32, d: D) {
        for k in 0..D::BLOCKS {
            self.blocks[self.len] = ((end, dof * D::BLOCKS as u32 + k as u32), d.block(k));
            self.len += 1;
        }
    }

    /// Adds `factor` g g^T, where g is all of it.
    pub(super) fn add_blocks(&self, factor: f64, matrix: &mut dyn BlockSinkBetween) {
        for (row, left) in &self.blocks[..self.len] {
            for (column, right) in &self.blocks[..self.len] {
                matrix.add_block(*row, *column, &(left * right.transpose() * factor));
            }
        }
    }
}
