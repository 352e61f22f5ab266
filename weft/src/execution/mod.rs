//! How recorded graphs are run: an executor with its planners, where memory lies, and what is seen of a step.
//!
//! A planned executor (`planned_executor.rs`) knows nothing of what it runs. The physics ([`simulation`](crate::simulation)) has one, and so has each other
//! emitter of tasks. [`Stepped`] is what a profile and a prediction ask of each.

pub(crate) mod clock;
mod frame;
pub(crate) mod hash;
pub(crate) mod observer;
mod options;
mod placement;
pub(crate) mod planned_executor;
mod stepped;
pub(crate) mod team;
pub(crate) mod timed;

pub(crate) use frame::FRAME_TIME;
pub use frame::{FrameFailure, FrameReport};
pub use options::{AccumulateMode, Execution, ExecutorKind, NumaMode, PartitionerKind, SimulationOptions};
pub use stepped::Stepped;
