//! From a task graph to a plan: owner-compute, METIS, control tasks, costs.
//!
//! Objects are placed on workers, tasks follow their objects. A [`Planner`] keeps the assignment from plan to plan:
//! what is placed stays, unless the measured loads say that moving it pays.
//!
//! Results never depend on any of this: every plan gives the bits of the sequential executor.

pub mod control;
mod dissection;
mod mesh;
mod metis;
mod one_move;
mod owner_compute;
mod planner;
mod quality;
pub mod simulate;
mod two_level;
mod weights;

pub use control::Accumulation;
pub use dissection::{WeightedGraph, dissect};
pub use mesh::{CutError, MeshPieces, cut_mesh, cut_net};
pub use planner::{Partitioner, Planner, PlannerOptions};
pub use quality::Quality;
pub use weights::ObjectGraph;
