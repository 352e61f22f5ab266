//! A plan as the simulator sees it: streams of stages with their costs.

/// The streams of a plan, with what each stage costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StaticPlan {
    /// Number of workers.
    pub workers: u32,
    /// The stages, in the order of execution.
    pub stages: Vec<StageInfo>,
    /// Number of regions: stretches of stages that share an iteration count.
    pub regions: u32,
    /// How the loops ran, by number.
    pub loops: Vec<LoopRun>,
    /// The streams; those of a worker in the order in which its thread looks at them.
    pub streams: Vec<Stream>,
    /// Time of a run beside its stages: what the caller does before and after [ns].
    pub overhead_ns: f64,
}

/// What a stage is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageInfo {
    /// The sweep that it is of.
    pub name: &'static str,
    /// Its group's number.
    pub group: u32,
    /// Whether it only replays logged additions.
    pub reduces: bool,
}

/// How a loop ran when it was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopRun {
    /// Iterations that came to their end.
    pub completed: u32,
    /// The break, counted in the loop's order, that left it in the iteration after; none: it reached its limit.
    pub broken_at: Option<u32>,
}

/// A list of stages that one thread walks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stream {
    /// The worker.
    pub worker: u32,
    /// The stream (by number) that must be done before this one begins.
    pub after: Option<usize>,
    /// Its stages in order.
    pub entries: Vec<Entry>,
}

/// A worker's part of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Number of the stage in [`StaticPlan::stages`].
    pub stage: u32,
    /// What it waits for first.
    pub waits: Vec<StreamWait>,
    /// What it does.
    pub action: Action,
    /// The region whose iterations its stamps count.
    pub region: u32,
    /// Its place in the region.
    pub place: u32,
    /// Whether somebody waits for it.
    pub publishes: bool,
}

/// A wait for a worker's stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamWait {
    /// The worker.
    pub worker: u32,
    /// The region of the stage.
    pub region: u32,
    /// The place of the stage in the region.
    pub place: u32,
    /// The previous iteration is meant.
    pub carried: bool,
}

/// Data that another worker wrote last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemoteRead {
    /// That worker.
    pub from: u32,
    /// Cache lines of 64 bytes.
    pub lines: f64,
}

/// What an entry does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Runs its tasks.
    Run {
        /// How many they are.
        tasks: u32,
        /// Their time on the machine that they were measured on [ns].
        ns: f64,
        /// Bytes that they bring from memory, since they do not fit the cache.
        bytes: f64,
        /// What they read of others.
        reads: Vec<RemoteRead>,
    },
    /// Enters a loop, or jumps behind its end (an entry's number).
    Begin {
        /// The loop.
        id: u32,
        /// The loop's region.
        region: u32,
        /// The entry at its end.
        end: u32,
    },
    /// Leaves a loop, if its run says so.
    Break {
        /// The loop.
        id: u32,
        /// Which of the loop's breaks it is.
        number: u32,
        /// The entry at its end.
        end: u32,
    },
    /// Begins the next iteration, or leaves.
    End {
        /// The loop.
        id: u32,
        /// The loop's region.
        region: u32,
        /// The loop's first entry.
        first: u32,
    },
}

impl StaticPlan {
    /// Number of workers that have tasks.
    pub(super) fn busy_workers(&self) -> usize {
        let works = |s: &&Stream| {
            s.entries.iter().any(|e| matches!(e.action, Action::Run { tasks, .. } if tasks > 0))
        };
        let mut workers: Vec<u32> = self.streams.iter().filter(works).map(|s| s.worker).collect();
        workers.sort_unstable();
        workers.dedup();
        workers.len()
    }
}
