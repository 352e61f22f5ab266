//! Force fields.

pub mod constant_force_field;
pub mod corotational_fem_force_field;
pub mod fast_triangular_bending_springs;
pub mod fem;
pub mod hexahedron_fem_force_field;
pub mod mesh_spring_force_field;
pub mod mouse_spring_force_field;
pub mod plane_force_field;
pub mod plane_shape;
pub mod quadular_bending_springs;
pub mod regular_grid_spring_force_field;
pub mod rest_shape_springs_force_field;
pub mod spring_force_field;
pub mod springs;
pub mod tetrahedral_corotational_fem_force_field;
pub mod tetrahedron_fem_force_field;
pub mod triangle_fem_force_field;
pub mod triangle_pressure_force_field;
pub mod triangular_bending_springs;
pub mod triangular_fem_force_field;
pub mod triangular_fem_force_field_optim;

use sim_core::component::description::ComponentDescription;

/// The components of this family, in alphabetical order of their classes.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        constant_force_field::DESCRIPTION,
        corotational_fem_force_field::DESCRIPTION,
        fast_triangular_bending_springs::DESCRIPTION,
        hexahedron_fem_force_field::DESCRIPTION,
        corotational_fem_force_field::SMALL_STRAIN,
        mesh_spring_force_field::DESCRIPTION,
        mouse_spring_force_field::DESCRIPTION,
        plane_force_field::DESCRIPTION,
        quadular_bending_springs::DESCRIPTION,
        regular_grid_spring_force_field::DESCRIPTION,
        rest_shape_springs_force_field::DESCRIPTION,
        spring_force_field::DESCRIPTION,
        tetrahedral_corotational_fem_force_field::DESCRIPTION,
        tetrahedron_fem_force_field::DESCRIPTION,
        triangle_fem_force_field::DESCRIPTION,
        triangle_pressure_force_field::DESCRIPTION,
        triangular_bending_springs::DESCRIPTION,
        triangular_fem_force_field::DESCRIPTION,
        triangular_fem_force_field_optim::DESCRIPTION,
    ]
}
