//! How large the numbers of poses may become.

use super::clip::Clip;
use super::joints::Skeleton;
use super::track::{Interpolation, Track};

/// Bounds of a joint's matrix relative to the model. They hold whichever way joints are turned, so that what stays below the greatest `f32`
/// does not overflow at any time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// How many times longer what it moves becomes, at most.
    pub scale: f64,
    /// How far it is from the model's origin, at most, in the file's unit of length.
    pub distance: f64,
}

impl Skeleton {
    /// By joint: its reach in a clip, or at rest.
    ///
    /// # Panics
    /// If the clip is of more joints.
    pub fn reach(&self, clip: Option<&Clip>) -> Vec<Reach> {
        let greatest = |v: [f32; 3]| v.iter().fold(0.0, |most: f64, x| most.max(f64::from(x.abs())));
        let rest = (0..self.len()).map(|k| self.rest().get(k));
        let mut locals: Vec<Reach> =
            rest.map(|of| Reach { scale: greatest(of.scale), distance: greatest(of.translation) }).collect();
        if let Some(clip) = clip {
            clip.translations.iter().for_each(|t| locals[t.joint as usize].distance = t.greatest());
            clip.scales.iter().for_each(|t| locals[t.joint as usize].scale = t.greatest());
            for track in clip.rotations.iter().filter(|t| t.greatest() > f64::from(f32::MAX)) {
                locals[track.joint as usize].scale = f64::INFINITY;
            }
        }
        let mut all: Vec<Reach> = Vec::with_capacity(locals.len());
        for (joint, local) in self.joints().iter().zip(locals) {
            let parent = joint.parent.map_or(Reach { scale: 1.0, distance: 0.0 }, |p| all[p as usize]);
            all.push(parent.of(local));
        }
        all
    }
}

impl Reach {
    /// Of what has a reach relative to this one, the greatest numbers along axes as its distance.
    pub fn of(self, local: Self) -> Self {
        // No way at all stays none, however long it is made.
        let way = if local.distance == 0.0 { 0.0 } else { self.scale * local.distance * 3.0_f64.sqrt() };
        Self { scale: self.scale * local.scale, distance: self.distance + way }
    }
}

impl<const N: usize> Track<N> {
    /// No number that it shows is greater.
    fn greatest(&self) -> f64 {
        greatest(&self.times, self.values.as_flattened(), (N, self.interpolation))
    }
}

impl Clip {
    /// By track of a mesh's morph targets: no weight is greater; none if the clip has no such track.
    pub fn greatest_weight(&self, mesh: u32) -> Option<f64> {
        let track = self.morphs.iter().find(|m| m.mesh == mesh)?;
        Some(greatest(&track.times, &track.values, (track.n_targets, track.interpolation)))
    }
}

/// The greatest number that keys show, of n numbers each.
fn greatest(times: &[f32], values: &[f32], (n, way): (usize, Interpolation)) -> f64 {
    let of = |values: &[f32]| values.iter().fold(0.0, |most: f64, x| most.max(f64::from(x.abs())));
    if way != Interpolation::CubicSpline {
        return of(values);
    }
    let (mut value, mut tangent) = (0.0_f64, 0.0_f64);
    for key in values.chunks_exact(3 * n) {
        value = value.max(of(&key[n..2 * n]));
        tangent = tangent.max(of(&key[..n])).max(of(&key[2 * n..]));
    }
    let longest = times.windows(2).fold(0.0, |most: f64, w| most.max(f64::from(w[1]) - f64::from(w[0])));
    // Both tangents' weights are greatest at a third of the way from their keys: 4 / 27.
    value + longest * tangent * 8.0 / 27.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, Transform};

    #[test]
    fn scales_multiply_and_ways_add_up() {
        let rest = |x: f32, s: f32| Transform {
            translation: [0.0, x, 0.0],
            scale: [1.0, s, 1.0],
            ..Transform::default()
        };
        let joint = |parent, rest| Joint { name: String::new(), parent, rest };
        let joints = vec![joint(None, rest(2.0, 10.0)), joint(Some(0), rest(-1.0, 3.0))];
        let skeleton = Skeleton::new(joints).expect("a skeleton").0;
        let reach = skeleton.reach(None);
        let way = 3.0_f64.sqrt();
        assert_eq!(reach[0], Reach { scale: 10.0, distance: 2.0 * way });
        assert_eq!(reach[1], Reach { scale: 30.0, distance: 2.0 * way + 10.0 * way });
        let spline = vec![[0.0; 3], [1.0; 3], [27.0; 3], [0.0; 3], [-2.0; 3], [0.0; 3]];
        let track = Track::new(1, vec![0.0, 0.5], spline, Interpolation::CubicSpline).expect("a track");
        let clip = Clip::new("c", 2, (vec![], vec![], vec![track]), vec![]).expect("a clip");
        assert_eq!(skeleton.reach(Some(&clip))[1].scale, 60.0);
    }
}
