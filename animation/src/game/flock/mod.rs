//! Flocks: entities that keep apart, keep together and go the way of their neighbours.
//!
//! What moves them are pure functions on slices, for whoever has positions and velocities: [`steering`] of one entity among its neighbours,
//! [`contacts`] of spheres, [`moved`] for the step in time, and a [`Grid`] that finds [`Neighbours`]. Each looks at the flock as it is at
//! the beginning of a step, so that entities may be taken in any order, in any batches ([`Batching`]), with the same bits.
//!
//! [`Flock`] is a game made of them: systems that share all by attributes.
//!
//! **Source:** Zettersten, *A parallel architecture for real-time games*, KTH 2010, section 3.4; Reynolds, *Flocks, herds and schools*,
//! SIGGRAPH 1987.

mod batches;
mod game;
mod grid;
mod motion;
mod rules;
mod steering;

pub use batches::Batching;
pub use game::{
    Flock, FlockOptions, Key, PIECE, Picture, Play, Posting, Propagation, Scene, Statistics, TREE,
};
pub use grid::{Grid, Neighbours};
pub use motion::{Contact, contacts, moved};
pub use rules::{Bounds, FlockError, Rule, Rules};
pub use steering::{bounding, steering};
