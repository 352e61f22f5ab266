//! The front door of Weft: interactive physics simulation on a dataflow task graph.
//!
//! A scene is loaded ([`scenes`]), taken in by a [`Simulation`](simulation::Simulation), and stepped; what is wanted of the steps
//! is written by [`output`]; [`program`] is the whole command line program.
//!
//! ```
//! use weft::prelude::*;
//!
//! let text = "<Node>
//!     <EulerExplicitSolver/>
//!     <MechanicalObject position='0 1 0'/>
//!     <UniformMass totalMass='1'/>
//! </Node>";
//! let loaded = load_text(text, "drop.scn", &LoadOptions::default())?;
//! let mut simulation = Simulation::new(loaded.scene, SimulationOptions::default())?;
//! for _ in 0..10 {
//!     simulation.step()?;
//! }
//! let y = simulation.states()[0].position[0][1];
//! assert!(y < 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// Games: cycles that a host's loop calls once a frame, behaviour trees, attributes (see `docs/games.md`).
pub use game;
pub use scenes::gallery;
#[cfg(feature = "testing")]
pub use sim_core::testing;

/// By which what `#[derive(Attributes)]` makes finds its way.
#[doc(hidden)]
pub use sim_core as __sim_core;

pub mod characters;
pub mod events;
pub mod execution;
pub mod games;
pub mod live;
pub mod output;
pub mod predict;
pub mod prelude;
pub mod profile;
pub mod program;
pub mod record;
pub mod regress;
pub mod rigs;
pub mod simulation;
