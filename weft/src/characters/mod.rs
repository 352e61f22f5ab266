//! Characters (glTF, BVH and ozz files) that run: read, many models of them, animated frame by frame on the same executors as the physics.
//!
//! A [`CharacterSimulation`] plays a clip with any number of models. [`PoseLines`] writes their joints, [`CharacterShapes`] says what is seen
//! of them, and [`WatchedCharacters`] shows it.

mod choice;
mod lines;
mod look;
mod options;
mod overlap;
mod painter;
mod places;
mod seen;
mod shown;
mod simulation;
mod stepped;
mod watched;

pub use characters::{Character, ENDINGS, LoadError, is_character, load};
pub use lines::PoseLines;
pub use options::CharacterOptions;
pub use overlap::Overlap;
pub use painter::Painter;
pub use seen::CharacterShapes;
pub use shown::ShownCharacters;
pub use simulation::CharacterSimulation;
pub use watched::WatchedCharacters;
