//! How far a model moves, and hence how long what was found near it stays all that can be near.
//!
//! Each step's motion of a model is a *shift*, the same for all points, and what is left of each point's way beside it. The step adds the
//! shift to the sum of shifts, and the greatest of what is left to the model's *path*. Between two steps, two models' points have
//! moved relative to each other by no more than the difference of their shifts and both paths: objects that fall side by side, or a
//! heap that moves as a whole, stay as near to each other as they are. All of this follows from the positions of the step. Whoever
//! changes them (a checkpoint, an editor, a failed step that is repeated) needs to tell nobody.

use sim_core::math::Vec3;

use super::model::{ModelView, Positions};

/// After so many times the distance at which elements begin to matter all is counted from 0 again, so that it stays exact.
const LONGEST_PATH: f64 = 64.0;

/// What a model says of its motion; numbers of the last bounds task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Grows when shifts and path are counted from 0 again; from 1 on.
    pub epoch: u64,
    /// Sum of the shifts of the steps of this epoch [m].
    pub shifted: Vec3,
    /// Sum of the greatest ways beside the shifts of the steps of this epoch [m].
    pub path: f64,
    /// The shift of the last step [m].
    pub shift: Vec3,
    /// The greatest way of a point beside the shift in the last step [m]; infinite if one of them is not a number.
    pub step: f64,
    /// How far shifts and path have gone in this epoch [m].
    whole: f64,
}

impl Motion {
    /// Of a model of which nothing is known but its positions.
    pub const FIRST: Self = Self {
        epoch: 1,
        shifted: Vec3::new(0.0, 0.0, 0.0),
        path: 0.0,
        shift: Vec3::new(0.0, 0.0, 0.0),
        step: 0.0,
        whole: 0.0,
    };

    /// How far a point of one model and one of the other can have moved relative to each other in the last step [m].
    pub fn speed_beside(&self, other: &Self) -> f64 {
        (self.shift - other.shift).norm() + (self.step + other.step)
    }

    /// Adds a step; `scale` is the distance at which elements begin to matter [m].
    fn add(&mut self, shift: Vec3, step: f64, scale: f64) {
        self.shift = shift;
        self.shifted += shift;
        // With room for the rounding of the sum.
        self.step = if shift == Vec3::zeros() { step } else { step + 1e-15 * self.shifted.abs().sum() };
        self.path += self.step;
        self.whole += self.step + shift.norm();
        if self.whole > 0.0 && self.whole >= LONGEST_PATH * scale {
            (self.epoch, self.shifted, self.path, self.whole) = (self.epoch + 1, Vec3::zeros(), 0.0, 0.0);
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

/// Adds the ways from `previous`, the places in the step before, to the model's motion, and sets `previous` to the present places.
///
/// `scale` is the distance at which elements begin to matter: alarm distance and skins [m].
pub fn follow(positions: Positions<'_>, previous: &mut [Vec3], motion: &mut Motion, scale: f64) {
    let (shift, step) = match positions {
        Positions::Points(x) => farthest(x.iter().copied(), previous),
        Positions::Frames(x) => farthest(x.iter().map(|c| c.center), previous),
    };
    motion.add(shift, step, scale);
}

/// The middle of the ways from the places before, which the new ones replace, and the greatest distance of a way from it; none and
/// infinite if one is not finite.
#[inline(always)]
fn farthest(places: impl Iterator<Item = Vec3> + Clone, previous: &mut [Vec3]) -> (Vec3, f64) {
    // First the ways take the places of the places before.
    let (mut low, mut high) = (Vec3::from_element(f64::INFINITY), Vec3::from_element(f64::NEG_INFINITY));
    let mut is_finite = true;
    for (x, before) in places.clone().zip(&mut *previous) {
        let way = x - *before;
        *before = way;
        for k in 0..3 {
            low[k] = if way[k] < low[k] { way[k] } else { low[k] };
            high[k] = if way[k] > high[k] { way[k] } else { high[k] };
            is_finite &= way[k].abs() < f64::INFINITY;
        }
    }
    let shift = if is_finite && low.x <= high.x { (low + high) * 0.5 } else { Vec3::zeros() };
    let mut square = 0.0;
    for (x, before) in places.zip(previous) {
        let beside = *before - shift;
        let s = beside.dot(&beside);
        square = if s > square { s } else { square };
        is_finite &= s < f64::INFINITY;
        *before = x;
    }
    // Room for the rounding of the square and of its root.
    if is_finite { (shift, square.sqrt() * (1.0 + 1e-12)) } else { (Vec3::zeros(), f64::INFINITY) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of two points: what a step says of them.
    struct Two {
        x: [Vec3; 2],
        previous: Vec<Vec3>,
        motion: Motion,
    }

    impl Two {
        fn new() -> Self {
            let x = [Vec3::zeros(), Vec3::new(1.0, 0.0, 0.0)];
            Self { x, previous: x.to_vec(), motion: Motion::FIRST }
        }

        fn go(&mut self, ways: [[f64; 3]; 2]) -> Motion {
            self.x.iter_mut().zip(ways).for_each(|(x, way)| *x += Vec3::from(way));
            follow(Positions::Points(&self.x), &mut self.previous, &mut self.motion, 1.0);
            assert_eq!(self.previous.iter().zip(&self.x).filter(|(p, x)| p == x || x.y.is_nan()).count(), 2);
            self.motion
        }
    }

    #[test]
    fn a_shift_of_all_points_leaves_no_path() {
        let mut two = Two::new();
        assert_eq!(two.go([[0.0; 3]; 2]), Motion::FIRST);
        let way = [0.25, -0.5, 0.125];
        let m = two.go([way; 2]);
        assert_eq!((m.shift, m.shifted), (Vec3::from(way), Vec3::from(way)));
        assert!(m.path < 1e-12 && m.epoch == 1);
        let m = two.go([way, [0.25, -0.5, 0.925]]);
        assert!(
            (m.shift - Vec3::new(0.25, -0.5, 0.525)).norm() < 1e-12 && (m.path - 0.4).abs() < 1e-9,
            "{m:?}"
        );
        assert!((m.shifted - Vec3::new(0.5, -1.0, 0.65)).norm() < 1e-12);
        assert!((m.speed_beside(&Motion::FIRST) - m.shift.norm() - 0.4).abs() < 1e-9);
        assert!(m.speed_beside(&m) < 0.8 + 1e-9, "what moves alike does not move beside each other");
    }

    #[test]
    fn shift_and_path_bound_every_way_and_what_is_no_number_ends_them() {
        let mut random = sim_core::testing::Random::new(8);
        let mut two = Two::new();
        let start = two.x;
        for _ in 0..20 {
            let common = random.vec3() * 0.3;
            let m = two.go([common, common + random.vec3() * 0.05].map(|w| w.into()));
            assert_eq!(m.epoch, 1);
            for (x, before) in two.x.iter().zip(&start) {
                assert!((x - before - m.shifted).norm() <= m.path, "{m:?}");
            }
        }
        let m = two.go([[0.0, f64::NAN, 0.0], [0.0; 3]]);
        assert_eq!((m.epoch, m.path, m.step), (2, 0.0, f64::INFINITY));
        two.x[0].y = 0.0;
        assert_eq!(two.go([[0.0; 3]; 2]).epoch, 3);
        assert_eq!((two.go([[0.0; 3]; 2]).epoch, two.motion.step), (3, 0.0));
        assert_eq!(two.go([[0.0, 100.0, 0.0]; 2]).epoch, 4, "a shift is not counted for ever");
        assert_eq!((two.motion.shifted, two.motion.path), (Vec3::zeros(), 0.0));
    }

    #[test]
    fn a_model_without_alarm_distance_rests_in_one_epoch() {
        let x = [Vec3::zeros()];
        let mut motion = Motion::FIRST;
        follow(Positions::Points(&x), &mut [Vec3::zeros()], &mut motion, 0.0);
        assert_eq!(motion, Motion::FIRST);
    }
}
