//! Observed steps as plain data: what is measured, and what the profiler starts from.

mod graph;
mod step;

pub use graph::{Code, Graph, TaskFacts, Touch};
pub use step::{BesideWork, Names, Phase, RunRecord, Section, Serial, StepRecord};
