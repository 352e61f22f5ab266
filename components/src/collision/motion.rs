//! How far a model moves, and hence how long what was found near it stays all that can be near.
//!
//! Each step adds to a model's *path* the greatest distance that one of its points has gone since the step before. Between two steps
//! no point has moved farther than the path has grown. All of this follows from the positions of the step. Whoever changes them (a
//! checkpoint, an editor, a failed step that is repeated) needs to tell nobody.

use sim_core::math::Vec3;

use super::model::{ModelView, Positions};

/// After so many times the distance at which elements begin to matter the path is counted from 0 again, so that it stays exact.
const LONGEST_PATH: f64 = 64.0;

/// What a model says of its motion; numbers of the last bounds task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Grows when the path is counted from 0 again; from 1 on.
    pub epoch: u64,
    /// Sum of the greatest distances of the steps of this epoch [m].
    pub path: f64,
    /// The greatest distance that a point has gone in the last step [m]; infinite if one of them is not a number.
    pub step: f64,
}

impl Motion {
    /// Of a model of which nothing is known but its positions.
    pub const FIRST: Self = Self { epoch: 1, path: 0.0, step: 0.0 };

    /// Adds a step; `scale` is the distance at which elements begin to matter [m].
    fn add(&mut self, step: f64, scale: f64) {
        self.step = step;
        self.path += step;
        if step > 0.0 && self.path >= LONGEST_PATH * scale {
            (self.epoch, self.path) = (self.epoch + 1, 0.0);
        }
    }
}

/// A model at work.
#[derive(Clone, Copy, Debug)]
pub struct TrackedModel<'a> {
    /// Its geometry with the positions of the step, and its tree as the walk needs it.
    pub view: ModelView<'a>,
    /// How it moves.
    pub motion: Motion,
}

/// The places of a model's degrees of freedom [m].
pub fn places(positions: Positions<'_>) -> Vec<Vec3> {
    match positions {
        Positions::Points(x) => x.to_vec(),
        Positions::Frames(x) => x.iter().map(|c| c.center).collect(),
    }
}

/// Adds the way from `previous`, the places in the step before, to the model's motion, and sets `previous` to the present places.
///
/// `scale` is the distance at which elements begin to matter: alarm distance and skins [m].
pub fn follow(positions: Positions<'_>, previous: &mut [Vec3], motion: &mut Motion, scale: f64) {
    let step = match positions {
        Positions::Points(x) => farthest(x.iter().copied(), previous),
        Positions::Frames(x) => farthest(x.iter().map(|c| c.center), previous),
    };
    motion.add(step, scale);
}

/// The greatest distance between places and those before, which they replace.
#[inline(always)]
fn farthest(places: impl Iterator<Item = Vec3>, previous: &mut [Vec3]) -> f64 {
    let (mut square, mut is_finite) = (0.0, true);
    for (x, before) in places.zip(previous) {
        let way = x - *before;
        let s = way.dot(&way);
        square = if s > square { s } else { square };
        is_finite &= s < f64::INFINITY;
        *before = x;
    }
    // Room for the rounding of the square and of its root.
    if is_finite { square.sqrt() * (1.0 + 1e-12) } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_bounds_every_way_and_what_is_no_number_ends_it() {
        let mut x = vec![Vec3::zeros(), Vec3::new(1.0, 0.0, 0.0)];
        let (mut previous, mut motion) = (x.clone(), Motion::FIRST);
        let mut go = |x: &[Vec3]| {
            follow(Positions::Points(x), &mut previous, &mut motion, 1.0);
            motion
        };
        assert_eq!(go(&x), Motion::FIRST);
        x[1] += Vec3::new(0.3, 0.4, 0.0);
        let first = go(&x);
        assert!((first.step - 0.5).abs() < 1e-9 && first.path == first.step);
        x[0].z = -0.25;
        let second = go(&x);
        assert!((second.path - 0.75).abs() < 1e-9 && second.epoch == 1);
        x[0].y = f64::NAN;
        assert_eq!(go(&x), Motion { epoch: 2, path: 0.0, step: f64::INFINITY });
        x[0].y = 0.0;
        assert_eq!(go(&x).epoch, 3);
        assert_eq!((go(&x).epoch, go(&x).step), (3, 0.0));
        x[0].y = 100.0;
        assert_eq!(go(&x).epoch, 4, "a path is not counted for ever");
    }

    #[test]
    fn a_model_without_alarm_distance_rests_in_one_epoch() {
        let x = [Vec3::zeros()];
        let mut motion = Motion::FIRST;
        follow(Positions::Points(&x), &mut [Vec3::zeros()], &mut motion, 0.0);
        assert_eq!(motion, Motion::FIRST);
    }
}
