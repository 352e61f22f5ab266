//! Commands on games: what `run`, `view`, `check`, `profile` and `predict` do with `flock`.

mod check;
mod predict;
mod profile;
mod report;
mod run;
mod source;
#[cfg(feature = "view")]
mod view;

pub use check::check;
pub use predict::predict;
pub use profile::profile;
pub use run::run;
pub use source::GameSource;
#[cfg(feature = "view")]
pub use view::view;
