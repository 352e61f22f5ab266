//! Mechanical states.

pub mod mechanical_object;

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![mechanical_object::DESCRIPTION]
}
