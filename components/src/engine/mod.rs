//! Engines: they compute, once, what other components link to or what holds for all of them.

pub mod box_roi;
mod displacement_transform;
mod extrude_surface;
mod extrusions;
mod found_indices;
mod frames_and_quaternions;
mod generate_cylinder;
mod generate_grid;
mod generate_rigid_mass;
mod generate_sphere;
pub mod gravity;
mod group_filter_young_modulus;
mod hausdorff_distance;
mod join_points;
mod labels;
mod linear_to_higher_order_elements;
mod math_op;
mod merge_meshes;
mod merge_points;
mod mesh_barycentric_mapper_engine;
mod mesh_boundary_roi;
mod mesh_closing_engine;
mod mesh_roi;
mod mesh_sampler;
mod mesh_splitting_engine;
mod mesh_subset_engine;
mod nearest_point_roi;
mod normals;
mod numbered;
mod pair_box_roi;
mod plane_roi;
mod proximity_roi;
mod random_point_distribution_in_surface;
mod rows;
mod selection;
mod sets;
pub(crate) mod shape_matching;
mod sleep_controller;
pub mod sleeping;
mod smooth_mesh_engine;
mod sphere_roi;
mod spiral;
mod subset_topology;
mod tetra_stuffing;
mod texture_interpolation;
pub mod transform_engine;
mod transform_matrix;
mod transform_position;
mod values_from_indices;
mod values_from_positions;
mod vector_arithmetic;
mod vertex2frame;
mod volume_from_triangles;
mod volume_from_volumetric_elements;

use sim_core::component::description::ComponentDescription;

/// Classes that compute once only: of what is linked to them SOFA watches nothing (of a `NearestPointROI` the rest positions only).
pub const COMPUTED_ONCE: [&str; 1] = [nearest_point_roi::DESCRIPTION.class];

/// Classes that set what holds for others; all others only look at the scene.
const CHANGE_THE_SCENE: [&str; 3] =
    [gravity::DESCRIPTION.class, sleep_controller::DESCRIPTION.class, sleeping::DESCRIPTION.class];

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    let single = [
        box_roi::DESCRIPTION,
        extrude_surface::DESCRIPTION,
        generate_cylinder::DESCRIPTION,
        generate_grid::DESCRIPTION,
        generate_rigid_mass::DESCRIPTION,
        generate_sphere::DESCRIPTION,
        gravity::DESCRIPTION,
        group_filter_young_modulus::DESCRIPTION,
        hausdorff_distance::DESCRIPTION,
        join_points::DESCRIPTION,
        linear_to_higher_order_elements::DESCRIPTION,
        merge_meshes::DESCRIPTION,
        merge_points::DESCRIPTION,
        mesh_barycentric_mapper_engine::DESCRIPTION,
        mesh_boundary_roi::DESCRIPTION,
        mesh_closing_engine::DESCRIPTION,
        mesh_roi::DESCRIPTION,
        mesh_sampler::DESCRIPTION,
        mesh_splitting_engine::DESCRIPTION,
        mesh_subset_engine::DESCRIPTION,
        nearest_point_roi::DESCRIPTION,
        pair_box_roi::DESCRIPTION,
        plane_roi::DESCRIPTION,
        proximity_roi::DESCRIPTION,
        random_point_distribution_in_surface::DESCRIPTION,
        sleep_controller::DESCRIPTION,
        sleeping::DESCRIPTION,
        smooth_mesh_engine::DESCRIPTION,
        sphere_roi::DESCRIPTION,
        spiral::DESCRIPTION,
        subset_topology::DESCRIPTION,
        tetra_stuffing::DESCRIPTION,
        texture_interpolation::DESCRIPTION,
        transform_engine::DESCRIPTION,
        transform_position::DESCRIPTION,
        values_from_positions::DESCRIPTION,
        vertex2frame::DESCRIPTION,
        volume_from_triangles::DESCRIPTION,
        volume_from_volumetric_elements::DESCRIPTION,
    ];
    let groups = [
        &single[..],
        &displacement_transform::ALL,
        &extrusions::ALL,
        &found_indices::ALL,
        &frames_and_quaternions::ALL,
        &labels::ALL,
        &math_op::ALL,
        &normals::ALL,
        &sets::ALL,
        &shape_matching::ALL,
        &transform_matrix::ALL,
        &values_from_indices::ALL,
        &vector_arithmetic::ALL,
    ];
    let looks_only =
        |d: ComponentDescription| if CHANGE_THE_SCENE.contains(&d.class) { d } else { d.looks_only() };
    groups.concat().into_iter().map(looks_only).collect()
}
