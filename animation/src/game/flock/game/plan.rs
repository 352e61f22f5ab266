//! What a system does in a cycle, cut into batches.

use std::ops::Range;
use std::sync::PoisonError;

use super::state::State;
use crate::game::flock::Batching;

/// The batches of a cycle.
#[derive(Default)]
pub(super) struct Plan {
    /// By piece \[ns\].
    weights: Vec<f64>,
    /// Pieces of each batch.
    batches: Vec<Range<usize>>,
}

impl Plan {
    /// Cuts the pieces into batches for a number of workers, by the neighbours that were found in the cycle before.
    pub fn cut(&mut self, state: &State, batching: &Batching, workers: usize) {
        let (read, _) = state.sides();
        self.weights.clear();
        for (k, piece) in state.pieces.iter().enumerate() {
            let members = state.members_of(k).iter().flatten().count();
            let known = piece.lists[read].read().unwrap_or_else(PoisonError::into_inner).len();
            self.weights.push(batching.weight(members, known));
        }
        batching.cut(&self.weights, workers, &mut self.batches);
    }

    /// The pieces of a batch; none if there is no such batch.
    pub fn batch(&self, batch: usize) -> Range<usize> {
        self.batches.get(batch).cloned().unwrap_or(0..0)
    }

    /// The estimated weight of each batch \[ns\].
    pub fn weights(&self) -> impl Iterator<Item = f64> {
        self.batches.iter().map(|batch| self.weights[batch.clone()].iter().sum())
    }
}
