//! What decides which children of a node run.

use std::ops::RangeInclusive;

use super::super::cycle::Cycle;

/// How a node ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It did what it was for.
    Success,
    /// It could not.
    Failure,
}

/// What a behaviour hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Its node begins. What it remembered of an earlier run is no longer valid.
    Begin,
    /// A child ended.
    Ended {
        /// Its place among the children.
        child: usize,
        /// How it ended.
        how: Ended,
    },
    /// A child does not end in this cycle and goes on in the next one.
    Progress {
        /// Its place among the children.
        child: usize,
    },
    /// The next cycle has begun. It hears so if it answered [`Decision::NextCycle`].
    Cycle,
}

/// What a behaviour answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The child at this place begins; if it has already begun in this cycle, in the next one.
    Run(usize),
    /// All children begin.
    RunAll,
    /// It waits for what it will hear.
    Await,
    /// The node does not end in this cycle; its parent hears of it.
    Progress,
    /// As [`Decision::Progress`], and it wants to hear of the next cycle.
    NextCycle,
    /// The node ends. Children that still run are given up: tasks that are out end, and nobody hears of it.
    End(Ended),
}

/// How the children of a node follow each other, for the length of chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// One after the other.
    InTurn,
    /// At the same time.
    Together,
    /// One of them.
    One,
    /// The first, then one of the others.
    FirstThenOne,
}

/// What decides which children of a node run.
///
/// It decides quickly, since workers wait meanwhile: what takes time is a task. If it panics its node fails, and the cycle says so.
///
/// ```
/// use std::ops::RangeInclusive;
/// use weft_animation::game::schedule::Cycle;
/// use weft_animation::game::schedule::tree::{Behaviour, Decision, Ended, Heard};
///
/// /// Its child in every second cycle of the game; in the others it succeeds at once.
/// struct EveryOther;
///
/// impl Behaviour for EveryOther {
///     fn decide(&mut self, heard: Heard, _: usize, cycle: &Cycle) -> Decision {
///         match heard {
///             Heard::Begin if cycle.number % 2 == 1 => Decision::End(Ended::Success),
///             Heard::Begin => Decision::Run(0),
///             Heard::Ended { how, .. } => Decision::End(how),
///             Heard::Progress { .. } => Decision::Progress,
///             Heard::Cycle => Decision::Await,
///         }
///     }
///     fn takes(&self) -> RangeInclusive<usize> {
///         1..=1
///     }
/// }
/// ```
pub trait Behaviour: Send {
    /// Answers what it hears.
    fn decide(&mut self, heard: Heard, children: usize, cycle: &Cycle) -> Decision;

    /// How its children follow each other.
    fn order(&self) -> Order {
        Order::InTurn
    }

    /// How many children its node may have.
    fn takes(&self) -> RangeInclusive<usize> {
        0..=usize::MAX
    }
}
