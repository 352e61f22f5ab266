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
    /// Clips that come in later.
    then: Vec<String>,
    /// Each is animated every so many frames.
    interval: u64,
    /// Vertices of all models that are moved.
    vertices: usize,
    /// What the second buffers of vertices take \[bytes\].
    second_buffer_bytes: usize,
    /// Models that were animated, summed over all frames.
    animated: u64,
    /// The time in which a camera amid them turns once \[s\].
    look_around: Option<f64>,
    /// Models that were in view, summed over all frames.
    in_view: u64,
    /// Models that waited since a frame had no place for them, summed over all frames.
    waited: u64,
    /// Models in view that could not be drawn since their vertices were too old or not filled yet, summed over all frames.
    vanished: u64,
    /// What was given to who draws, vertices or matrices, in all frames \[bytes\].
    uploaded_bytes: u64,
    /// The most of it in a frame \[bytes\].
    most_uploaded_bytes: u64,
}

impl Facts for CharacterFacts {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Self { models, joints, vertices, animated, .. } = self;
        let mut playing = self.clip.as_ref().map_or("at rest".to_owned(), |clip| format!("playing {clip}"));
        self.then.iter().for_each(|clip| playing += &format!(", then {clip}"));
        let mut lines = vec![
            ("models", format!("{models} of {joints} joints, {vertices} vertices in all, {playing}")),
            ("animated", format!("{animated} in all, each every {} frames", self.interval)),
        ];
        let Self { uploaded_bytes, most_uploaded_bytes, in_view, waited, .. } = self;
        lines.push((
            "uploaded",
            format!("{uploaded_bytes} bytes in all, at most {most_uploaded_bytes} a frame"),
        ));
        if let Some(seconds) = self.look_around {
            lines.push(("in view", format!("{in_view} in all, of a camera that turns in {seconds} s")));
        }
        if *waited > 0 {
            lines.push(("waiting", format!("{waited} in all, for a place in a frame")));
        }
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
            then: self.later_clips().map(|clip| clip.name().to_owned()).collect(),
            look_around: self.look_around(),
            in_view: self.in_view(),
            waited: self.waited(),
            uploaded_bytes: self.uploaded().0,
            most_uploaded_bytes: self.uploaded().1,
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
