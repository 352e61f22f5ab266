//! Inverse kinematics: of two bones in closed form, of a chain by reaching from both ends.

mod chain;
mod two_bones;

pub use chain::{Reach, chain};
pub use two_bones::{TwoBones, two_bones};
