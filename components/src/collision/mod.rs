//! Collision detection and response as pure functions over slices: geometry and boxes of one model, pairs of models that come near
//! each other (broad phase), contacts between their elements (narrow phase), forces between those (response).
//!
//! None of those knows of tasks or of the scene: `pipeline` hands in positions and lists to fill, as tasks of the step's first two
//! graphs, and `component` has what a scene file names. No function allocates beyond the high-water marks of the lists it is given,
//! and the order of every output depends on its inputs alone.
//!
//! ```text
//! positions -> bounding_tree::refit, motion::follow -> root boxes -> broad_phase (pairs that came, pairs that went)
//!                     |                                                 |
//!                     +--> narrow_phase::detect_listed (per pair) -> response::{keep_nearest, contact_points} -> response::penalty
//! ```

mod aabb;
pub mod bounding_tree;
pub mod broad_phase;
pub mod component;
mod edge_stars;
mod element;
mod list;
mod model;
mod model_kind;
pub mod motion;
pub mod narrow_phase;
mod ownership;
mod pipeline;
pub mod response;
mod solids;
mod surroundings;
#[cfg(test)]
mod test_meshes;

pub use aabb::{Aabb, TreeNode};
pub use component::all;
pub use edge_stars::EdgeStars;
pub use element::Element;
pub use list::List;
pub use model::{CollisionModel, CollisionModelError, ModelAttributes, ModelView, Positions, Sphere};
pub use model_kind::ModelKind;
pub use pipeline::assemble as pipeline;
pub use solids::{Core, Padded, Solid};
pub use surroundings::Surroundings;
