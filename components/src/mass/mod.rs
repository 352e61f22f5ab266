//! Masses: weight, the product with the mass matrix and, where it is diagonal, its inverse.

pub mod diagonal_mass;
mod measures;
pub mod mesh_matrix_mass;
mod rigid_file;
#[cfg(test)]
mod tests;
pub mod uniform_mass;

use sim_core::component::build::BuildError;
use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![diagonal_mass::DESCRIPTION, mesh_matrix_mass::DESCRIPTION, uniform_mass::DESCRIPTION]
}

fn require_positive(mass: f64, attribute: &str) -> Result<f64, BuildError> {
    if mass > 0.0 {
        return Ok(mass);
    }
    Err(BuildError::attribute(attribute, format!("the mass is {mass}; it must be positive")))
}
