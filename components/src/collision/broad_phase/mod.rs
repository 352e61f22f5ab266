//! Which pairs of models may touch: root boxes in, pairs and their differences out.

mod brute_force;
mod grid;
mod model_pair;

pub use brute_force::{BruteForceBroadPhase, PairChanges};
pub use model_pair::{BroadModel, ModelPair};
