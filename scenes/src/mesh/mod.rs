//! Meshes: readers of the formats that SOFA's scenes use, what its loaders do after reading, writers, and
//! generators of our own.
//!
//! [`load`] does what a SOFA loader component does: read, transform, derive. The parsers work on bytes and never
//! panic; whatever is wrong with a file comes back as a [`MeshError`] with file and line.

mod data;
mod error;
mod finish;
mod general;
pub mod generate;
pub mod gid;
pub mod gmsh;
mod gmsh_numbers;
mod load;
mod load_options;
pub mod mtl;
pub mod obj;
pub mod off;
pub mod rigid;
mod scanner;
pub mod sphere;
pub mod stl;
mod transform;
pub mod trian;
pub mod vtk;
mod vtk_cells;
pub mod vtu;
mod vtu_arrays;
pub mod write_gmsh;
pub mod write_netgen;
pub mod write_obj;
pub mod write_stl;
pub mod write_tetgen;
pub mod write_vtk;
pub mod write_vtu;

pub use data::{FaceGroup, Mesh};
pub use error::MeshError;
pub use finish::finish;
pub use general::General;
pub use load::{load, load_topology, read_file, read_text_file, to_topology};
pub use load_options::{LoadOptions, MeshFormat};
pub use transform::Transform;
