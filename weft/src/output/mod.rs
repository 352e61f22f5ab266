//! What is written of a simulation: states, surfaces, measurements, traces.
//!
//! Everything writes to any [`std::io::Write`]; nothing prints by itself.

pub mod mean_max;
pub mod obj;
pub mod plot;
pub mod recorders;
pub mod report;
pub mod solver_report;
pub mod state_lines;
pub mod statistics;
pub mod trace;
