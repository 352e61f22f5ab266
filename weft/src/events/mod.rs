//! Event graphs (X3D files) that run: loaded, recorded, stepped frame by frame on the same executors as the physics.
//!
//! An [`EventSimulation`] is to an event graph what a [`Simulation`](crate::simulation::Simulation) is to a scene of physics. Frame k,
//! counted from 0, has the time stamp k dt. [`EventLines`] and [`FieldLines`] write what happens in it; [`seen`] finds its shapes,
//! [`WatchedEvents`] shows them and takes what the mouse does.

mod bodies;
pub(crate) mod environment;
mod eye;
pub mod gallery;
mod lines;
mod pointer;
mod printed;
mod said;
pub mod seen;
mod simulation;
mod stepped;
mod structure;
mod watched;

pub use crate::execution::{FrameFailure, FrameReport};
pub use lines::{EventLines, FieldLines, UnknownField};
pub use simulation::EventSimulation;
pub use watched::WatchedEvents;
