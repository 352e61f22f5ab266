//! Threads for cycles of a game: a crew that serves until it is dismissed, parallel loops over who is idle, and a stopwatch.
//!
//! What a worker does and in which order is not known here: the crate `game` says it. What it shares with others is in
//! [`sync`](crate::sync): [`Shelf`](crate::sync::Shelf), [`Sleepers`](crate::sync::Sleepers), [`Claims`](crate::sync::Claims).

mod crew;
mod loops;
mod stopwatch;
mod waking;

pub use crew::Crew;
pub use loops::{Loop, LoopBody, Loops};
pub use stopwatch::Stopwatch;
pub use waking::least_wake;
