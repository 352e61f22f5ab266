//! Graphs of nodes whose ports are data, emitted as tasks onto the engine: event graphs and rigs.
//!
//! - [`game`]: tasks that queues release in cycles, as in loops of games;
//! - [`graph`]: who comes before whom, circles, and nodes that are one task together;
//! - [`event`]: fields, routes and nodes that run in a frame if an event reaches them, as X3D's;
//! - [`rig`]: nodes with typed attributes that run where something is dirty and needed, as in rigs of characters;
//! - [`skeleton`]: skinned characters: clips, poses, vertices that follow joints; crowds of them.
//!
//! What runs any of them is a [`Backend`].
//!
//! It stands on the engine alone and knows no mechanics.

mod backend;
pub mod event;
pub mod game;
pub mod graph;
mod located;
pub mod rig;
pub mod skeleton;

pub use backend::{Backend, Lower};
