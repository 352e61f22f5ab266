//! Mappings between mechanical states: positions and velocities go down, forces come up.

pub mod area_mapping;
pub mod articulated_system;
pub mod barycentric;
mod barycentric_frames;
pub mod barycentric_mapping;
pub mod beam_linear_mapping;
mod carried;
pub mod center_of_mass_mapping;
pub mod center_of_mass_multi_mapping;
pub mod deformable_on_rigid_frame_mapping;
pub mod distance_from_target_mapping;
pub mod distance_mapping;
pub mod distance_multi_mapping;
pub mod distance_to_plane_mapping;
mod ends;
mod frame;
pub mod geometric_stiffness;
pub mod hexahedron_composite_fem_mapping;
pub mod identity_mapping;
pub mod identity_multi_mapping;
pub mod influence;
pub mod measure;
pub mod mesh2point_mechanical_mapping;
pub mod rigid_mapping;
pub mod simple_tesselated_tetra_mechanical_mapping;
pub mod skinning_mapping;
pub mod square_distance_mapping;
pub mod square_mapping;
pub mod subset_mapping;
pub mod subset_multi_mapping;
pub mod tubular_mapping;
pub mod void_mapping;
pub mod volume_mapping;
pub mod weighted_points;

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        area_mapping::DESCRIPTION,
        articulated_system::DESCRIPTION,
        barycentric_mapping::DESCRIPTION,
        beam_linear_mapping::DESCRIPTION,
        center_of_mass_mapping::DESCRIPTION,
        center_of_mass_multi_mapping::DESCRIPTION,
        center_of_mass_multi_mapping::OF_TWO_TEMPLATES,
        deformable_on_rigid_frame_mapping::DESCRIPTION,
        distance_from_target_mapping::DESCRIPTION,
        distance_mapping::DESCRIPTION,
        distance_multi_mapping::DESCRIPTION,
        distance_to_plane_mapping::DESCRIPTION,
        hexahedron_composite_fem_mapping::DESCRIPTION,
        identity_mapping::DESCRIPTION,
        identity_multi_mapping::DESCRIPTION,
        mesh2point_mechanical_mapping::DESCRIPTION,
        rigid_mapping::DESCRIPTION,
        simple_tesselated_tetra_mechanical_mapping::DESCRIPTION,
        skinning_mapping::DESCRIPTION,
        square_distance_mapping::DESCRIPTION,
        square_mapping::DESCRIPTION,
        subset_mapping::DESCRIPTION,
        subset_multi_mapping::DESCRIPTION,
        tubular_mapping::DESCRIPTION,
        void_mapping::DESCRIPTION,
        volume_mapping::DESCRIPTION,
    ]
}
