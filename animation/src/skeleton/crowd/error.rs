//! What may be wrong with crowds.

use engine::exec::LoadError;

/// What is wrong with a crowd.
#[derive(Debug, thiserror::Error)]
pub enum CrowdError {
    /// An interval of no frames.
    #[error("models are animated each so many frames: an interval is at least 1")]
    Interval,
    /// A budget of no models.
    #[error("at least one model is animated in a frame")]
    Budget,
    /// Weights that do not fit the clips.
    #[error("a mix is a weight for each of {n} clips, finite and not negative")]
    Mix {
        /// Number of clips.
        n: usize,
    },
    /// A model that is not there.
    #[error("there is no model {model}: the crowd has {n} models, counted from 0")]
    Model {
        /// Its number.
        model: usize,
        /// Number of models.
        n: usize,
    },
    /// A place in a clip that is no time.
    #[error("a model begins at a time of its clip, not at {start}")]
    Start {
        /// What was given.
        start: f64,
    },
    /// The executor cannot take its tasks.
    #[error(transparent)]
    Load(#[from] LoadError),
}
