//! How a scheduler works.

use std::time::Duration;

/// What a worker does to find a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkerKind {
    /// It asks the supplier for one task at a time. It knows no groups.
    Simple,
    /// It takes all tasks that the supplier has into a queue of its own, and steals half of another worker's where the supplier has none.
    /// It knows no groups.
    Stealing,
    /// As [`Self::Stealing`], and tasks of a group run on the workers that the group is locked to.
    #[default]
    Locking,
}

impl WorkerKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Simple, Self::Stealing, Self::Locking];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Stealing => "stealing",
            Self::Locking => "locking",
        }
    }
}

/// What a worker does while another one is at the supplier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parsing {
    /// It waits.
    Blocking,
    /// It goes on: it steals, or looks for other work; and leaves what it has to report to whoever is at the supplier.
    #[default]
    NonBlocking,
}

/// What becomes of tasks that must not run on the main worker where there is no other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenAlone {
    /// They fail, and the cycle says so.
    #[default]
    Refuse,
    /// The main worker runs them within the cycle, which lasts as long.
    RunOnMain,
}

/// How a scheduler works.
///
/// ```
/// use std::time::Duration;
/// use weft_game::{CycleScheduler, Group, Options, WorkerKind};
///
/// let options = Options::new(3).kind(WorkerKind::Locking).watchdog(Duration::from_secs(1));
/// let mut scheduler = CycleScheduler::new(options);
/// // The sound's tasks run on worker 2 alone.
/// scheduler.lock_group(Group::Named(1), &[2])?;
/// # Ok::<(), weft_game::LockError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Number of workers, the main worker (the caller's thread) among them. There may be more than cores: then only as many run what all
    /// may run as there are cores, and the others what lasts longer than cycles, and groups that are locked to them. 0 counts as 1.
    pub workers: usize,
    /// What they do to find tasks.
    pub kind: WorkerKind,
    /// What they do while another one is at the supplier.
    pub parsing: Parsing,
    /// What becomes of tasks that must not run on the main worker where there is no other.
    pub when_alone: WhenAlone,
    /// For how long a worker that finds nothing polls before it sleeps. Of more workers than cores only as many poll as there are cores.
    pub spin: Duration,
    /// Whether each worker but the main one, which is the host's thread, stays on a core of its own, where there are enough.
    pub pin: bool,
    /// After which time a task of a cycle is overdue: it is named in the log, and the cycle ends without it if the main worker has nothing
    /// else to do. `None`: never.
    pub watchdog: Option<Duration>,
}

impl Options {
    /// So many workers, of the kind that does all, polling for 20 microseconds if there is more than one core.
    pub fn new(workers: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let spin = if cores > 1 { Duration::from_micros(20) } else { Duration::ZERO };
        Self {
            workers,
            kind: WorkerKind::default(),
            parsing: Parsing::default(),
            when_alone: WhenAlone::default(),
            spin,
            pin: false,
            watchdog: None,
        }
    }

    /// The same with workers of a kind.
    pub fn kind(self, kind: WorkerKind) -> Self {
        Self { kind, ..self }
    }

    /// The same with what workers do while another one is at the supplier.
    pub fn parsing(self, parsing: Parsing) -> Self {
        Self { parsing, ..self }
    }

    /// The same with the time after which tasks are overdue.
    pub fn watchdog(self, after: Duration) -> Self {
        Self { watchdog: Some(after), ..self }
    }
}

impl Default for Options {
    /// A worker for each core.
    fn default() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from))
    }
}
