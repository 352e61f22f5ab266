//! Vocabulary of Weft: data handles, the scene tree, component traits, visitors, the task graph and its reference executor.

pub mod component;
pub mod data;
pub mod exec;
pub mod graph;
pub mod math;
pub mod scene;
pub mod step;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod topology;
pub mod visitor;
