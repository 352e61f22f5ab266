//! Projective constraints.

pub mod attach;
pub mod fixed_plane_projective_constraint;
pub mod fixed_projective_constraint;
mod fixed_rotation_projective_constraint;
mod fixed_translation_projective_constraint;
mod moved;
mod onto;
pub mod partial_fixed_projective_constraint;
pub mod position_based_dynamics_projective_constraint;

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    let single = [
        attach::DESCRIPTION,
        fixed_plane_projective_constraint::DESCRIPTION,
        fixed_projective_constraint::DESCRIPTION,
        fixed_rotation_projective_constraint::DESCRIPTION,
        fixed_translation_projective_constraint::DESCRIPTION,
        partial_fixed_projective_constraint::DESCRIPTION,
        position_based_dynamics_projective_constraint::DESCRIPTION,
    ];
    [&single[..], &moved::ALL, &onto::ALL].concat()
}
