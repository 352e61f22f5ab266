//! Components evaluated directly: on plain numbers, at once, without recorder, visitor or solver.
//!
//! What a component does to its states can so be asked for apart from how a step uses it: a test that computes a step by
//! itself, with dense matrices, shares no line with what it judges. Each evaluator owns a copy of its component's arrays as
//! they are when it is made; what `add_force` stores (rotations, plastic strain) stays in that copy.
//!
//! Vectors are flat: as many numbers to a position or velocity as its type has scalars; of a Rigid3 state, seven to a position
//! (center, then quaternion x y z w) and six to a velocity (linear, then angular).

mod constraint;
mod contact;
mod force_field;
mod interaction;
mod lagrangian;
mod mapping;
mod mass;

pub use constraint::DirectConstraint;
pub use contact::{ContactEnd, FrictionalContact};
pub use force_field::DirectForceField;
pub use interaction::DirectInteraction;
pub use lagrangian::{DirectLagrangian, DirectRows, FlatFreeState};
pub use mapping::DirectMapping;
pub use mass::DirectMass;

pub(super) use constraint::{both_ends, direct_constraint, direct_constraint_between, update_pairs};
pub(super) use force_field::direct_force_field;
pub(super) use interaction::direct_interaction;
pub(super) use lagrangian::direct_lagrangian;
pub(super) use mapping::direct_mapping;
pub(super) use mass::direct_mass;

use crate::math::{Coord, Deriv, StateType};

/// Coordinates from flat numbers; an incomplete last one is left out.
pub fn coords<S: StateType>(flat: &[f64]) -> Vec<S::Coord> {
    flat.chunks_exact(S::Coord::SIZE).filter_map(S::Coord::from_scalars).collect()
}

/// Velocities, forces or displacements from flat numbers; an incomplete last one is left out.
pub fn derivs<S: StateType>(flat: &[f64]) -> Vec<S::Deriv> {
    flat.chunks_exact(S::Deriv::SIZE).filter_map(S::Deriv::from_scalars).collect()
}

/// Writes coordinates over flat numbers.
pub fn put_coords<S: StateType>(values: &[S::Coord], flat: &mut [f64]) {
    let mut scalars = Vec::with_capacity(flat.len());
    values.iter().for_each(|c| c.scalars(&mut scalars));
    flat.copy_from_slice(&scalars);
}

/// Writes velocities, forces or displacements over flat numbers.
pub fn put_derivs<S: StateType>(values: &[S::Deriv], flat: &mut [f64]) {
    let mut scalars = Vec::with_capacity(flat.len());
    values.iter().for_each(|d| d.scalars(&mut scalars));
    flat.copy_from_slice(&scalars);
}

/// Adds velocities, forces or displacements to flat numbers.
pub fn add_derivs<S: StateType>(values: &[S::Deriv], flat: &mut [f64]) {
    let mut scalars = Vec::with_capacity(flat.len());
    values.iter().for_each(|d| d.scalars(&mut scalars));
    flat.iter_mut().zip(&scalars).for_each(|(f, s)| *f += s);
}
