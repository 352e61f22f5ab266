//! From a task graph to a plan: owner-compute, METIS, control tasks, costs.

pub mod control;
