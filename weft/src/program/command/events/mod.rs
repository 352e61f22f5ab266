//! Commands on event graphs: what `run`, `check`, `profile` and `predict` do with X3D files.

mod check;
mod compare;
mod report;
mod run;
mod source;

pub use check::check;
pub use run::run;
pub use source::GraphSource;
