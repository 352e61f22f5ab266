//! Games that run: the flocking game, cycle by cycle on the workers of a [`CycleScheduler`](game::CycleScheduler).
//!
//! A [`FlockSimulation`] is to a game what a [`Simulation`](crate::simulation::Simulation) is to a scene of physics; a frame is a cycle of
//! its scheduler. [`WatchedFlock`] shows it, and takes keys.

use std::path::Path;

mod costs;
pub mod gallery;
mod seen;
mod simulation;
mod stepped;
mod watched;

pub use costs::FlockCosts;
pub use simulation::{FlockSimulation, GameOptions};
pub use watched::WatchedFlock;

/// Whether a file has behaviour trees, by its name.
pub fn is_tree(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}
