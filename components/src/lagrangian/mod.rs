//! Constraints with Lagrange multipliers: the rows of their Jacobians, and by how much each is violated.

pub mod bilateral_lagrangian_constraint;
mod ends;
pub mod fixed_lagrangian_constraint;
pub(crate) mod rotation;
pub mod sliding_lagrangian_constraint;
pub mod stopper_lagrangian_constraint;
pub mod uniform_lagrangian_constraint;

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        bilateral_lagrangian_constraint::DESCRIPTION,
        fixed_lagrangian_constraint::DESCRIPTION,
        sliding_lagrangian_constraint::DESCRIPTION,
        stopper_lagrangian_constraint::DESCRIPTION,
        uniform_lagrangian_constraint::DESCRIPTION,
    ]
}
