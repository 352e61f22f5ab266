//! How a simulation is run: nothing here changes what it computes (except the kind of sums).

use engine::graph::Sums;
use executors::topology::Topology;
use x3d::script::limits::Stop;

/// Which executor runs the graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutorKind {
    /// Static streams, replayed.
    #[default]
    Replay,
    /// Recorded order, one thread: the specification.
    Sequential,
    /// Dynamic scheduling.
    Stealing,
    /// All threads are joined after each sweep: for comparison.
    ForkJoin,
}

impl ExecutorKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Replay, Self::Sequential, Self::Stealing, Self::ForkJoin];

    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Replay => "replay",
            Self::Sequential => "sequential",
            Self::Stealing => "stealing",
            Self::ForkJoin => "fork-join",
        }
    }
}

/// Which partitioner places objects on workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartitionerKind {
    /// Owner computes, balanced by cost.
    Owner,
    /// METIS on the graph of objects.
    #[default]
    Metis,
}

impl PartitionerKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Owner, Self::Metis];

    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Metis => "metis",
        }
    }
}

/// Who computes: what may be exchanged between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    /// Number of workers, at least 1; the sequential executor has one, whatever this says.
    pub threads: usize,
    /// Which partitioner.
    pub partitioner: PartitionerKind,
    /// Which executor.
    pub executor: ExecutorKind,
}

/// How additions of a task to the data of several workers are carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccumulateMode {
    /// By cost.
    #[default]
    Auto,
    /// Each worker computes the task and keeps its own side.
    Mirror,
    /// One worker computes the task; the other side's additions are logged and replayed by a reducer.
    Reduce,
}

/// Whether memory is placed on the nodes of its owners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumaMode {
    /// If the machine has several nodes, and workers are pinned; with one node, for large objects, which get large pages.
    #[default]
    Auto,
    /// Always.
    Force,
    /// Never.
    Off,
}

/// All choices of a run.
#[derive(Clone, Debug)]
pub struct SimulationOptions {
    /// Which executor.
    pub executor: ExecutorKind,
    /// Which partitioner.
    pub partitioner: PartitionerKind,
    /// Number of workers (partitions), at least 1.
    pub threads: usize,
    /// How joint additions are carried out.
    pub accumulate: AccumulateMode,
    /// How dot products are summed. Forces of elements follow the order of the mesh where the scene says so
    /// ([`LoadOptions::mesh_order`](scenes::LoadOptions)).
    pub sums: Sums,
    /// Time step instead of the scene's [s].
    pub dt: Option<f64>,
    /// Whether workers are pinned to cores where the system allows.
    pub pin: bool,
    /// How long a thread without work polls for the next step before it parks [us]; 0: it parks at once.
    pub spin_us: u64,
    /// Whether one thread runs all workers of a graph as long as that is faster than all threads: while another program uses
    /// their cores, and where a graph is too short to be shared. By default.
    pub adapt: bool,
    /// A described machine to place workers on, instead of this one.
    pub topology: Option<Topology>,
    /// Whether memory is placed on the nodes of its owners.
    pub numa: NumaMode,
    /// Ends Scripts that go on for long, once it is asked.
    pub stop: Stop,
}

impl SimulationOptions {
    /// The part of it that may be exchanged while a simulation runs.
    pub fn execution(&self) -> Execution {
        Execution { threads: self.threads, partitioner: self.partitioner, executor: self.executor }
    }
}

impl Default for SimulationOptions {
    fn default() -> Self {
        Self {
            executor: ExecutorKind::default(),
            partitioner: PartitionerKind::default(),
            threads: 1,
            accumulate: AccumulateMode::default(),
            sums: Sums::Blocked,
            dt: None,
            pin: true,
            spin_us: 1000,
            adapt: true,
            topology: None,
            numa: NumaMode::default(),
            stop: Stop::default(),
        }
    }
}
