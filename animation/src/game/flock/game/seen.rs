//! What is drawn and what is shown of a flock.

use super::state::State;
use crate::game::attributes::{AttributeError, Counts};
use crate::rig::math::vector::Vec3;

/// What is drawn of a flock: its members in the order of their slots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Where they are \[m\].
    pub positions: Vec<Vec3>,
    /// Where they go \[m/s\].
    pub velocities: Vec<Vec3>,
    /// The cycle in which it was made.
    pub frame: u64,
}

impl Picture {
    /// Takes a picture of the flock at the beginning of the cycle; memory is used again.
    pub(super) fn take(&mut self, state: &State) -> Result<(), AttributeError> {
        let (_, positions) = state.manager.columns(state.position)?;
        let (_, velocities) = state.manager.columns(state.velocity)?;
        self.frame = state.frame;
        self.positions.clear();
        self.positions.extend(state.all().map(|member| positions[member.slot()]));
        self.velocities.clear();
        self.velocities.extend(state.all().map(|member| velocities[member.slot()]));
        Ok(())
    }
}

/// What is shown of a flock once per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Cycles that were completed.
    pub frame: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// Number of members.
    pub members: usize,
    /// Neighbours of all members together, as found last.
    pub neighbours: usize,
    /// Contacts so far, each counted from both sides.
    pub contacts: u64,
    /// Batches of the last thinking.
    pub batches: usize,
    /// What was posted and distributed.
    pub counts: Counts,
}
