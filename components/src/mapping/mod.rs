//! Mappings between mechanical states.

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![]
}
