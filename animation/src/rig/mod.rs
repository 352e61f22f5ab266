//! Rigs: graphs of nodes with typed attributes that are evaluated where something is dirty and needed.
//!
//! A [`Rig`] is built of nodes ([`nodes`], or a user's own [`node::NodeKind`]), bindings, controls and outputs. An [`Evaluator`] records what an
//! edit makes necessary as tasks on the engine, keeps the recordings, and replays them.
//!
//! **Source:** Watt et al., *LibEE: A Multithreaded Dependency Graph for Character Animation*, in: Multithreading and VFX, SIGGRAPH
//! 2013 courses.

mod adjust;
pub mod bits;
mod error;
mod evaluator;
pub mod expression;
pub mod format;
pub mod generate;
mod look_up;
pub mod math;
pub mod node;
pub mod nodes;
mod ports;
#[expect(clippy::module_inception, reason = "the type that the folder is named after")]
mod rig;
mod source_place;
mod split;
mod structure;
pub mod testing;
pub mod value;

pub use error::RigError;
pub use evaluator::{
    Backend, Cancel, Evaluated, Evaluator, Failure, InFlight, Lie, PartLayout, Rebuild, Report, RigPart,
    Serial, Settings, ValuePlace,
};
pub use ports::Ports;
pub use rig::{Control, ControlId, KindId, NodeId, OutputId, Rig, Source};
pub use source_place::SourcePlace;
pub use split::{LOOP_NS, Loop};
pub use structure::{Fusion, Structure, Threading};
