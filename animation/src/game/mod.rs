//! Games: what runs in each cycle of a host's loop, and what its parts share.

pub mod attributes;
mod entities;
pub mod schedule;

pub use entities::{Entities, EntityId};
