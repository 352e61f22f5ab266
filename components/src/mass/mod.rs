//! Masses: weight, the product with the mass matrix and, where it is diagonal, its inverse.

pub mod diagonal_mass;
mod measures;
pub mod mesh_matrix_mass;
mod rigid_file;
#[cfg(test)]
mod tests;
pub mod uniform_mass;

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::ComponentDescription;
use sim_core::component::mass::{Mass, MassParts};

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![diagonal_mass::DESCRIPTION, mesh_matrix_mass::DESCRIPTION, uniform_mass::DESCRIPTION]
}

/// A mass with the attributes that all have.
fn mass_parts<M: Mass>(
    b: &Builder<'_>,
    constants: M::Constants,
    elements: Vec<M::Element>,
    has_inertia_force: bool,
) -> Result<MassParts<M>, BuildError> {
    Ok(MassParts {
        constants,
        elements,
        separate_gravity: b.boolean("separateGravity")?,
        rayleigh_mass: b.real("rayleighMass")?,
        has_inertia_force,
    })
}

fn require_positive(mass: f64, attribute: &str) -> Result<f64, BuildError> {
    if mass > 0.0 {
        return Ok(mass);
    }
    Err(BuildError::attribute(attribute, format!("the mass is {mass}; it must be positive")))
}
