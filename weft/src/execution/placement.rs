//! Where memory lies: buffers follow the workers of their objects, on machines with several nodes of memory.

use engine::data::{DataId, Move, Store};
use engine::exec::{Executor, thread_of};
use engine::graph::Assignment;
use executors::Options;
use executors::topology::Topology;

use super::options::{ExecutorKind, NumaMode, SimulationOptions};

/// Keeps buffers in the memory of their owners.
pub(super) struct MemoryPlacement {
    /// The node of each worker on the machine that is placed on.
    nodes: Vec<u32>,
    /// The system's number of the node that each worker's thread stays on; none if it is not pinned and there are several.
    real_nodes: Vec<Option<u32>>,
    is_active: bool,
    /// Buffers that there were when all were looked at last.
    n_data: usize,
    moves: Vec<Move>,
}

impl MemoryPlacement {
    /// For a simulation whose executor has these options; `topology` is what workers are placed on.
    pub(super) fn new(options: &SimulationOptions, topology: &Topology, team: &Options) -> Self {
        let workers = team.workers;
        // A described machine may have more cores than this one: then each worker has the node of its described core.
        let threads = if options.topology.is_some() { workers as usize } else { team.n_threads() };
        let system = Topology::system();
        let cores = if team.pin { team.pinned_cores() } else { Vec::new() };
        let real = |w: u32| {
            if let [only] = &system.nodes[..] {
                return Some(only.number);
            }
            let core = *cores.get(thread_of(w, workers, team.n_threads()))?;
            system.node_of(core as u32).map(|node| system.nodes[node].number)
        };
        let is_active = match options.numa {
            NumaMode::Off => false,
            // Threads that may wander have no memory that is near.
            NumaMode::Auto => team.pin && topology.n_nodes_with_cores() > 1,
            NumaMode::Force => true,
        };
        Self {
            nodes: topology.worker_nodes(workers, threads),
            real_nodes: (0..workers).map(real).collect(),
            // Stealing and fork-join run tasks anywhere; one thread in recorded order has all memory near.
            is_active: is_active && options.executor == ExecutorKind::Replay,
            n_data: 0,
            moves: Vec::new(),
        }
    }

    /// The node of each worker, as planners want it: all the same where memory is not placed.
    pub(super) fn planned_nodes(&self) -> Vec<u32> {
        if self.is_active { self.nodes.clone() } else { vec![0; self.nodes.len()] }
    }

    /// The system's number of the node that a worker's thread stays on, if it does.
    pub(super) fn real_node(&self, worker: u32) -> Option<u32> {
        self.real_nodes.get(worker as usize).copied().flatten()
    }

    /// A line for the user, where memory is placed.
    pub(super) fn notice(&self) -> Option<String> {
        let mut nodes = self.nodes.clone();
        nodes.sort_unstable();
        nodes.dedup();
        self.is_active.then(|| format!("memory lies with the workers, on {} of its nodes", nodes.len()))
    }

    /// Moves what does not lie on its worker's node; looks at all buffers if there are new ones or `look` says so.
    pub(super) fn apply(
        &mut self,
        look: bool,
        assignment: &Assignment,
        executor: &mut dyn Executor,
        store: &mut Store,
    ) {
        if !self.is_active || !(look || self.n_data != store.n_data()) {
            return;
        }
        self.n_data = store.n_data();
        self.moves.clear();
        for data in 0..self.n_data as DataId {
            let worker = assignment.worker(store.info(data).object);
            let node = self.nodes[worker as usize];
            if store.home(data) != Some(node) && store.is_movable(data) {
                self.moves.push(Move { worker, data, node });
            }
        }
        if !self.moves.is_empty() {
            log::debug!("{} buffers move to their workers' nodes", self.moves.len());
            store.relocate(&self.moves, |copy| executor.on_workers(copy));
        }
    }
}
