//! A model's joints at a time: clips are sampled and blended.

use std::sync::Arc;

use super::blend::blend_all;
use super::clip::Clip;
use super::joints::Skeleton;
use super::pose::Pose;
use super::sample::Cursors;
use super::sequence::Sequence;
use super::transform::Matrix;

/// A clip of a player, where it is in it, and what it showed last.
struct Layer {
    clip: Arc<Clip>,
    cursors: Cursors,
    pose: Pose,
}

/// Plays clips on a skeleton, over and over, with weights that somebody says.
pub struct Player {
    skeleton: Arc<Skeleton>,
    layers: Vec<Layer>,
    /// Where in the clips it is at time zero \[s\].
    start: f64,
    pose: Pose,
}

impl Player {
    /// Of the clips of a sequence, in which it is at a time of their own at time zero \[s\].
    pub fn new(skeleton: &Arc<Skeleton>, sequence: &Sequence, start: f64) -> Self {
        let layer = |clip: &Arc<Clip>| {
            let pose = skeleton.rest().clone();
            Layer { clip: clip.clone(), cursors: Cursors::new(clip), pose }
        };
        let layers = sequence.clips().map(layer).collect();
        Self { skeleton: skeleton.clone(), layers, start, pose: skeleton.rest().clone() }
    }

    /// The matrices of all joints at a time \[s\]. A clip of which nothing is seen costs nothing; if nothing is seen of any, or there are
    /// none, joints are at rest.
    ///
    /// # Panics
    /// If there are fewer weights than clips, or another number of matrices than joints.
    pub fn animate(&mut self, time: f64, weights: &[f32], matrices: &mut [Matrix]) {
        let Self { skeleton, layers, start, pose } = self;
        let is_seen = |w: f32| w > 0.0;
        let at = *start + time;
        let n_seen = weights[..layers.len()].iter().filter(|w| is_seen(**w)).count();
        for (layer, _) in layers.iter_mut().zip(weights).filter(|(_, w)| is_seen(**w)) {
            let into = if n_seen == 1 { &mut *pose } else { &mut layer.pose };
            layer.clip.sample(skeleton, layer.clip.looped(at), &mut layer.cursors, into);
        }
        if n_seen != 1 {
            blend_all(skeleton, layers.iter().map(|layer| &layer.pose).zip(weights.iter().copied()), pose);
        }
        skeleton.to_model(pose, matrices);
    }
}
