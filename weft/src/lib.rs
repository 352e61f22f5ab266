//! The front door of Weft: interactive physics simulation on a dataflow task graph.

pub mod simulation;
