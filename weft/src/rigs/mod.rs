//! Rigs (`.rig` files) that run: read, laid out, evaluated frame by frame on the same executors as the physics.
//!
//! A [`RigSimulation`] is to a rig what a [`Simulation`](crate::simulation::Simulation) is to a scene of physics. Frame k, counted from 0,
//! has the time k dt, which the control [`TIME`] of a rig follows. [`OutputLines`] writes outputs, [`WatchedRig`] shows skeleton, meshes and
//! controls.

pub mod gallery;
mod lines;
mod loops;
pub mod node;
mod outputs;
mod seen;
mod simulation;
mod stepped;
pub mod testing;
mod watched;

pub use lines::OutputLines;
pub use simulation::{RigSimulation, TIME};
pub use watched::WatchedRig;
