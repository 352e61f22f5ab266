//! What the program can do, one file per command.

mod check;
mod list;
mod outputs;
mod run;
mod scene;
mod summary;
mod topology;

pub use check::check;
pub use list::list;
pub use run::run;
pub use topology::topology;
