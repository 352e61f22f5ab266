//! Characters (glTF, BVH and ozz files) that run: read, many models of them, animated frame by frame on the same executors as the physics.
//!
//! A [`CharacterSimulation`] plays a clip with any number of models. [`PoseLines`] writes their joints, [`CharacterShapes`] says what is seen
//! of them, and [`WatchedCharacters`] shows it.

mod lines;
mod look;
mod places;
mod seen;
mod simulation;
mod stepped;
mod watched;

pub use characters::{Character, ENDINGS, LoadError, is_character, load};
pub use lines::PoseLines;
pub use seen::CharacterShapes;
pub use simulation::{CharacterOptions, CharacterSimulation};
pub use watched::WatchedCharacters;
