//! Models that walk about and keep out of each other's way: each sees where the others were a step before.

mod part;
mod walker;

pub use part::WalkPart;
pub use walker::{WalkRules, Walker, mix};
