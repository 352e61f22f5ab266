//! Engines: they compute, once, what other components link to or what holds for all of them.

pub mod box_roi;
pub mod gravity;
mod mesh_roi;
mod pair_box_roi;
mod plane_roi;
mod rows;
mod selection;
pub mod sleeping;
mod sphere_roi;
mod subset_topology;
mod tetra_stuffing;
mod texture_interpolation;
pub mod transform_engine;
mod transform_position;
mod values_from_indices;
mod values_from_positions;
mod vector_arithmetic;
mod vertex2frame;
mod volume_from_triangles;

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    let single = [
        box_roi::DESCRIPTION,
        gravity::DESCRIPTION,
        mesh_roi::DESCRIPTION,
        pair_box_roi::DESCRIPTION,
        plane_roi::DESCRIPTION,
        sleeping::DESCRIPTION,
        sphere_roi::DESCRIPTION,
        subset_topology::DESCRIPTION,
        tetra_stuffing::DESCRIPTION,
        texture_interpolation::DESCRIPTION,
        transform_engine::DESCRIPTION,
        transform_position::DESCRIPTION,
        values_from_positions::DESCRIPTION,
        vertex2frame::DESCRIPTION,
        volume_from_triangles::DESCRIPTION,
    ];
    let groups = [&single[..], &values_from_indices::ALL, &vector_arithmetic::ALL];
    groups.concat()
}
