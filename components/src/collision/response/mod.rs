//! What contacts do: which outputs count, where they act on the collision meshes, and the forces between those.

mod attachment;
mod collision_response;
mod contact_mapper;
mod contact_point;
mod filter;
pub mod penalty;

pub use attachment::attachment;
pub use collision_response::{CollisionResponse, ResponseClass};
pub use contact_mapper::{PenaltyParameters, contact_points};
pub use contact_point::{Anchor, Anchored, ContactPoint};
pub use filter::keep_nearest;
