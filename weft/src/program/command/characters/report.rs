//! What is said of characters after a run.

use animation::skeleton::Clip;
use serde::Serialize;

use crate::characters::{CharacterSimulation, Overlap};
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
    /// What was drawn while frames were computed, if something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawing: Option<DrawingFacts>,
}

/// What a report says of drawing.
#[derive(Clone, Debug, Serialize)]
pub struct DrawingFacts {
    #[serde(flatten)]
    times: Overlap,
    /// Which part of the shorter one, drawing or animation, was while the other went on.
    overlap: f64,
    /// Points that were drawn.
    points: u64,
    /// A hash of the last picture.
    picture: String,
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
        if let Some(DrawingFacts { times, overlap, points, .. }) = &self.drawing {
            let n = times.frames.max(1) as f64;
            let (draw, animate, both) = (times.draw_ms / n, times.animate_ms / n, times.both_ms / n);
            lines.push(("drawn", format!("{} frames, {points} points", times.frames)));
            lines.push((
                "  overlap",
                format!(
                    "{:.1} %: of {draw:.3} ms of drawing and {animate:.3} of animation a frame, {both:.3} at the same time",
                    100.0 * overlap
                ),
            ));
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
        let times = self.overlap();
        let drawing = self.painter().map(|painter| DrawingFacts {
            times,
            overlap: times.share(),
            points: painter.points(),
            picture: painter.hash(),
        });
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
            drawing,
        }
    }

    fn hash(&self) -> String {
        self.state_hash()
    }
}
