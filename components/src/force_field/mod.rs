//! Force fields.

pub mod angular_spring_force_field;
pub mod beam_fem_force_field;
mod condensed_hexahedra;
pub mod conical_force_field;
pub mod constant_force_field;
pub mod corotational_elements;
pub mod corotational_fem_force_field;
pub mod edge_pressure_force_field;
pub mod ellipsoid_force_field;
pub mod ellipsoids;
pub mod external_rest_shape;
pub mod fast_tetrahedral_corotational_force_field;
pub mod fast_triangular_bending_springs;
pub mod fem;
pub mod fixed_weak_constraint;
pub mod gear_spring_force_field;
pub mod hexahedral_fem_force_field;
pub mod hexahedron_composite_fem_force_field_and_mass;
pub mod hexahedron_fem_force_field;
pub mod hexahedron_fem_force_field_and_mass;
mod hexahedron_mass;
pub mod hyperelastic;
pub mod joint_spring_force_field;
pub mod joint_spring_text;
pub mod linear_force_field;
mod listed_points;
pub mod mesh_spring_force_field;
pub mod mouse_spring_force_field;
pub mod nodal_loads;
pub mod non_uniform_hexahedron_fem_force_field_and_mass;
pub mod oscillating_torsion_pressure_force_field;
pub mod plane_force_field;
pub mod plane_shape;
pub mod polynomial;
pub mod polynomial_rest_shape_springs_force_field;
pub mod polynomial_springs_force_field;
pub mod quad_bending_fem_force_field;
pub mod quad_bending_springs;
pub mod quad_pressure_force_field;
pub mod quadular_bending_springs;
pub mod regular_grid_spring_force_field;
pub mod repulsive_spring_force_field;
pub mod rest_shape_springs_force_field;
pub mod rest_spring;
pub mod sphere_force_field;
pub mod spring_force_field;
pub mod springs;
pub mod surface_pressure_force_field;
pub mod tait_surface_pressure_force_field;
pub mod tetrahedral_corotational_fem_force_field;
pub mod tetrahedral_tensor_mass_force_field;
pub mod tetrahedron_diffusion_fem_force_field;
pub mod tetrahedron_fem_force_field;
pub mod tetrahedron_hyperelasticity_fem_force_field;
pub mod torsion_force_field;
pub mod triangle_bending_springs;
pub mod triangle_fem_force_field;
pub mod triangle_pressure_force_field;
pub mod triangular_anisotropic_fem_force_field;
pub mod triangular_bending_springs;
pub mod triangular_biquadratic_springs_force_field;
pub mod triangular_fem_force_field;
pub mod triangular_fem_force_field_optim;
pub mod triangular_quadratic_springs_force_field;
pub mod triangular_springs;
pub mod triangular_tensor_mass_force_field;
pub mod vector_spring_force_field;
pub mod velocity_damping;

use sim_core::component::description::ComponentDescription;

/// The components of this family, in alphabetical order of their classes.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        angular_spring_force_field::DESCRIPTION,
        beam_fem_force_field::DESCRIPTION,
        conical_force_field::DESCRIPTION,
        constant_force_field::DESCRIPTION,
        corotational_fem_force_field::DESCRIPTION,
        corotational_fem_force_field::SMALL_STRAIN,
        edge_pressure_force_field::DESCRIPTION,
        ellipsoid_force_field::DESCRIPTION,
        ellipsoid_force_field::INTERACTION,
        fast_tetrahedral_corotational_force_field::DESCRIPTION,
        fast_triangular_bending_springs::DESCRIPTION,
        fixed_weak_constraint::DESCRIPTION,
        gear_spring_force_field::DESCRIPTION,
        hexahedral_fem_force_field::AND_MASS,
        hexahedral_fem_force_field::DESCRIPTION,
        hexahedron_composite_fem_force_field_and_mass::DESCRIPTION,
        hexahedron_fem_force_field::DESCRIPTION,
        hexahedron_fem_force_field_and_mass::DESCRIPTION,
        joint_spring_force_field::DESCRIPTION,
        linear_force_field::DESCRIPTION,
        mesh_spring_force_field::DESCRIPTION,
        mouse_spring_force_field::DESCRIPTION,
        non_uniform_hexahedron_fem_force_field_and_mass::DESCRIPTION,
        oscillating_torsion_pressure_force_field::DESCRIPTION,
        plane_force_field::DESCRIPTION,
        polynomial_rest_shape_springs_force_field::DESCRIPTION,
        polynomial_springs_force_field::DESCRIPTION,
        quad_bending_fem_force_field::DESCRIPTION,
        quad_bending_springs::DESCRIPTION,
        quad_pressure_force_field::DESCRIPTION,
        quadular_bending_springs::DESCRIPTION,
        regular_grid_spring_force_field::DESCRIPTION,
        repulsive_spring_force_field::DESCRIPTION,
        rest_shape_springs_force_field::DESCRIPTION,
        sphere_force_field::DESCRIPTION,
        spring_force_field::DESCRIPTION,
        surface_pressure_force_field::DESCRIPTION,
        tait_surface_pressure_force_field::DESCRIPTION,
        tetrahedral_corotational_fem_force_field::DESCRIPTION,
        tetrahedral_tensor_mass_force_field::DESCRIPTION,
        tetrahedron_diffusion_fem_force_field::DESCRIPTION,
        tetrahedron_fem_force_field::DESCRIPTION,
        tetrahedron_hyperelasticity_fem_force_field::DESCRIPTION,
        tetrahedron_hyperelasticity_fem_force_field::STANDARD,
        torsion_force_field::DESCRIPTION,
        triangle_bending_springs::DESCRIPTION,
        triangle_fem_force_field::DESCRIPTION,
        triangle_pressure_force_field::DESCRIPTION,
        triangular_anisotropic_fem_force_field::DESCRIPTION,
        triangular_bending_springs::DESCRIPTION,
        triangular_biquadratic_springs_force_field::DESCRIPTION,
        triangular_fem_force_field::DESCRIPTION,
        triangular_fem_force_field_optim::DESCRIPTION,
        triangular_quadratic_springs_force_field::DESCRIPTION,
        triangular_tensor_mass_force_field::DESCRIPTION,
        vector_spring_force_field::DESCRIPTION,
        velocity_damping::DESCRIPTION,
        velocity_damping::DIAGONAL,
        velocity_damping::NODAL,
    ]
}
