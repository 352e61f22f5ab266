//! Clips of one skeleton on another one, whose joints have the same names.

use super::clip::Clip;
use super::error::ClipError;
use super::joints::Skeleton;
use super::track::{Interpolation, Track};

/// Translations at rest below this part of a skeleton's longest one have no length to speak of.
const SHORT: f64 = 1e-4;

/// Which joints of a skeleton move those of another.
#[derive(Clone, Debug)]
pub struct Retarget<'s> {
    from: &'s Skeleton,
    to: &'s Skeleton,
    /// By joint of the first: the one that it moves; none if there is none of its name.
    moves: Vec<Option<u32>>,
    longest: [f64; 2],
}

fn length(v: [f32; 3]) -> f64 {
    v.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt()
}

impl<'s> Retarget<'s> {
    /// From a skeleton to another: the first joints of each name belong to each other.
    pub fn new(from: &'s Skeleton, to: &'s Skeleton) -> Self {
        let moves = (0..).zip(from.joints()).map(|(k, joint)| {
            let is_first = !joint.name.is_empty() && from.find(&joint.name) == Some(k);
            is_first.then(|| to.find(&joint.name)).flatten()
        });
        let moves = moves.collect();
        let longest = [from, to]
            .map(|of| of.joints().iter().map(|joint| length(joint.rest.translation)).fold(0.0, f64::max));
        Self { from, to, moves, longest }
    }

    /// The joints that some clips move and that are not in the other skeleton.
    pub fn missing<'c>(&self, clips: impl IntoIterator<Item = &'c Clip>) -> Vec<&'s str> {
        let mut is_moved = vec![false; self.from.len()];
        for clip in clips {
            let vectors = clip.translations.iter().chain(&clip.scales).map(Track::joint);
            vectors.chain(clip.rotations.iter().map(Track::joint)).for_each(|k| is_moved[k as usize] = true);
        }
        let joints = self.from.joints().iter().zip(is_moved).zip(&self.moves);
        joints.filter(|((_, moved), to)| *moved && to.is_none()).map(|((j, _), _)| j.name.as_str()).collect()
    }

    /// The joints of the other skeleton that nothing moves: they stay at rest.
    pub fn at_rest(&self) -> Vec<&'s str> {
        let joints = (0..).zip(self.to.joints());
        joints.filter(|(k, _)| !self.moves.contains(&Some(*k))).map(|(_, j)| j.name.as_str()).collect()
    }

    /// A clip for the other skeleton. Rotations and scales are those of the clip. Translations are those of the other's joint at rest, with
    /// what the clip moves the joint away from its own rest, enlarged as the joint is further from its parent: bones keep their lengths.
    /// Morph targets are left out.
    ///
    /// # Errors
    /// The clip is of a skeleton with more joints.
    pub fn clip(&self, clip: &Clip) -> Result<Clip, ClipError> {
        let to = |joint: u32| self.moves.get(joint as usize).copied().flatten();
        let rotations = clip.rotations.iter().filter_map(|track| Some(track.of_joint(to(track.joint)?)));
        let scales = clip.scales.iter().filter_map(|track| Some(track.of_joint(to(track.joint)?)));
        let translations =
            clip.translations.iter().filter_map(|track| Some(self.translation(track, to(track.joint)?)));
        let tracks = (translations.collect(), rotations.collect(), scales.collect());
        Ok(Clip::new(clip.name(), self.to.len(), tracks, Vec::new())?.until(clip.duration()))
    }

    fn translation(&self, track: &Track<3>, joint: u32) -> Track<3> {
        let at_rest = |of: &Skeleton, k: u32| of.joints()[k as usize].rest.translation;
        let (own, other) = (at_rest(self.from, track.joint), at_rest(self.to, joint));
        let mut moved = track.of_joint(joint);
        if own == other {
            return moved;
        }
        let lengths = [length(own), length(other)];
        let is_long = (0..2).all(|k| lengths[k] > SHORT * self.longest[k]);
        let ratio = if is_long { lengths[1] / lengths[0] } else { 1.0 };
        let is_spline = track.interpolation == Interpolation::CubicSpline;
        for (k, value) in moved.values.iter_mut().enumerate() {
            // Before and after a value of a spline are tangents, which are from no place.
            let is_tangent = is_spline && k % 3 != 1;
            *value = std::array::from_fn(|c| {
                let (x, own, other) = (f64::from(value[c]), f64::from(own[c]), f64::from(other[c]));
                (if is_tangent { ratio * x } else { other + ratio * (x - own) }) as f32
            });
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, Transform};

    fn skeleton(joints: &[(&str, Option<u32>, f32)]) -> Skeleton {
        let joint = |(name, parent, y): &(&str, Option<u32>, f32)| Joint {
            name: (*name).to_owned(),
            parent: *parent,
            rest: Transform { translation: [0.0, *y, 0.0], ..Transform::default() },
        };
        Skeleton::new(joints.iter().map(joint).collect()).expect("a skeleton").0
    }

    #[test]
    fn joints_of_the_same_names_are_moved_and_bones_keep_their_lengths() {
        let from = skeleton(&[("hips", None, 1.0), ("knee", Some(0), -0.5), ("tail", Some(0), 0.1)]);
        let to = skeleton(&[
            ("root", None, 0.0),
            ("hips", Some(0), 2.0),
            ("ear", Some(1), 1.0),
            ("knee", Some(1), -0.5),
        ]);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let turn = |joint| {
            Track::rotation(
                joint,
                vec![0.0, 1.0],
                vec![[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half]],
                Interpolation::Linear,
            )
            .expect("a track")
        };
        let way = |joint, values| {
            Track::new(joint, vec![0.0, 1.0], values, Interpolation::Linear).expect("a track")
        };
        let slide = way(0, vec![[0.0, 1.0, 0.0], [0.5, 1.25, 0.0]]);
        let still = way(1, vec![[0.0, -0.5, 0.0], [0.0, -0.5, 0.1]]);
        let clip = Clip::new("walk", 3, (vec![slide, still], vec![turn(1), turn(2)], Vec::new()), Vec::new())
            .expect("a clip")
            .until(3.0);
        let retarget = Retarget::new(&from, &to);
        assert_eq!((retarget.missing([&clip]), retarget.at_rest()), (vec!["tail"], vec!["root", "ear"]));
        let moved = retarget.clip(&clip).expect("a clip");
        assert_eq!((moved.name(), moved.duration(), moved.n_tracks()), ("walk", 3.0, 3));
        let values = |joint: u32| {
            let track = moved.translations.iter().find(|t| t.joint() == joint).expect("a track");
            track.values.clone()
        };
        // The hips are twice as high, and go twice as far.
        assert_eq!(values(1), [[0.0, 2.0, 0.0], [1.0, 2.5, 0.0]]);
        assert_eq!(values(3), [[0.0, -0.5, 0.0], [0.0, -0.5, 0.1]]);
        assert_eq!(moved.rotations[0], turn(3));
    }
}
