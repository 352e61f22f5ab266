//! The cycle in which something runs.

use std::time::Duration;

/// The cycle in which something runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// Its number, one more with each cycle.
    pub number: u64,
    /// The logical time at which it began: that of the game, not of a clock on the wall.
    pub time: Duration,
}
