//! Games: what runs in each cycle of a host's loop, and what its parts share.

pub mod attributes;
mod entities;
pub mod events;
pub mod flock;
mod lists;
mod parallel;
pub mod schedule;

pub use entities::{Entities, EntityId};
pub use parallel::{InTurn, ParallelFor};
