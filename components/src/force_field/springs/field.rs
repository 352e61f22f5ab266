//! The fastest way to compute some springs.

use std::any::Any;

use sim_core::prelude::*;

use super::blocks::{BlockSprings, SpringBlock};
use super::kind::SpringKind;
use super::runs::{self, RunPart, RunSprings};
use super::spring::Spring;

/// Puts springs between points of one state into the scene. The way to compute them changes no bit.
///
/// # Errors
/// As [`Builder::add_force_field`].
pub fn add<K: SpringKind>(b: &mut Builder<'_>, state: StateId, springs: &[Spring]) -> Result<(), BuildError> {
    match RunSprings::<K>::parts(springs) {
        Some(parts) => b.add_force_field(state, parts),
        None => b.add_force_field(state, BlockSprings::<K>::parts(springs)),
    }
}

/// The springs among the elements of a field that has not been put into a store
/// ([`sim_core::visitor::force_field_node::ForceFieldNode::unfrozen_elements`]), if these are springs in blocks or runs.
pub fn springs_among(elements: &dyn Any) -> Option<Vec<Spring>> {
    if let Some(blocks) = elements.downcast_ref::<Vec<SpringBlock>>() {
        return Some(blocks.iter().flat_map(SpringBlock::springs).map(|(_, s)| s).collect());
    }
    elements.downcast_ref::<Vec<RunPart>>().map(|parts| runs::springs(parts))
}
