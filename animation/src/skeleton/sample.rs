//! What a clip shows at a time.

use super::clip::{Clip, MorphTrack};
use super::joints::Skeleton;
use super::lane::run;
use super::pose::Pose;
use super::track::{Interpolation, Track};
use super::transform::unit;
use kernel::Sampled;
use lines::is_line;

mod kernel;
pub(super) mod lines;
pub(super) mod timeline;

/// Where a player is in each track of a clip, so that going on costs the same however long the clip is.
#[derive(Clone, Debug, Default)]
pub struct Cursors {
    /// By timeline of tracks of lines; then by track.
    at: Vec<u32>,
}

impl Cursors {
    /// At the beginning of a clip.
    pub fn new(clip: &Clip) -> Self {
        Self { at: vec![0; clip.n_cursors()] }
    }

    /// To the beginning of a clip, which may be another.
    pub fn reset(&mut self, clip: &Clip) {
        self.at.clear();
        self.at.resize(clip.n_cursors(), 0);
    }
}

/// Between which keys a time is.
enum Place {
    /// At a key, or before the first, or after the last.
    At(usize),
    /// After a key: the way to the next, from 0 to 1, and the time between both \[s\].
    Between(usize, f32, f32),
}

/// Steps that a cursor goes before the key is looked up.
const STEPS: usize = 4;

fn place(times: &[f32], time: f32, cursor: &mut u32) -> Place {
    let last = times.len() - 1;
    // Also for a time that is not a number.
    let is_after_first = time > times[0];
    if !is_after_first {
        *cursor = 0;
        return Place::At(0);
    }
    if time >= times[last] {
        *cursor = last as u32;
        return Place::At(last);
    }
    let mut k = (*cursor as usize).min(last - 1);
    let is_here = |k: usize| times[k] <= time && time < times[k + 1];
    if !is_here(k) {
        let near = (k + 1..last).take(STEPS).find(|k| is_here(*k));
        k = near.unwrap_or_else(|| times.partition_point(|t| *t <= time) - 1);
    }
    *cursor = k as u32;
    let length = times[k + 1] - times[k];
    Place::Between(k, (time - times[k]) / length, length)
}

/// The weights of a cubic spline: of the value before, its tangent, the value after, its tangent.
///
/// **Source:** glTF 2.0, appendix C.5.
fn spline(t: f32, length: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [2.0 * t3 - 3.0 * t2 + 1.0, length * (t3 - 2.0 * t2 + t), -2.0 * t3 + 3.0 * t2, length * (t3 - t2)]
}

fn mix<const N: usize>(weights: &[f32], of: &[[f32; N]]) -> [f32; N] {
    let mut sum = [0.0; N];
    for (w, v) in weights.iter().zip(of) {
        for (s, x) in sum.iter_mut().zip(v) {
            *s += w * x;
        }
    }
    sum
}

impl<const N: usize> Track<N> {
    /// The value of a track that is not of lines.
    #[inline]
    fn value(&self, time: f32, cursor: &mut u32) -> [f32; N] {
        let v = &self.values;
        match (self.interpolation, place(&self.times, time, cursor)) {
            (Interpolation::CubicSpline, Place::At(k)) => v[3 * k + 1],
            (Interpolation::CubicSpline, Place::Between(k, t, length)) => {
                mix(&spline(t, length), &[v[3 * k + 1], v[3 * k + 2], v[3 * k + 4], v[3 * k + 3]])
            }
            (_, Place::At(k) | Place::Between(k, ..)) => v[k],
        }
    }
}

impl Clip {
    /// The pose at a time \[s\]: before the first key of a track its first value holds, after the last its last; a joint without a track
    /// is as it is at rest.
    ///
    /// Roots and quotients are rounded as IEEE 754 says, none is estimated: matrices of a skeleton as large as those of ozz's samples are those
    /// of exact arithmetic to 1e-5. ozz-animation's SSE path takes estimates of reciprocals and of reciprocal roots (`RcpEst`, `RSqrtEst` in
    /// its `sampling_job.cc`), by which its matrices of the same keys are some 3e-4 off those of exact arithmetic, and so off ours.
    ///
    /// # Panics
    /// If the pose, the skeleton and the clip are of different numbers of joints, or the cursors are of another clip.
    pub fn sample(&self, skeleton: &Skeleton, time: f32, cursors: &mut Cursors, pose: &mut Pose) {
        assert_eq!(cursors.at.len(), self.n_cursors(), "cursors of this clip");
        pose.copy_from(skeleton.rest());
        let (spans, cursors) = cursors.at.split_at_mut(self.timelines.len());
        self.timelines.seek(time, spans);
        run(Sampled { time, of: (&self.lines.0, &self.lines.1), spans, pose });
        if self.has_lines_only {
            return;
        }
        let (at, rest) = cursors.split_at_mut(self.translations.len());
        for (track, cursor) in self.translations.iter().zip(at).filter(|(track, _)| !is_line(track)) {
            pose.set_translation(track.joint as usize, track.value(time, cursor));
        }
        let (at, rest) = rest.split_at_mut(self.rotations.len());
        for (track, cursor) in self.rotations.iter().zip(at).filter(|(track, _)| !is_line(track)) {
            // Opposite rotations have no middle: then nothing is turned.
            let rotation = unit(track.value(time, cursor)).unwrap_or([0.0, 0.0, 0.0, 1.0]);
            pose.set_rotation(track.joint as usize, rotation);
        }
        for (track, cursor) in self.scales.iter().zip(rest).filter(|(track, _)| !is_line(track)) {
            pose.set_scale(track.joint as usize, track.value(time, cursor));
        }
    }

    /// The weights of a mesh's morph targets at a time \[s\]; whether the clip has a track for them. Nothing is written if not.
    ///
    /// # Panics
    /// If the cursors are of another clip.
    pub fn sample_morph(&self, mesh: u32, time: f32, cursors: &mut Cursors, weights: &mut [f32]) -> bool {
        let Some(k) = self.morphs.iter().position(|m| m.mesh == mesh) else { return false };
        let before = self.n_cursors() - self.morphs.len();
        self.morphs[k].value(time, &mut cursors.at[before + k], weights);
        true
    }
}

impl MorphTrack {
    fn value(&self, time: f32, cursor: &mut u32, into: &mut [f32]) {
        let n = self.n_targets;
        let row = |k: usize| &self.values[k * n..(k + 1) * n];
        let (weights, rows): ([f32; 4], [&[f32]; 4]) =
            match (self.interpolation, place(&self.times, time, cursor)) {
                (Interpolation::CubicSpline, Place::At(k)) => ([1.0, 0.0, 0.0, 0.0], [row(3 * k + 1); 4]),
                (_, Place::At(k)) | (Interpolation::Step, Place::Between(k, ..)) => {
                    ([1.0, 0.0, 0.0, 0.0], [row(k); 4])
                }
                (Interpolation::Linear | Interpolation::Chord, Place::Between(k, t, _)) => {
                    ([1.0 - t, t, 0.0, 0.0], [row(k), row(k + 1), row(k), row(k)])
                }
                (Interpolation::CubicSpline, Place::Between(k, t, length)) => {
                    (spline(t, length), [row(3 * k + 1), row(3 * k + 2), row(3 * k + 4), row(3 * k + 3)])
                }
            };
        for (j, to) in into.iter_mut().enumerate().take(n) {
            *to = weights.iter().zip(rows).map(|(w, r)| w * r[j]).sum();
        }
    }
}

#[cfg(test)]
mod tests;
