//! A user's choice of what a model plays, in the place of what is set for all.

use animation::skeleton::{CrowdError, Sequence};
use viewer::snapshot::Steer;

use super::CharacterSimulation;

/// How long another clip comes in \[s\].
const OVER: f64 = 0.3;

/// A model whose clip a user chooses.
pub(super) struct Choice {
    pub(super) model: usize,
    /// Which of the clips that models play.
    clip: usize,
    /// How much is seen of each.
    weights: Vec<f32>,
}

impl Choice {
    /// Of a model, as it plays at a time \[s\].
    pub(super) fn of(model: usize, sequence: &Sequence, time: f64) -> Self {
        let mut weights = vec![0.0; sequence.len()];
        sequence.weights(time, &mut weights);
        let most = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]));
        Self { model, clip: most.unwrap_or(0), weights }
    }

    /// Chooses the next clip or the one before; none where nobody turns or goes.
    pub(super) fn steer(&mut self, steer: Steer) -> Option<usize> {
        self.clip = match steer {
            Steer::Faster => (self.clip + 1).min(self.weights.len().saturating_sub(1)),
            Steer::Slower => self.clip.saturating_sub(1),
            Steer::Left | Steer::Right => return None,
        };
        Some(self.clip)
    }

    /// Brings the clip in, a frame's time further \[s\].
    ///
    /// # Errors
    /// The weights make no sense.
    pub(super) fn play(&mut self, simulation: &mut CharacterSimulation, dt: f64) -> Result<(), CrowdError> {
        if self.model >= simulation.n_models() || self.weights.is_empty() {
            return Ok(());
        }
        let most = (dt / OVER) as f32;
        for (k, weight) in self.weights.iter_mut().enumerate() {
            let wanted = if k == self.clip { 1.0 } else { 0.0 };
            *weight += (wanted - *weight).clamp(-most, most);
        }
        simulation.crowd.set_mix(self.model, Some(&self.weights))
    }
}
