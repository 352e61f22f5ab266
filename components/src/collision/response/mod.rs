//! What contacts do: which outputs count, where they act on the collision meshes, and the forces between those.

mod attachment;
mod collision_response;
mod contact_law;
mod contact_mapper;
mod contact_point;
mod contact_rules;
mod contacts;
mod directions;
mod elongation;
mod filter;
pub mod friction;
mod multiplier_law;
mod parts;
pub mod penalty;
mod response_class;
mod rolling;
mod stick;
mod turning;

pub use attachment::attachment;
pub use collision_response::CollisionResponse;
pub use contact_law::ContactLaw;
pub use contact_mapper::{PenaltyParameters, contact_points, onto_surfaces};
pub use contact_point::{Anchor, Anchored, ContactPoint};
pub use contact_rules::{AskingModel, ContactRule, read_rules, replaced};
pub use contacts::{Both, Contacts, FrictionPoint, RollingPoint};
pub use elongation::{Detected, FrictionLists, FrictionParameters, KeptContact, friction_points};
pub use filter::{keep_first_at_place, keep_nearest};
pub use friction::PenaltyWithFriction;
pub use multiplier_law::{Impact, MultiplierLaw};
pub use parts::keep_nearest_of_parts;
pub use penalty::Penalty;
pub use response_class::{AskedClass, ResponseClass};
pub use stick::{Stick, hold};
pub use turning::Turning;
