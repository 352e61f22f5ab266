//! When objects that have come to rest are left alone.

use crate::math::{Deriv, StateType};

/// What a scene says of objects at rest: those that stay slower than a speed for a while sleep, until something stirs them.
///
/// SOFA's is [`OfEachPoint`]; the rest is ours. Without such a component nothing sleeps.
///
/// What swings in a slow mode, which damping by stiffness hardly touches, or rocks from side to side, keeps all awake that touches
/// it. Damping by mass would end that, and brake what falls as much. So there is one that grows as an object slows down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleeping {
    /// The root mean square of the speeds of an object's points, and over time since it began to rest, is at most this where it
    /// rests [m/s]. So one point that trembles keeps nothing awake, nor does an object that trembles now and then. A frame counts
    /// as a point, and its turning as the motion of a point at a distance of 1 m; the pieces of a body that is cut count as one
    /// object.
    pub speed: f64,
    /// How long all that touches must have been at rest [s].
    pub delay: f64,
    /// At which rate objects that are almost at rest lose their speed, beside all other damping [1/s]; at least 0.
    pub damping: f64,
    /// By how much objects that are almost at rest slow down, beside all other damping [m/s^2]; at least 0. What is at rest and
    /// would be accelerated less stays there, as with dry friction; damping at a rate lets it creep.
    pub braking: f64,
    /// The root mean square of the speeds, as of [`Self::speed`], below which `damping` and `braking` act: fully on what rests, not
    /// at all at this speed [m/s].
    pub damping_speed: f64,
    /// SOFA's way, where it is that.
    pub of_each: Option<OfEachPoint>,
}

/// How SOFA's `SleepController` has objects sleep: those of nodes with `canChangeSleepingState`, each once `delay` has passed since it
/// woke, as soon as every point of it is slower than `speed`. Velocities stay what they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfEachPoint {
    /// Every frame turns slower than this, too, unless it is 0 [rad/s].
    pub rotation: f64,
}

impl OfEachPoint {
    /// Whether points with these velocities are all slower than `speed` [m/s].
    ///
    /// **Source:** as SOFA's: a frame in a plane that turns clockwise, however fast, counts as one that does not turn.
    pub fn rests<S: StateType>(&self, speed: f64, v: &[S::Deriv]) -> bool {
        let squared =
            |v: &S::Deriv, from: usize, to: usize| (from..to).map(|k| v.scalar(k).powi(2)).sum::<f64>();
        let size = S::Deriv::SIZE;
        v.iter().all(|v| {
            let (moving, turning) = match (S::IS_FRAME, size) {
                (false, _) => (squared(v, 0, size), 0.0),
                (true, 3) => (squared(v, 0, 2), v.scalar(2)),
                (true, _) => (squared(v, 0, 3), squared(v, 3, size).sqrt()),
            };
            moving < speed * speed && (!S::IS_FRAME || self.rotation == 0.0 || turning < self.rotation)
        })
    }
}

impl Sleeping {
    /// Whether anything of what is almost at rest is taken away.
    pub fn slows(&self) -> bool {
        self.damping > 0.0 || self.braking > 0.0
    }

    /// What is left of the velocities of an object after a step of `dt` [s], relative to what they were: `sum` is that of the
    /// squares of the speeds of its `n` points [m^2/s^2].
    ///
    /// As a step of v' = -b v / |v|, which ends at rest at the latest, and an implicit one of v' = -r v, where b and the rate r fall
    /// from `braking` and `damping` to 0 with the square of the speed.
    #[inline]
    pub fn kept_of_speed(&self, sum: f64, n: usize, dt: f64) -> f64 {
        let limit = self.damping_speed * self.damping_speed * n as f64;
        // At rest there is nothing to keep.
        if sum >= limit || sum == 0.0 {
            return 1.0;
        }
        let share = 1.0 - sum / limit;
        let braked = self.braking * share * dt / (sum / n as f64).sqrt();
        (1.0 - braked).max(0.0) / (1.0 + self.damping * share * dt)
    }
}
