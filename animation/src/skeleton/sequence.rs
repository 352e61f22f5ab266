//! Clips that follow each other.

use std::sync::Arc;

use super::blend::Transition;
use super::clip::Clip;

/// Clips that follow each other: each comes in over a [`Transition`], and stays until the next one has come in. While it comes in, poses
/// are blended; several may come in at once.
///
/// **Source:** Intel, *Optimized skeletal animation*: loitering, walking and running, with transitions between.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    clips: Vec<(Arc<Clip>, Transition)>,
}

impl Sequence {
    /// Of one clip that is played from the beginning.
    pub fn of(clip: Arc<Clip>) -> Self {
        Self { clips: vec![(clip, Transition { begin: f64::NEG_INFINITY, duration: 0.0 })] }
    }

    /// The same, after which another clip comes in. Transitions may overlap; where two clips have come in, the later one in the sequence
    /// is seen.
    #[must_use]
    pub fn then(mut self, clip: Arc<Clip>, over: Transition) -> Self {
        self.clips.push((clip, over));
        self
    }

    /// The clips in their order.
    pub fn clips(&self) -> impl ExactSizeIterator<Item = &Arc<Clip>> {
        self.clips.iter().map(|(clip, _)| clip)
    }

    /// Number of clips; a sequence of none is the pose at rest.
    pub fn len(&self) -> usize {
        self.clips.len()
    }

    /// Whether it has no clips.
    pub fn is_empty(&self) -> bool {
        self.clips.is_empty()
    }

    /// The duration of its first clip \[s\]; zero without clips.
    pub fn first_duration(&self) -> f64 {
        self.clips.first().map_or(0.0, |(clip, _)| f64::from(clip.duration()))
    }

    /// By clip: how much of it is seen at a time \[s\]. After the first clip has begun the weights sum to one.
    ///
    /// # Panics
    /// If there are fewer places than clips.
    pub fn weights(&self, time: f64, into: &mut [f32]) {
        let mut left = 1.0;
        for ((_, over), weight) in self.clips.iter().zip(&mut into[..self.clips.len()]).rev() {
            let share = over.weight(time);
            *weight = left * share;
            left *= 1.0 - share;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_come_in_one_after_another_and_their_weights_sum_to_one() {
        let clip = || Arc::new(Clip::default());
        let over = |begin, duration| Transition { begin, duration };
        let three = Sequence::of(clip()).then(clip(), over(1.0, 2.0)).then(clip(), over(2.0, 2.0));
        for (time, expected) in [
            (-1.0, [1.0, 0.0, 0.0]),
            (1.5, [0.75, 0.25, 0.0]),
            // The second is in by half, of which the third hides a quarter.
            (2.5, [0.1875, 0.5625, 0.25]),
            (3.0, [0.0, 0.5, 0.5]),
            (9.0, [0.0, 0.0, 1.0]),
        ] {
            let mut weights = [f32::NAN; 3];
            three.weights(time, &mut weights);
            assert_eq!(weights, expected, "at {time}");
            assert_eq!(weights.iter().sum::<f32>(), 1.0);
        }
        Sequence::default().weights(0.0, &mut []);
    }
}
