//! A camera amid the models that turns, and which models it sees.

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

/// A camera in the middle of the models that turns once in a time.
#[derive(Debug)]
pub(super) struct LookAround {
    pub(super) seconds: f64,
    /// A sphere that a model is within, whatever it plays.
    center: [f64; 3],
    radius: f64,
}

impl LookAround {
    /// A camera that turns in so many seconds, amid models that play a sequence.
    pub(super) fn new(
        seconds: f64,
        skeleton: &Arc<Skeleton>,
        sequence: &Sequence,
        drawn: &Arc<Drawn>,
    ) -> Self {
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
        Self { seconds, center: std::array::from_fn(|k| low[k] + half[k]), radius }
    }

    /// By model, of those that stand at places: whether it is seen at a time \[s\].
    pub(super) fn seen<'s>(&'s self, places: &'s [[f64; 3]], time: f64) -> impl Iterator<Item = bool> + 's {
        let n = places.len().max(1) as f64;
        let middle: [f64; 3] = std::array::from_fn(|k| places.iter().map(|p| p[k]).sum::<f64>() / n);
        let eye: [f64; 3] = std::array::from_fn(|k| middle[k] + self.center[k]);
        let (s, c) = (TAU * time / self.seconds).sin_cos();
        let far = 1e3 * self.radius * n.sqrt().max(1.0);
        let frustum = Frustum::of(&Camera {
            eye,
            at: [eye[0] + s, eye[1], eye[2] - c],
            up: [0.0, 1.0, 0.0],
            angle: ANGLE,
            aspect: 16.0 / 9.0,
            range: [1e-3 * self.radius, far],
        });
        let at = |place: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|k| place[k] + self.center[k]) };
        places.iter().map(move |place| frustum.sees(at(place), self.radius))
    }
}
