//! Masses: weight, the product with the mass matrix and, where it is diagonal, its inverse.

pub mod diagonal_mass;
pub mod diagonal_mass_rigid3;
pub mod fem_mass;
mod measures;
pub mod mesh_matrix_mass;
pub mod nodal_mass_density;
mod rigid_file;
#[cfg(test)]
mod tests;
pub mod uniform_mass;
pub mod uniform_mass_rigid2;
pub mod weight_alone;

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::ComponentDescription;
use sim_core::component::matrix::BlockSink;
use sim_core::component::value::Value;
use sim_core::math::Deriv;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        diagonal_mass::DESCRIPTION,
        fem_mass::DESCRIPTION,
        mesh_matrix_mass::DESCRIPTION,
        nodal_mass_density::DESCRIPTION,
        uniform_mass::DESCRIPTION,
    ]
}

/// The degrees of freedom a list of indices means: an empty list all of them.
fn each(indices: &[u32], n: usize, mut f: impl FnMut(usize)) {
    if indices.is_empty() {
        (0..n).for_each(f);
    } else {
        indices.iter().for_each(|i| f(*i as usize));
    }
}

/// The mass of all degrees of freedom that a list of indices means [kg].
fn mass_of_all(mass: f64, indices: &[u32], n: usize) -> f64 {
    mass * if indices.is_empty() { n } else { indices.len() } as f64
}

/// Adds the blocks of a multiple of the identity for each degree of freedom that a list of indices means.
fn add_diagonal<D: Deriv>(
    indices: &[u32],
    n: usize,
    mass: impl Fn(usize) -> f64,
    matrix: &mut dyn BlockSink,
) {
    each(indices, n, |i| {
        for k in 0..D::BLOCKS {
            let row = (i * D::BLOCKS + k) as u32;
            matrix.add_block(row, row, &(D::identity_block(k) * mass(i)));
        }
    });
}

fn require_not_negative(mass: f64, attribute: &str) -> Result<f64, BuildError> {
    if mass >= 0.0 {
        return Ok(mass);
    }
    Err(BuildError::attribute(attribute, format!("the mass is {mass}; it must not be negative")))
}

/// A total mass; 1 where it is negative, with a warning.
///
/// **Source:** as SOFA's masses on meshes.
fn not_negative_or_one(b: &mut Builder<'_>, total: f64) -> f64 {
    if total == 0.0 {
        b.warn(Some("totalMass"), "`totalMass` is 0, so that nothing weighs".to_owned());
    }
    if total >= 0.0 {
        return total;
    }
    b.replace("totalMass", Value::Real(1.0), format!("`totalMass` is {total}; it is 1 instead, as in SOFA"));
    1.0
}

fn require_positive(mass: f64, attribute: &str) -> Result<f64, BuildError> {
    if mass > 0.0 {
        return Ok(mass);
    }
    Err(BuildError::attribute(attribute, format!("the mass is {mass}; it must be positive")))
}
