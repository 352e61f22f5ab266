//! Vocabulary of Weft's mechanics: the scene tree, component traits, and visitors that record its operations as tasks.

pub mod component;
pub mod math;
pub mod prelude;
pub mod renumbering;
pub mod scene;
pub mod step;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod topology;
pub mod visitor;
