//! Built-in components of Weft: masses, force fields, mappings, constraints, topologies, collision.
//!
//! One component is one file: its description (attributes with defaults and units), the function that builds it into a
//! scene, its kernels and its tests. Each family is a folder whose `mod.rs` lists its components in `all()`; [`all`]
//! is what the registry of the scene loader starts from.
//!
//! | family | folder | what it does in a step |
//! |---|---|---|
//! | states | [`state`] | hold positions and velocities |
//! | topologies | [`topology`] | hold points and elements, once, before the simulation |
//! | engines | [`engine`] | choose points and elements, once |
//! | masses | [`mass`] | weight, products with M, and its inverse where M is diagonal |
//! | force fields | [`force_field`] | forces, and products with their tangents |
//! | mappings | [`mapping`] | carry positions down and forces up |
//! | constraints | [`constraint`] | project forces and displacements |
//! | constraints with multipliers | [`lagrangian`] | write rows of Jacobians, and violations |
//! | collision | [`collision`] | find contacts and make forces of them |
//! | animation loops | [`animation_loop`] | say which stages a step has |
//!
//! What this crate is not: it knows no solver and no thread, and no file format but those of masses and springs alone (`.rigid`, `.xs3`).

pub mod animation_loop;
pub mod collision;
pub mod constraint;
pub mod engine;
pub mod force_field;
pub mod lagrangian;
pub mod mapping;
pub mod mass;
pub mod state;
#[cfg(test)]
mod test_support;
pub mod topology;
mod xsp_file;

use sim_core::component::description::ComponentDescription;

/// The descriptions of all built-in components, family by family, for the registry.
pub fn all() -> Vec<ComponentDescription> {
    let families = [
        topology::all(),
        state::all(),
        engine::all(),
        mass::all(),
        force_field::all(),
        mapping::all(),
        constraint::all(),
        lagrangian::all(),
        collision::all(),
        animation_loop::all(),
    ];
    families.into_iter().flatten().collect()
}
