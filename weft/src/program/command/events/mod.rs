//! Commands on event graphs: what `run`, `view`, `check`, `profile` and `predict` do with X3D files.

mod check;
mod report;
mod run;
mod silent;
mod source;
mod state_hash;
#[cfg(feature = "view")]
mod view;

pub use check::check;
pub use run::run;
pub use source::{GraphSource, executor_of, mode_options};
#[cfg(feature = "view")]
pub use view::view;
