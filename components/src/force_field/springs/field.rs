//! The fastest way to compute some springs.

use std::any::Any;

use sim_core::prelude::*;

use super::blocks::{BlockSprings, SpringBlock};
use super::gathered::{GatheredSprings, SpringGroup};
use super::kind::SpringKind;
use super::spring::Spring;

/// How many springs are added point by point: so many have been measured to be faster (0.9 of the time, a sheet of 65,000). Products
/// over more wait for memory, which the gaps between what they read make worse.
const GATHERED: std::ops::RangeInclusive<usize> = 16_000..=70_000;

/// Puts springs between points of one state into the scene. The way to compute them changes no bit.
///
/// # Errors
/// As [`Builder::add_force_field`].
pub fn add<K: SpringKind>(b: &mut Builder<'_>, state: StateId, springs: &[Spring]) -> Result<(), BuildError> {
    let gathered = GATHERED.contains(&springs.len()).then(|| GatheredSprings::<K>::parts(springs)).flatten();
    match gathered {
        Some(parts) => b.add_force_field(state, parts),
        None => b.add_force_field(state, BlockSprings::<K>::parts(springs)),
    }
}

/// The springs among the elements of a field that has not been put into a store
/// ([`sim_core::visitor::force_field_node::ForceFieldNode::unfrozen_elements`]), if these are springs in blocks or groups.
pub fn springs_among(elements: &dyn Any) -> Option<Vec<Spring>> {
    if let Some(blocks) = elements.downcast_ref::<Vec<SpringBlock>>() {
        return Some(blocks.iter().flat_map(SpringBlock::springs).map(|(_, s)| s).collect());
    }
    let groups = elements.downcast_ref::<Vec<SpringGroup>>()?;
    Some(groups.iter().flat_map(SpringGroup::springs).map(|(_, s)| s).collect())
}
