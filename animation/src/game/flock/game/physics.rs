//! How a flock moves.

use std::ops::Range;
use std::sync::PoisonError;

use super::state::State;
use crate::game::attributes::AttributeError;
use crate::game::flock::{contacts, moved};

/// Moves the members of some pieces: contacts with the neighbours that were found in the cycle before, and the forces that were wanted
/// there. Posts positions and velocities; gives the number of contacts, each counted from both sides.
pub(super) fn simulate(state: &State, pieces: Range<usize>) -> Result<u64, AttributeError> {
    let scene = state.scene()?;
    let (rules, dt) = (scene.rules, scene.dt * scene.pace);
    let (_, positions) = state.manager.columns(state.position)?;
    let (_, velocities) = state.manager.columns(state.velocity)?;
    let (_, forces) = state.manager.columns(state.force)?;
    let (read, _) = state.sides();
    let mut n_contacts = 0;
    for piece in pieces {
        let known = state.pieces[piece].lists[read].read().unwrap_or_else(PoisonError::into_inner);
        let mut log = state.logs[piece].physics.lock().unwrap_or_else(PoisonError::into_inner);
        for (place, member) in state.members_of(piece).iter().enumerate() {
            let Some(member) = *member else { continue };
            let slot = member.slot();
            let contact = contacts(&rules, slot, positions, velocities, known.of(place));
            n_contacts += u64::from(contact.count);
            let before = (positions[slot], velocities[slot]);
            let (x, v) = moved(&rules, dt, before, forces[slot], &contact);
            state.post(state.position, (member, x), (piece, &mut log))?;
            state.post(state.velocity, (member, v), (piece, &mut log))?;
        }
    }
    Ok(n_contacts)
}
