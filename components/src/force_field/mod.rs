//! Force fields.

pub mod constant_force_field;
pub mod plane_force_field;

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![constant_force_field::DESCRIPTION, plane_force_field::DESCRIPTION]
}
