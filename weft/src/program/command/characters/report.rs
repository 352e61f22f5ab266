//! What is said of characters after a run.

use animation::skeleton::Clip;
use serde::Serialize;

use crate::characters::CharacterSimulation;
use crate::execution::{FrameFailure, FrameReport};
use crate::program::command::frames::{Facts, FrameByFrame};

/// What a report says of characters.
#[derive(Clone, Debug, Serialize)]
pub struct CharacterFacts {
    /// Number of models.
    models: usize,
    /// Joints of each.
    joints: usize,
    /// The clip that they play.
    clip: Option<String>,
    /// Each is animated every so many frames.
    interval: u64,
    /// Vertices of all models that are moved.
    vertices: usize,
    /// What the second buffers of vertices take \[bytes\].
    second_buffer_bytes: usize,
    /// Models that were animated, summed over all frames.
    animated: u64,
    /// Models that could not be drawn since their vertices were too old, summed over all frames.
    vanished: u64,
}

impl Facts for CharacterFacts {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Self { models, joints, vertices, animated, .. } = self;
        let playing = self.clip.as_ref().map_or("at rest".to_owned(), |clip| format!("playing {clip}"));
        let mut lines = vec![
            ("models", format!("{models} of {joints} joints, {vertices} vertices in all, {playing}")),
            ("animated", format!("{animated} in all, each every {} frames", self.interval)),
        ];
        if self.vanished > 0 {
            lines.push(("not drawn", format!("{} in all, whose vertices were too old", self.vanished)));
        }
        lines
    }
}

impl FrameByFrame for CharacterSimulation {
    type Facts = CharacterFacts;

    fn frame(&mut self) -> Result<FrameReport, FrameFailure> {
        self.step()
    }

    fn facts(&self) -> CharacterFacts {
        CharacterFacts {
            models: self.n_models(),
            joints: self.skeleton().len(),
            clip: self.clip().map(Clip::name).map(str::to_owned),
            interval: self.interval(),
            vertices: self.n_vertices(),
            second_buffer_bytes: self.second_buffer_bytes(),
            animated: self.animated(),
            vanished: self.vanished(),
        }
    }

    fn hash(&self) -> String {
        self.state_hash()
    }
}
