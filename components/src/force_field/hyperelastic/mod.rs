//! Hyperelastic tetrahedra: what fields of them have in common.
//!
//! [`dual`] differentiates functions of a few invariants, [`material`] has the laws, [`strain`] what they see of a deformation, and
//! [`tetrahedra`] the forces and tangents of linear tetrahedra.

pub mod dual;
pub mod material;
pub mod strain;
pub mod tetrahedra;

pub use material::{Law, Material};
pub use strain::Strain;
