//! Commands on rigs: what `run`, `view`, `check`, `profile` and `predict` do with `.rig` files.

mod check;
mod report;
mod run;
mod source;
#[cfg(feature = "view")]
mod view;

pub use check::check;
pub use run::run;
pub use source::{DEFAULT_FRAMES, RigSource};
#[cfg(feature = "view")]
pub use view::view;
