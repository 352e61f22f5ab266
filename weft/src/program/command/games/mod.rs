//! Commands on games: what `run`, `view`, `check`, `profile` and `predict` do with `flock`.

mod check;
mod predict;
mod profile;
mod report;
mod run;
mod source;
mod tree;
#[cfg(feature = "view")]
mod view;

pub use check::check;
pub use predict::predict;
pub use profile::profile;
pub use run::run;
pub use source::GameSource;
pub use tree::check_tree_file;
#[cfg(feature = "view")]
pub use view::view;
