//! Skinned characters: skeletons, clips, poses, blending, and vertices that follow joints.
//!
//! - [`Skeleton`]: joints, parents first, each with a [`Transform`] at rest;
//! - [`Clip`]: tracks of keys over time; [`Cursors`] remember where a player is in each track;
//! - [`Pose`]: the transforms of all joints, a column per number, which [`Clip::sample`] fills and [`blend`] mixes;
//! - [`Skin`] and [`Influences`]: the joints that move a mesh's vertices, and by how much; [`skin`] moves them;
//! - [`Crowd`]: many models that play a clip, a task each, and the vertices that are [`Drawn`] of them.
//!
//! All numbers are `f32`, as in the files and on graphics cards. Matrices are column-major, and vectors are columns.
//!
//! **Sources:** the glTF 2.0 specification, sections 3.7.3 and 3.11 and appendix C; Intel, *Optimized skeletal animation on many cores*.

mod blend;
mod clip;
mod crowd;
mod drawn;
mod error;
mod joints;
mod mesh;
mod pose;
mod sample;
mod skin;
mod track;
mod transform;

pub use blend::{Transition, blend};
pub use clip::{Clip, MorphTrack};
pub use crowd::{Crowd, CrowdError};
pub use drawn::{Drawn, Vertex};
pub use error::{ClipError, SkeletonError, SkinError};
pub use joints::{Joint, Skeleton};
pub use mesh::{Mesh, MorphTarget};
pub use pose::Pose;
pub use sample::Cursors;
pub use skin::{InfluenceBlock, Influences, Skin, skin};
pub use track::{Interpolation, Track};
pub use transform::{IDENTITY, Matrix, Transform, inverse, moved_point, product};
