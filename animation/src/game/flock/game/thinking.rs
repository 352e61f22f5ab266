//! How a flock thinks: whom each member knows, and where it wants to go.

use std::sync::{Mutex, PoisonError, RwLock};

use super::plan::Plan;
use super::state::State;
use crate::game::attributes::AttributeError;
use crate::game::flock::{Grid, steering};

/// What thinking keeps from task to task of a cycle.
#[derive(Default)]
pub(super) struct Thinking {
    grid: RwLock<Grid>,
    /// Slots of members.
    members: Mutex<Vec<u32>>,
    plan: RwLock<Plan>,
}

impl Thinking {
    /// Begins the thinking of a cycle: puts members into the grid, and cuts pieces into batches. Gives the estimated weights of these \[ns\].
    pub fn update(&self, state: &State, workers: usize) -> Result<Vec<f64>, AttributeError> {
        let scene = state.scene()?;
        let (_, positions) = state.manager.columns(state.position)?;
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        members.clear();
        members.extend(state.all().map(|member| member.slot() as u32));
        let mut grid = self.grid.write().unwrap_or_else(PoisonError::into_inner);
        grid.build(&scene.rules.bounds, scene.rules.reach(), positions, &members);
        let mut plan = self.plan.write().unwrap_or_else(PoisonError::into_inner);
        plan.cut(state, &state.options.thinking, workers);
        Ok(plan.weights().collect())
    }

    /// Thinks for the members of a batch: posts the force that each wants, by the neighbours that were found in the cycle before, and finds
    /// the neighbours that it will know in the next one. A batch that is not there has no members.
    pub fn think(&self, state: &State, batch: usize) -> Result<(), AttributeError> {
        let pieces = self.plan.read().unwrap_or_else(PoisonError::into_inner).batch(batch);
        let grid = self.grid.read().unwrap_or_else(PoisonError::into_inner);
        let rules = state.scene()?.rules;
        let (_, positions) = state.manager.columns(state.position)?;
        let (_, velocities) = state.manager.columns(state.velocity)?;
        let (read, fill) = state.sides();
        for piece in pieces {
            let of = &state.pieces[piece];
            let members = state.members_of(piece);
            let known = of.lists[read].read().unwrap_or_else(PoisonError::into_inner);
            let mut log = state.logs[piece].thinking.lock().unwrap_or_else(PoisonError::into_inner);
            for (place, member) in members.iter().enumerate() {
                let Some(member) = *member else { continue };
                let force = steering(&rules, member.slot(), positions, velocities, known.of(place));
                state.post(state.force, (member, force), (piece, &mut log))?;
            }
            let mut next = of.lists[fill].write().unwrap_or_else(PoisonError::into_inner);
            let slots = members.iter().map(|member| member.map(|member| member.slot() as u32));
            next.find(&grid, positions, slots, rules.reach());
        }
        Ok(())
    }
}
