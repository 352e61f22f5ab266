//! The cycle in which something runs, and steps of a fixed length in cycles of any.

use std::time::Duration;

/// The cycle in which something runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// Its number, one more with each cycle.
    pub number: u64,
    /// The logical time at which it began: that of the game, not of a clock on the wall.
    pub time: Duration,
    /// How much later that is than the time of the cycle before; zero in the first one, and where time goes back.
    pub dt: Duration,
}

impl Cycle {
    /// The cycle after this one, at a time.
    pub fn next(&self, time: Duration) -> Self {
        Self { number: self.number + 1, time, dt: time.saturating_sub(self.time) }
    }
}

/// Steps of a fixed length, as physics has them, in cycles that are as long as they are. What is left over counts in the next cycle.
///
/// ```
/// use std::time::Duration;
/// use weft_animation::game::schedule::{Cycle, FixedStep};
///
/// let ms = Duration::from_millis;
/// let mut steps = FixedStep::new(ms(10), 5);
/// let mut cycle = Cycle::default();
/// let mut due = |time| {
///     cycle = cycle.next(ms(time));
///     (steps.due(&cycle), steps.fraction())
/// };
/// assert_eq!([due(0), due(16), due(32)], [(0, 0.0), (1, 0.6), (2, 0.2)]);
/// // After a long pause so many as are allowed, and what is beyond is given up.
/// assert_eq!([due(1032), due(1042)], [(5, 0.0), (1, 0.0)]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FixedStep {
    length: Duration,
    most: u32,
    /// The time of the cycle that asked last.
    last: Option<Duration>,
    left: Duration,
}

impl FixedStep {
    /// Of a length, at most so many in a cycle. No length counts as a nanosecond.
    pub fn new(length: Duration, most: u32) -> Self {
        Self { length: length.max(Duration::from_nanos(1)), most, last: None, left: Duration::ZERO }
    }

    /// How many steps are due since the cycle that asked last; none in the first one.
    pub fn due(&mut self, cycle: &Cycle) -> u32 {
        self.left += cycle.time.saturating_sub(self.last.unwrap_or(cycle.time));
        self.last = Some(cycle.time);
        let due = self.left.as_nanos() / self.length.as_nanos();
        if due > u128::from(self.most) {
            self.left = Duration::ZERO;
            return self.most;
        }
        self.left -= self.length * due as u32;
        due as u32
    }

    /// The length of a step.
    pub fn length(&self) -> Duration {
        self.length
    }

    /// The part of the next step that has passed, from 0 to 1: where between two steps what is drawn stands.
    pub fn fraction(&self) -> f64 {
        self.left.as_secs_f64() / self.length.as_secs_f64()
    }
}
