//! Skinned characters: skeletons, clips, poses, blending, and vertices that follow joints.
//!
//! - [`Skeleton`]: joints, parents first, each with a [`Transform`] at rest;
//! - [`Clip`]: tracks of keys over time; [`Cursors`] remember where a player is in each track;
//! - [`Pose`]: the transforms of all joints, a column per number, which [`Clip::sample`] fills and [`blend`] mixes;
//! - [`Sequence`]: clips that follow each other, and [`Player`], which samples and blends them;
//! - [`Skin`] and [`Influences`]: the joints that move a mesh's vertices, and by how much; [`skin`] moves them;
//! - [`carry`]: how frames carry points, which mechanics uses, too;
//! - [`walk`]: models that walk about and keep out of each other's way;
//! - [`Crowd`]: many models that play clips, a task each, and the vertices that are [`Drawn`] of them; a [`Frustum`] says who is seen.
//!
//! All numbers are `f32`, as in the files and on graphics cards. Matrices are column-major, and vectors are columns.
//!
//! **Sources:** the glTF 2.0 specification, sections 3.7.3 and 3.11 and appendix C; Intel, *Optimized skeletal animation on many cores*.

mod blend;
pub mod carry;
mod clip;
mod crowd;
mod drawn;
mod error;
mod frustum;
mod joints;
mod lane;
mod mesh;
mod player;
mod pose;
mod reach;
mod retarget;
mod sample;
mod sequence;
mod shown;
mod skin;
mod track;
mod transform;
mod vertex;
pub mod walk;

pub use blend::{Transition, blend};
pub use clip::{Clip, MorphTrack};
pub use crowd::{Crowd, CrowdError, CrowdSettings, Pending};
pub use drawn::Drawn;
pub use error::{ClipError, SkeletonError, SkinError};
pub use frustum::{Camera, Frustum};
pub use joints::{Joint, Skeleton};
pub use mesh::{Mesh, MorphTarget};
pub use player::Player;
pub use pose::Pose;
pub use reach::Reach;
pub use retarget::Retarget;
pub use sample::Cursors;
pub use sequence::Sequence;
pub use shown::{MeshVertices, Shown, Vertices};
pub use skin::{InfluenceBlock, Influences, Skin, skin};
pub use track::{Interpolation, Track};
pub use transform::{IDENTITY, Matrix, Transform, inverse, moved_point, product};
pub use vertex::Vertex;
