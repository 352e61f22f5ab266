//! Visitors: walks over a scene that record tasks, never touching component data.
//!
//! - [`world`]: a scene taken in: arrays in the store, objects, solvers.
//! - [`admit`], [`depart`], [`change`]: what comes to a world and goes from it: all at first, later objects and components.
//! - [`exchange`]: what components that are built again replace.
//! - `check`: whether solvers have what they need.
//! - [`object`]: an independent state and everything mapped from it.
//! - [`vectors`]: the vectors of every state, and their names.
//! - [`visit`]: what a recording component sees.
//! - [`mechanical`]: the operations of solvers: compute_force, add_mbk_dx, propagate, project...
//! - [`kept_forces`]: the forces under which a mapping's geometric stiffness is taken.
//! - `loads`: at which points of mapped states forces can be.
//! - [`misplaced_blocks`]: what SOFA's assembled matrices have in wrong places.
//! - [`constraints`]: rows of Lagrangian constraints, brought up to the states that are corrected.
//! - `corrections`: what constraint corrections make of an integrator's matrix.
//! - [`vector`]: vector operations and dot products.
//! - [`direct`]: components evaluated on plain numbers, for whoever judges what the others record.
//! - [`energy`]: energies of the present state, read between steps.
//! - `*_node`: one object-safe face per component family, from the author's arrays and kernels to data and tasks.

pub mod admit;
pub mod change;
mod check;
pub mod constraint_end;
pub mod constraint_node;
pub mod constraints;
pub(crate) mod corrections;
pub mod depart;
pub mod direct;
pub mod energy;
pub mod exchange;
pub mod force_field_node;
pub mod interaction_node;
pub mod kept_forces;
pub mod lagrangian_node;
mod loads;
pub mod mapping_node;
pub mod mass_node;
pub mod matrix;
pub mod mechanical;
pub mod misplaced_blocks;
pub mod object;
pub mod points;
pub mod vector;
pub mod vectors;
pub mod visit;
pub mod world;
