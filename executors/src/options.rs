//! How an executor is set up.

use crate::affinity;
use crate::topology::Topology;

/// Options of the executors with threads.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of workers (partitions).
    pub workers: u32,
    /// Number of OS threads, the caller's included; 0: one per worker, no more than cores are available.
    pub threads: usize,
    /// Whether to pin each thread to a core.
    pub pin: bool,
    /// The hardware threads to pin to, thread by thread; those missing are taken as [`Topology::places`] of this machine
    /// orders them.
    ///
    /// [`Topology::places`]: crate::topology::Topology::places
    pub cores: Vec<usize>,
    /// How long a thread polls for the next run before it parks [us]; 0: it parks at once.
    pub spin_us: u64,
    /// Whether one thread runs all workers of a plan as long as that is faster than all threads, as it is while another
    /// program uses their cores, and where a plan is too short to be shared. By default.
    pub adapt: bool,
    /// Whether tasks look whether others touch the same data at the same time, and whether they overwrite what they say.
    /// By default in builds with debug assertions.
    pub checked: bool,
    /// For tests: seed of a random order in which streams interrupt themselves and each other, and of a random choice
    /// between all threads and one for each run where `adapt` is on.
    pub switch_seed: Option<u64>,
}

impl Options {
    /// The defaults, for a number of workers.
    pub fn new(workers: u32) -> Self {
        Self {
            workers: workers.max(1),
            threads: 0,
            pin: false,
            cores: Vec::new(),
            spin_us: 1000,
            adapt: true,
            checked: cfg!(debug_assertions),
            switch_seed: None,
        }
    }

    /// The number of threads that will run: at most one per worker, and (unless asked for) one per core.
    ///
    /// More spinning threads than cores would slow everything down by an order of magnitude, so there never are.
    pub fn n_threads(&self) -> usize {
        let wanted = if self.threads == 0 { self.workers as usize } else { self.threads };
        wanted.min(self.workers as usize).min(affinity::n_cores()).max(1)
    }

    /// The hardware threads that threads are pinned to, in order, if they are: those of `cores` that this process may use,
    /// then the others of this machine. None where the system cannot pin.
    pub fn pinned_cores(&self) -> Vec<usize> {
        let allowed = affinity::allowed_cores();
        let mut cores: Vec<usize> = self.cores.iter().copied().filter(|c| allowed.contains(c)).collect();
        if !allowed.is_empty() {
            let rest = Topology::system().places().into_iter().map(|p| p.thread as usize);
            let rest: Vec<usize> = rest.filter(|core| !cores.contains(core)).collect();
            cores.extend(rest);
        }
        cores
    }

    /// A line for the user if fewer threads run than workers were asked for.
    pub fn notice(&self) -> Option<String> {
        let (workers, threads) = (self.workers, self.n_threads());
        (threads < workers as usize).then(|| {
            format!("{workers} workers run on {threads} threads: {} cores are available", affinity::n_cores())
        })
    }
}
