//! Models that walk about and keep out of each other's way: each sees where the others were a step before, and decides by a behaviour tree.
//! They walk around obstacles, and wait before what shuts their way.

mod drive;
mod mind;
mod obstacle;
mod part;
mod walker;

pub use drive::{Drive, Pace};
pub use mind::{Mind, TREE, task_names};
pub use obstacle::Obstacle;
pub use part::WalkPart;
pub use walker::{WalkRules, Walker, mix};
