//! A clip: what moves joints and shapes over time.

use std::collections::BTreeMap;

use super::error::ClipError;
use super::sample::lines::{Lines, is_line};
use super::sample::timeline::Timelines;
use super::track::{Interpolation, Track, check};

/// Keys of the weights of a mesh's morph targets.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphTrack {
    pub(super) mesh: u32,
    pub(super) n_targets: usize,
    pub(super) times: Vec<f32>,
    /// By key; for splines the tangents before, the values, the tangents after. Each is a weight per target.
    pub(super) values: Vec<f32>,
    pub(super) interpolation: Interpolation,
}

impl MorphTrack {
    /// Of times \[s\] that grow, and a weight per target for each; for splines three times as many, tangents before, values and tangents
    /// after.
    ///
    /// # Errors
    /// What is wrong with the keys.
    pub fn new(
        mesh: u32,
        n_targets: usize,
        times: Vec<f32>,
        values: Vec<f32>,
        interpolation: Interpolation,
    ) -> Result<Self, ClipError> {
        let per_key = values.len().checked_div(n_targets).unwrap_or(0);
        check(&times, per_key, interpolation)?;
        if per_key * n_targets != values.len() {
            let wanted = times.len() * n_targets;
            return Err(ClipError::Count { times: times.len(), wanted, given: values.len() });
        }
        if let Some(k) = values.iter().position(|v| !v.is_finite()) {
            return Err(ClipError::NotFinite { key: k * times.len() / values.len() });
        }
        Ok(Self { mesh, n_targets, times, values, interpolation })
    }

    /// The mesh whose targets it weighs.
    pub fn mesh(&self) -> u32 {
        self.mesh
    }
}

/// Tracks that are played together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    name: String,
    duration: f32,
    pub(super) translations: Vec<Track<3>>,
    pub(super) rotations: Vec<Track<4>>,
    pub(super) scales: Vec<Track<3>>,
    pub(super) morphs: Vec<MorphTrack>,
    /// Tracks of translations and scales, and of rotations, whose keys are joined by lines.
    pub(super) lines: ([Lines<3>; 2], Lines<4>),
    pub(super) timelines: Timelines,
    pub(super) has_lines_only: bool,
}

impl Clip {
    /// Of tracks for a skeleton of so many joints. Its duration is the time of its last key.
    ///
    /// # Errors
    /// A track moves a joint that is not there, or two do the same.
    pub fn new(
        name: impl Into<String>,
        n_joints: usize,
        (translations, rotations, scales): (Vec<Track<3>>, Vec<Track<4>>, Vec<Track<3>>),
        morphs: Vec<MorphTrack>,
    ) -> Result<Self, ClipError> {
        let joints = |tracks: &[Track<3>]| tracks.iter().map(|t| t.joint).collect::<Vec<_>>();
        let of = [
            ("translation", joints(&translations)),
            ("rotation", rotations.iter().map(|t| t.joint).collect()),
            ("scale", joints(&scales)),
        ];
        for (what, joints) in of {
            let mut is_moved = vec![false; n_joints];
            for joint in joints {
                let Some(moved) = is_moved.get_mut(joint as usize) else {
                    return Err(ClipError::Joint { joint, n: n_joints });
                };
                if std::mem::replace(moved, true) {
                    return Err(ClipError::Twice { what, joint });
                }
            }
        }
        let ends = translations.iter().chain(&scales).map(Track::end);
        let ends = ends.chain(rotations.iter().map(Track::end));
        let ends = ends.chain(morphs.iter().filter_map(|m| m.times.last().copied()));
        let duration = ends.fold(0.0, f32::max);
        let (mut timelines, mut known) = (Timelines::default(), BTreeMap::new());
        let mut timeline = |times: &[f32]| timelines.add(times, &mut known);
        let vectors = [Lines::new(&translations, &mut timeline), Lines::new(&scales, &mut timeline)];
        let lines = (vectors, Lines::new(&rotations, &mut timeline));
        let has_lines_only = translations.iter().chain(&scales).all(is_line) && rotations.iter().all(is_line);
        let name = name.into();
        Ok(Self { name, duration, translations, rotations, scales, morphs, lines, timelines, has_lines_only })
    }

    /// The same clip, which lasts until a time \[s\] at least: that of keys which move nothing that is there.
    #[must_use]
    pub fn until(mut self, end: f32) -> Self {
        self.duration = self.duration.max(end);
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The time of its last key \[s\], or until when it lasts beyond that ([`Clip::until`]). A clip may have none to speak of: then it is a pose.
    pub fn duration(&self) -> f32 {
        self.duration
    }

    /// Number of tracks.
    pub fn n_tracks(&self) -> usize {
        self.translations.len() + self.rotations.len() + self.scales.len() + self.morphs.len()
    }

    /// Number of places that a player remembers.
    pub(super) fn n_cursors(&self) -> usize {
        self.timelines.len() + self.n_tracks()
    }

    /// The first joint of the skeleton that it moves, not only turns: what moves the whole; none if it moves none.
    pub fn mover(&self) -> Option<u32> {
        self.translations.iter().map(Track::joint).min()
    }

    /// The tracks of morph targets.
    pub fn morphs(&self) -> &[MorphTrack] {
        &self.morphs
    }

    /// The time within the clip that an endless repetition shows at a time \[s\]: at the end of a round the clip's end, so that its last key is
    /// seen, too, by whoever looks at each key.
    pub fn looped(&self, time: f64) -> f32 {
        // Sums of many short times miss the end by some rounding.
        const NEAR: f64 = 1e-6;
        let duration = f64::from(self.duration);
        if !(duration > 0.0 && time.is_finite()) {
            return 0.0;
        }
        let within = time.rem_euclid(duration);
        if time > duration / 2.0 && within <= NEAR * duration { self.duration } else { within as f32 }
    }
}
