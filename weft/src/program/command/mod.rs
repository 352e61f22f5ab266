//! What the program can do, one file per command.

mod catalogue;
mod characters;
mod check;
mod events;
mod frames;
mod games;
mod list;
mod machine;
mod new;
mod outputs;
#[cfg(feature = "view")]
mod pictures;
mod predict;
mod profile;
mod regress;
mod rigs;
mod run;
mod scene;
mod sink;
mod stages;
mod summary;
mod summary_of_solvers;
mod topology;
mod trace_file;
#[cfg(feature = "view")]
mod view;
#[cfg(not(feature = "view"))]
#[path = "view_missing.rs"]
mod view;
#[cfg(feature = "view")]
mod window;

pub use check::check;
pub use list::list;
pub use new::new;
pub use predict::predict;
pub use profile::profile;
pub use regress::regress;
pub use run::run;
pub use stages::stages;
pub use topology::topology;
pub use view::{front, view};
