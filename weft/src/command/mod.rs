//! What the program can do, one file per command.

mod check;
mod list;
mod outputs;
mod predict;
mod profile;
mod run;
mod scene;
mod summary;
mod topology;

pub use check::check;
pub use list::list;
pub use predict::predict;
pub use profile::profile;
pub use run::run;
pub use topology::topology;
