//! Force fields.

pub mod constant_force_field;
pub mod fem;
pub mod hexahedron_fem_force_field;
pub mod mesh_spring_force_field;
pub mod mouse_spring_force_field;
pub mod plane_force_field;
pub mod plane_shape;
pub mod regular_grid_spring_force_field;
pub mod spring_force_field;
pub mod springs;
pub mod tetrahedral_corotational_fem_force_field;
pub mod tetrahedron_fem_force_field;

use sim_core::component::description::ComponentDescription;

/// The components of this family, in alphabetical order of their classes.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        constant_force_field::DESCRIPTION,
        hexahedron_fem_force_field::DESCRIPTION,
        mesh_spring_force_field::DESCRIPTION,
        mouse_spring_force_field::DESCRIPTION,
        plane_force_field::DESCRIPTION,
        regular_grid_spring_force_field::DESCRIPTION,
        spring_force_field::DESCRIPTION,
        tetrahedral_corotational_fem_force_field::DESCRIPTION,
        tetrahedron_fem_force_field::DESCRIPTION,
    ]
}
