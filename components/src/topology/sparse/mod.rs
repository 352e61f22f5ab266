//! Sparse grids: the cells of a lattice that a closed surface runs through or encloses.
//!
//! [`voxels`] sorts the cells of a lattice, [`cells`] makes one level of a grid of them and coarser levels of finer ones,
//! [`branches`] gives cells that touch without being connected points of their own, [`component`] reads scenes.

mod branches;
mod cells;
mod component;
mod voxel_file;
mod voxels;

pub(super) use component::ALL;
