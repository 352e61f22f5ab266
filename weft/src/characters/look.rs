//! Which models a camera sees: the window's, or one amid the models that turns.

use std::f64::consts::TAU;
use std::sync::Arc;

use animation::Backend;
use animation::skeleton::{Camera, Crowd, Drawn, Frustum, Sequence, Skeleton};

/// Times at which a clip is looked at, to know how far it reaches.
const SAMPLES: u64 = 32;
/// What is between these times reaches a bit further.
const MARGIN: f64 = 1.1;
/// The camera's angle from the lower to the upper edge \[rad\]: 40 degrees.
const ANGLE: f64 = 0.7;

/// A sphere that a model is within, whatever it plays, from where it stands.
#[derive(Debug)]
pub(super) struct Extent {
    center: [f64; 3],
    radius: f64,
}

/// A camera in the middle of the models that turns once in a time.
#[derive(Debug)]
pub(super) struct LookAround {
    pub(super) seconds: f64,
    extent: Extent,
}

impl Extent {
    /// Of models that play a sequence.
    pub(super) fn of(skeleton: &Arc<Skeleton>, sequence: &Sequence, drawn: &Arc<Drawn>) -> Self {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let mut add = |p: &[f32]| {
            for (k, x) in p.iter().take(3).enumerate() {
                bounds[0][k] = bounds[0][k].min(f64::from(*x));
                bounds[1][k] = bounds[1][k].max(f64::from(*x));
            }
        };
        let clips: Vec<_> = sequence.clips().map(Some).collect();
        for clip in if clips.is_empty() { vec![None] } else { clips } {
            let duration = clip.map_or(0.0, |clip| f64::from(clip.duration()));
            // One model in a crowd of its own; its executor takes all tasks.
            let Ok(mut one) = Crowd::drawn(skeleton, clip, (&[0.0], 1), drawn, Backend::sequential()) else {
                continue;
            };
            for frame in 0..SAMPLES {
                if one.step(frame, duration * frame as f64 / SAMPLES as f64).is_err() {
                    continue;
                }
                one.matrices(0).iter().for_each(|m| add(&m[3]));
                for mesh in 0..drawn.meshes.len() {
                    one.vertices(0, mesh, 0).into_iter().flatten().for_each(|v| add(&v.position));
                }
            }
        }
        let [low, high] = bounds;
        let half: [f64; 3] = std::array::from_fn(|k| (high[k] - low[k]) / 2.0);
        let radius = MARGIN * half.iter().map(|x| x * x).sum::<f64>().sqrt();
        Self { center: std::array::from_fn(|k| low[k] + half[k]), radius }
    }

    /// By model, of those that stand at places: whether a camera sees it. The camera's range is from nothing to beyond all models.
    pub(super) fn seen<'s>(
        &self,
        camera: &Camera,
        places: &'s [[f64; 3]],
    ) -> impl Iterator<Item = bool> + use<'s> {
        let far = |p: &[f64; 3]| (0..3).map(|k| (p[k] - camera.eye[k]).abs()).sum::<f64>();
        let far = places.iter().map(far).fold(0.0, f64::max) + 10.0 * self.radius;
        let frustum = Frustum::of(&Camera { range: [1e-3 * self.radius, far], ..*camera });
        let (center, radius) = (self.center, self.radius);
        places.iter().map(move |place| frustum.sees(std::array::from_fn(|k| place[k] + center[k]), radius))
    }
}

impl LookAround {
    /// A camera that turns in so many seconds, amid models that play a sequence.
    pub(super) fn new(
        seconds: f64,
        skeleton: &Arc<Skeleton>,
        sequence: &Sequence,
        drawn: &Arc<Drawn>,
    ) -> Self {
        Self { seconds, extent: Extent::of(skeleton, sequence, drawn) }
    }

    /// By model, of those that stand at places: whether it is seen at a time \[s\].
    pub(super) fn seen<'s>(&self, places: &'s [[f64; 3]], time: f64) -> impl Iterator<Item = bool> + use<'s> {
        let n = places.len().max(1) as f64;
        let middle: [f64; 3] = std::array::from_fn(|k| places.iter().map(|p| p[k]).sum::<f64>() / n);
        let eye: [f64; 3] = std::array::from_fn(|k| middle[k] + self.extent.center[k]);
        let (s, c) = (TAU * time / self.seconds).sin_cos();
        let camera = Camera {
            eye,
            at: [eye[0] + s, eye[1], eye[2] - c],
            up: [0.0, 1.0, 0.0],
            angle: ANGLE,
            aspect: 16.0 / 9.0,
            range: [0.0; 2],
        };
        self.extent.seen(&camera, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_sees_what_reaches_into_its_frustum() {
        let extent = Extent { center: [0.0, 1.0, 0.0], radius: 1.0 };
        let camera = Camera {
            eye: [0.0, 1.0, 10.0],
            at: [0.0, 1.0, 0.0],
            up: [0.0, 1.0, 0.0],
            angle: std::f64::consts::FRAC_PI_2,
            aspect: 1.0,
            range: [0.0; 2],
        };
        // At a right angle it sees 10 to each side at a distance of 10; a sphere there is touched up to a root of 2 beyond.
        let places = [[0.0; 3], [11.4, 0.0, 0.0], [11.5, 0.0, 0.0], [0.0, 0.0, 11.5], [0.0, 0.0, -1e6]];
        assert_eq!(extent.seen(&camera, &places).collect::<Vec<_>>(), [true, true, false, false, true]);
    }
}
