//! Models that walk about and keep out of each other's way: each sees where the others were a step before, and decides by a behaviour tree.

mod mind;
mod part;
mod walker;

pub use mind::{Mind, TREE};
pub use part::WalkPart;
pub use walker::{WalkRules, Walker, mix};
