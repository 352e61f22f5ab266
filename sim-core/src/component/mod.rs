//! Component traits, one per file: what the author of a force field, mass, mapping, constraint or solver writes.
//!
//! Authors write mathematics on slices; handles, tasks and threads never appear. Each trait comes with a wrapper that
//! the scene holds and that records the tasks.

pub mod add;
pub mod animation_loop;
pub mod attributes;
pub mod build;
pub mod collision;
pub mod constraint_solver;
pub mod convergence;
pub mod description;
pub mod following;
pub mod force_field;
pub mod interaction_force_field;
pub mod lagrangian_constraint;
pub mod mapping;
pub mod mapping_ends;
pub mod mass;
pub mod matrix;
pub mod mechanical_state;
pub mod point_force;
pub mod projective_constraint;
pub mod projective_constraint_between;
pub mod sleeping;
pub mod solver;
pub mod surroundings;
pub mod value;

/// The numbers of one step that a force kernel may need.
#[derive(Clone, Copy, Debug)]
pub struct MechanicalParams {
    /// Time step of the scene [s]: as in SOFA, where an animation loop divides it, kernels see it whole.
    pub dt: f64,
    /// Time at the beginning of the step [s].
    pub time: f64,
}
