//! Event graphs (X3D files) that run: loaded, recorded, stepped frame by frame on the same executors as the physics.
//!
//! An [`EventSimulation`] is to an event graph what a [`Simulation`](crate::simulation::Simulation) is to a scene of physics. Frame k,
//! counted from 0, has the time stamp k dt. [`EventLines`] and [`FieldLines`] write what happens in it; [`seen`] shows its shapes, [`live`]
//! runs it for a window.

pub mod gallery;
mod lines;
pub mod live;
mod pointer;
mod printed;
mod said;
pub mod seen;
mod simulation;
mod stepped;

pub use lines::{EventLines, FieldLines, UnknownField};
pub use simulation::{EventSimulation, FrameFailure, FrameReport};
