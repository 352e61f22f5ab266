//! What a stream looks at and notes while it runs: times of tasks, and stamps.
//!
//! A stamp ends whatever its stream did since the stamp before, so one look at the clock per task is enough. Where the
//! tasks of a stage are so short that even this would show, nothing is stamped before such stages have taken long enough
//! together; their time is divided among their tasks in proportion to their sampled costs.

use crate::clock::Clock;

/// Tasks that take less on average are not stamped one by one [ns].
const STAMPED_FROM: f64 = 500.0;
/// Nor those that take less than so many looks at the clock. Between tasks a look costs several times what it costs
/// among looks, since it keeps the processor from beginning the next task before the last one has ended.
const STAMPED_FROM_LOOKS: f64 = 160.0;

/// What is looked at in a run.
#[derive(Clone, Copy)]
pub(super) struct Watch {
    clock: Clock,
    /// When the run began.
    pub begin: u64,
    pub tick_ns: f64,
    /// Least time that there must be for each stamp.
    pub stamped_from: u64,
    /// Whether the time of each task is wanted for its cost.
    pub sampled: bool,
    /// Whether stamps are wanted.
    pub observed: bool,
}

impl Watch {
    /// Begins to look, if there is something to look for.
    pub fn begin(clock: Clock, sampled: bool, observed: bool) -> Option<Self> {
        if !sampled && !observed {
            return None;
        }
        let tick_ns = clock.tick_ns();
        let stamped_from = (STAMPED_FROM / tick_ns).max(STAMPED_FROM_LOOKS * clock.look_ticks as f64) as u64;
        Some(Self { clock, begin: clock.ticks(), tick_ns, stamped_from, sampled, observed })
    }

    /// The same when the rate of the clock is known better.
    pub fn after_run(self) -> Self {
        Self { tick_ns: self.clock.tick_ns(), ..self }
    }

    #[inline(always)]
    pub fn ticks(&self) -> u64 {
        self.clock.ticks()
    }

    /// Whether the tasks of a stage, of which there are so many, are to be timed one by one, given their mean time when last
    /// run; zero: not known. That takes a stamp before the first and one after each.
    #[inline(always)]
    pub fn times_each(&self, mean_ticks: u64, n_ops: u64) -> bool {
        self.sampled || mean_ticks == 0 || mean_ticks * n_ops >= (n_ops + 1) * self.stamped_from
    }
}

/// What ended at a stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// Nothing: here the stream began, or came back after it had made way for others. Number of the entry.
    Begin,
    /// The way to a wait, which begins here. Number of the entry.
    Dispatch,
    /// A wait. Its number.
    Waited,
    /// The next op of an entry. Number of the entry.
    Op,
    /// Short stages. Number of the entry after them.
    Span,
    /// The way into a loop. Number of the entry.
    Enter,
    /// An iteration that another one follows. Number of the entry.
    Again,
    /// A loop, at a break or before its first iteration. Number of the entry that it was left at.
    Leave,
}

#[derive(Clone, Copy)]
pub(super) struct Stamp {
    pub ticks: u64,
    pub number: u32,
    pub mark: Moment,
}

/// The stamps of a stream's last observed run.
#[derive(Default)]
pub(super) struct Log {
    pub stamps: Vec<Stamp>,
    /// The stream stands at a wait that is not over.
    pub waits: bool,
    /// The stream has made way for others of its thread: what they take is not its own time.
    pub made_way: bool,
    /// What the stages since the last stamp usually take [ticks].
    pub unstamped: u64,
    /// The first entry of these stages.
    pub unstamped_from: u32,
}

impl Log {
    /// Before a run: forgets the last one; makes room for one without loops.
    pub fn begin(&mut self, observed: bool, n_entries: usize, n_ops: usize) {
        self.stamps.clear();
        (self.waits, self.made_way, self.unstamped) = (false, false, 0);
        if observed {
            self.stamps.reserve(2 * n_entries + n_ops);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.stamps.is_empty()
    }

    #[inline(always)]
    pub fn stamp(&mut self, mark: Moment, number: u32, ticks: u64) {
        self.stamps.push(Stamp { ticks, number, mark });
        self.unstamped = 0;
    }

    /// The last stamp.
    #[inline(always)]
    pub fn last(&self) -> Option<u64> {
        self.stamps.last().map(|s| s.ticks)
    }
}
