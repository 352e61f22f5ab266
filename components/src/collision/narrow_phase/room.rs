//! How much room a list of candidates makes.

use crate::collision::{Aabb, ModelView};

/// For how many steps a list must last by estimate, or else it does not pay.
const SHORTEST_LIFE: f64 = 2.0;
/// The widest room, as a share of the distance at which elements begin to matter.
const WIDEST: f64 = 1.0 / 2.0;
/// What making a list costs, in terms of going through it: tuned on a heap of 64 objects that falls and comes to lie (1 took 4 % less
/// time than 3).
const BALANCE: f64 = 1.0;
/// The narrowest room, as a share of that distance.
const NARROWEST: f64 = 1.0 / 32.0;

/// What a list makes room for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// How far points of both models may move relative to each other [m].
    pub way: f64,
    /// What is now at most so far apart may then come as close as the method's margin [m].
    pub margin: f64,
    /// What the rounding of all that is compared may come to [m].
    pub rounding: f64,
}

impl Room {
    /// Room for two models whose points move by up to `speed` relative to each other in a step [m]; none if they would leave it at once.
    ///
    /// A wide room makes lists long, a narrow one makes them often. Where the length of a list grows with the room, and the number of
    /// lists with its inverse, the sum is least for a room that goes with the square root of the speed.
    pub fn of(models: [&ModelView; 2], speed: f64, margin: f64) -> Option<Self> {
        let way = (BALANCE * margin * speed).sqrt().clamp(NARROWEST * margin, WIDEST * margin);
        if way < SHORTEST_LIFE * speed || way.is_nan() {
            return None;
        }
        Some(Self::with(models, way, margin))
    }

    /// None, for a list that serves in this step alone.
    pub fn for_now(models: [&ModelView; 2], margin: f64) -> Self {
        Self::with(models, 0.0, margin)
    }

    fn with(models: [&ModelView; 2], way: f64, margin: f64) -> Self {
        let size: f64 = models.iter().map(|m| magnitude(&m.tree[0].bounds)).sum();
        let rounding = 1e-9 * way + 1e-12 * (size + margin);
        Self { way, margin: margin + way + rounding, rounding }
    }
}

/// A number that no finite coordinate of the box exceeds.
fn magnitude(b: &Aabb) -> f64 {
    b.min.iter().chain(&b.max).map(|v| v.abs()).filter(|v| v.is_finite()).fold(0.0, f64::max)
}
