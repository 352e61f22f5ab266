//! Built-in components of Weft: masses, force fields, mappings, constraints, topologies, collision.

pub mod topology;

use sim_core::component::description::ComponentDescription;

/// The descriptions of all built-in components, family by family, for the registry.
pub fn all() -> Vec<ComponentDescription> {
    Vec::new()
}
