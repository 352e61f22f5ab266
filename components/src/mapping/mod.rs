//! Mappings between mechanical states: positions and velocities go down, forces come up.

pub mod barycentric;
pub mod barycentric_mapping;
mod ends;
pub mod identity_mapping;
pub mod rigid_mapping;
pub mod subset_mapping;
pub mod subset_multi_mapping;

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        barycentric_mapping::DESCRIPTION,
        identity_mapping::DESCRIPTION,
        rigid_mapping::DESCRIPTION,
        subset_mapping::DESCRIPTION,
        subset_multi_mapping::DESCRIPTION,
    ]
}
