//! Our own meshes, so that the gallery needs no files: closed surfaces and volumes of a few simple shapes.
//!
//! Shapes are centered at the origin, with the y axis up. Surfaces are closed, consistently oriented outward and
//! manifold (but for [`sheet`], which is open); volumes have positive elements that fit face to face. Numbers of
//! divisions that make no sense are raised to the least that does.

mod border;
mod boxes;
mod curve;
mod named;
mod solid;
mod surface;

pub use border::border;
pub use boxes::{box_hexahedra, box_surface};
pub use named::{NAMES, named};
pub use solid::{ball_tetrahedra, box_tetrahedra, knot_hexahedra, tetrahedra_of, torus_hexahedra};
pub use surface::{bowl, combined, cylinder, knot, revolved, sheet, sphere, torus, walls};

#[cfg(test)]
mod check;
