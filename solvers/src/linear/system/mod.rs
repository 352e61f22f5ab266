//! The matrix of everything that one solver moves, as one: what direct solvers factorise.
//!
//! Components write blocks of their own states, as tasks: see [`super::assembled`] for those on one state, and
//! `record_add_to_matrix` of what joins two. Mappings write their Jacobians. A system then is the sum of J_s^T K_st J_t over all
//! of that, where J_s leads from the independent states to state s. Objects that nothing couples make separate systems, which
//! are assembled and solved beside each other.
//!
//! - [`connected`]: which objects are coupled.
//! - [`structure`]: where blocks fall, found when the step is recorded.
//! - [`matrix`]: the numbers, in a [`Workspace`](engine::data::Workspace).
//! - [`record`]: the tasks.
//!
//! A component that writes no blocks acts explicitly, as in SOFA. What a mapping that gives no forces back (`mapForces="0"`)
//! moves has no part in the matrix. The geometric stiffness of a mapping stands on its input, as matrix-free products have it.

mod components;
mod connected;
mod matrix;
mod record;
pub(super) mod structure;

pub use components::descriptions;
pub use matrix::SystemMatrix;
pub use record::{System, record_systems, record_whole_system};
