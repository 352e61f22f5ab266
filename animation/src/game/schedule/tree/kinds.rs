//! The behaviours that every game needs.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::super::cycle::Cycle;
use super::behaviour::{Behaviour, Decision, Ended, Heard, Order};

/// Children one after the other. It fails with the first that fails and succeeds when all have succeeded, at once if there are none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequence;

impl Behaviour for Sequence {
    fn decide(&mut self, heard: Heard, children: usize, _: &Cycle) -> Decision {
        match heard {
            Heard::Begin if children == 0 => Decision::End(Ended::Success),
            Heard::Begin => Decision::Run(0),
            Heard::Ended { how: Ended::Failure, .. } => Decision::End(Ended::Failure),
            Heard::Ended { child, .. } if child + 1 == children => Decision::End(Ended::Success),
            Heard::Ended { child, .. } => Decision::Run(child + 1),
            Heard::Progress { .. } => Decision::Progress,
            Heard::Cycle => Decision::Await,
        }
    }
}

/// Children one after the other until one succeeds. It fails when all have failed, at once if there are none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selector;

impl Behaviour for Selector {
    fn decide(&mut self, heard: Heard, children: usize, _: &Cycle) -> Decision {
        match heard {
            Heard::Begin if children == 0 => Decision::End(Ended::Failure),
            Heard::Begin => Decision::Run(0),
            Heard::Ended { how: Ended::Success, .. } => Decision::End(Ended::Success),
            Heard::Ended { child, .. } if child + 1 == children => Decision::End(Ended::Failure),
            Heard::Ended { child, .. } => Decision::Run(child + 1),
            Heard::Progress { .. } => Decision::Progress,
            Heard::Cycle => Decision::Await,
        }
    }

    fn order(&self) -> Order {
        Order::One
    }
}

/// What several children that run in one cycle have still to tell.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    /// Children that have not ended.
    left: usize,
    /// Those of them that may end in the cycle.
    live: usize,
    cycle: u64,
    failed: bool,
}

impl Open {
    fn begin(children: usize, cycle: &Cycle) -> Self {
        Self { left: children, live: children, cycle: cycle.number, failed: false }
    }

    /// Books what a child said; what its parent is to answer, if no more can be heard in this cycle.
    fn book(&mut self, ended: Option<Ended>, cycle: &Cycle) -> Option<Decision> {
        if self.cycle != cycle.number {
            (self.cycle, self.live) = (cycle.number, self.left);
        }
        self.live = self.live.saturating_sub(1);
        if let Some(how) = ended {
            self.left = self.left.saturating_sub(1);
            self.failed |= how == Ended::Failure;
        }
        match (self.left, self.live) {
            (0, _) if self.failed => Some(Decision::End(Ended::Failure)),
            (0, _) => Some(Decision::End(Ended::Success)),
            (_, 0) => Some(Decision::Progress),
            _ => None,
        }
    }
}

/// All children at the same time. It ends when all have ended, and fails if one has failed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parallel {
    open: Open,
}

impl Behaviour for Parallel {
    fn decide(&mut self, heard: Heard, children: usize, cycle: &Cycle) -> Decision {
        let ended = match heard {
            Heard::Begin if children == 0 => return Decision::End(Ended::Success),
            Heard::Begin => {
                self.open = Open::begin(children, cycle);
                return Decision::RunAll;
            }
            Heard::Ended { how, .. } => Some(how),
            Heard::Progress { .. } => None,
            Heard::Cycle => return Decision::Await,
        };
        self.open.book(ended, cycle).unwrap_or(Decision::Await)
    }

    fn order(&self) -> Order {
        Order::Together
    }
}

/// A condition, what follows where it succeeds, and what follows where it fails. Without the latter a condition that fails is a success:
/// there was nothing to do.
///
/// **Source:** the conditional behaviour of Zettersten 2010, figure 10.
#[derive(Clone, Copy, Debug, Default)]
pub struct If;

impl Behaviour for If {
    fn decide(&mut self, heard: Heard, children: usize, _: &Cycle) -> Decision {
        match heard {
            Heard::Begin => Decision::Run(0),
            Heard::Ended { child: 0, how: Ended::Success } => Decision::Run(1),
            Heard::Ended { child: 0, .. } if children > 2 => Decision::Run(2),
            Heard::Ended { child: 0, .. } => Decision::End(Ended::Success),
            Heard::Ended { how, .. } => Decision::End(how),
            Heard::Progress { .. } => Decision::Progress,
            Heard::Cycle => Decision::Await,
        }
    }

    fn order(&self) -> Order {
        Order::FirstThenOne
    }

    fn takes(&self) -> RangeInclusive<usize> {
        2..=3
    }
}

/// Its child, with the opposite end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Invert;

impl Behaviour for Invert {
    fn decide(&mut self, heard: Heard, _: usize, _: &Cycle) -> Decision {
        match heard {
            Heard::Begin => Decision::Run(0),
            Heard::Ended { how: Ended::Success, .. } => Decision::End(Ended::Failure),
            Heard::Ended { how: Ended::Failure, .. } => Decision::End(Ended::Success),
            Heard::Progress { .. } => Decision::Progress,
            Heard::Cycle => Decision::Await,
        }
    }

    fn takes(&self) -> RangeInclusive<usize> {
        1..=1
    }
}

/// Its child again and again, once a cycle at most, however it ends. It ends as the child does the last time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repeat {
    times: Option<u64>,
    done: u64,
}

impl Repeat {
    /// So many times; zero times is a success.
    pub fn times(times: u64) -> Self {
        Self { times: Some(times), done: 0 }
    }

    /// Without end, as the loop of a game.
    pub fn forever() -> Self {
        Self::default()
    }
}

impl Behaviour for Repeat {
    fn decide(&mut self, heard: Heard, _: usize, _: &Cycle) -> Decision {
        match heard {
            Heard::Begin => {
                self.done = 0;
                if self.times == Some(0) { Decision::End(Ended::Success) } else { Decision::Run(0) }
            }
            Heard::Ended { how, .. } => {
                self.done += 1;
                if self.times == Some(self.done) { Decision::End(how) } else { Decision::Run(0) }
            }
            Heard::Progress { .. } => Decision::Progress,
            Heard::Cycle => Decision::Await,
        }
    }

    fn takes(&self) -> RangeInclusive<usize> {
        1..=1
    }
}

/// It succeeds in the first cycle that begins so long after the one in which its node began, in the time of the game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wait {
    length: Duration,
    until: Duration,
}

impl Wait {
    /// For so long; for no time at all it succeeds at once.
    pub fn new(length: Duration) -> Self {
        Self { length, until: Duration::ZERO }
    }
}

impl Behaviour for Wait {
    fn decide(&mut self, heard: Heard, _: usize, cycle: &Cycle) -> Decision {
        if heard == Heard::Begin {
            self.until = cycle.time.saturating_add(self.length);
        }
        if cycle.time >= self.until { Decision::End(Ended::Success) } else { Decision::NextCycle }
    }

    fn takes(&self) -> RangeInclusive<usize> {
        0..=0
    }
}

/// Its child at most once in an interval of the game's time; between, it succeeds at once. Under a [`Repeat`] it releases its child, say,
/// once a second. A cycle that comes late does not shift those after it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Every {
    interval: Duration,
    due: Option<Duration>,
}

impl Every {
    /// With an interval.
    pub fn new(interval: Duration) -> Self {
        Self { interval, due: None }
    }
}

impl Behaviour for Every {
    fn decide(&mut self, heard: Heard, _: usize, cycle: &Cycle) -> Decision {
        match heard {
            Heard::Begin if self.due.is_some_and(|due| cycle.time < due) => Decision::End(Ended::Success),
            Heard::Begin => {
                let next = self.due.unwrap_or(cycle.time).saturating_add(self.interval);
                let late = next <= cycle.time;
                self.due = Some(if late { cycle.time.saturating_add(self.interval) } else { next });
                Decision::Run(0)
            }
            Heard::Ended { how, .. } => Decision::End(how),
            Heard::Progress { .. } => Decision::Progress,
            Heard::Cycle => Decision::Await,
        }
    }

    fn takes(&self) -> RangeInclusive<usize> {
        1..=1
    }
}

/// One of its children, each as probable as the others; the same ones for the same seed. Without children it fails.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// With a seed.
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds must not give neighbouring numbers.
        Self { state: (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1 }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

impl Behaviour for Random {
    fn decide(&mut self, heard: Heard, children: usize, _: &Cycle) -> Decision {
        match heard {
            Heard::Begin if children == 0 => Decision::End(Ended::Failure),
            // The high half of the product: uniform up to 2^-64 of a number of children.
            Heard::Begin => Decision::Run(((u128::from(self.next()) * children as u128) >> 64) as usize),
            Heard::Ended { how, .. } => Decision::End(how),
            Heard::Progress { .. } => Decision::Progress,
            Heard::Cycle => Decision::Await,
        }
    }

    fn order(&self) -> Order {
        Order::One
    }
}
