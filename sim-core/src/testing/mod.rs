//! Conformance checks for the component traits, for the tests of whoever writes a component.
//!
//! Compiled for this crate's own tests and with the feature `testing`. A check panics with a message that names the
//! component, what disagrees and the seed of the random numbers.

pub mod force_field;
mod interaction_force_field;
mod mapping;
mod mass;
mod random;
mod vectors;

pub use force_field::ForceFieldCheck;
pub use interaction_force_field::InteractionForceFieldCheck;
pub use mapping::mapping;
pub use mass::mass;
pub use random::Random;
