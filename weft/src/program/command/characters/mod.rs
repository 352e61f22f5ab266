//! Commands on characters: what `run`, `view`, `check`, `profile` and `predict` do with glTF, BVH and ozz files.

mod check;
mod engine;
mod report;
mod run;
mod settings;
mod source;
#[cfg(feature = "view")]
mod view;

pub use check::check;
pub use engine::options;
pub use run::run;
pub use source::CharacterSource;
#[cfg(feature = "view")]
pub use view::view;
