//! Where memory lies: buffers follow the workers of their objects, on machines with several nodes of memory; elsewhere those of large
//! objects lie side by side on large pages.

use engine::data::{DataId, Move, Store};
use engine::exec::{Executor, thread_of};
use engine::graph::Assignment;
use executors::Options;
use executors::topology::Topology;

use super::options::{ExecutorKind, NumaMode, SimulationOptions};

/// An object with that many bytes has large pages to itself: those of x86-64 have so many, and elsewhere it does no harm.
const LARGE_OBJECT: usize = 2 << 20;
/// No more than so many bytes lie in two places at a time, but for a single object.
const AT_A_TIME: usize = 256 << 20;

/// Whose buffers are placed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Placed {
    /// Nobody's.
    None,
    /// Those of large objects, where all memory is equally near: a sheet of 512 by 512 springs takes 6 % less time on large pages.
    Large,
    /// All.
    All,
}

/// Keeps buffers in the memory of their owners.
pub(super) struct MemoryPlacement {
    /// The node of each worker on the machine that is placed on.
    nodes: Vec<u32>,
    /// The system's number of the node that each worker's thread stays on; none if it is not pinned and there are several.
    real_nodes: Vec<Option<u32>>,
    placed: Placed,
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
        let placed = match options.numa {
            // Stealing and fork-join run tasks anywhere; one thread in recorded order has all memory near.
            _ if options.executor != ExecutorKind::Replay => Placed::None,
            NumaMode::Off => Placed::None,
            NumaMode::Force => Placed::All,
            NumaMode::Auto if topology.n_nodes_with_cores() < 2 => Placed::Large,
            NumaMode::Auto if team.pin => Placed::All,
            // Threads that may wander have no memory that is near.
            NumaMode::Auto => Placed::None,
        };
        Self {
            nodes: topology.worker_nodes(workers, threads),
            real_nodes: (0..workers).map(real).collect(),
            placed,
            n_data: 0,
            moves: Vec::new(),
        }
    }

    /// The node of each worker, as planners want it: all the same where memory is not placed.
    pub(super) fn planned_nodes(&self) -> Vec<u32> {
        if self.placed == Placed::All { self.nodes.clone() } else { vec![0; self.nodes.len()] }
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
        (self.placed == Placed::All)
            .then(|| format!("memory lies with the workers, on {} of its nodes", nodes.len()))
    }

    /// Moves what does not lie on its worker's node; looks at all buffers if `look` says so, and where all are placed, if there are new ones.
    pub(super) fn apply(
        &mut self,
        look: bool,
        assignment: &Assignment,
        executor: &mut dyn Executor,
        store: &mut Store,
    ) {
        let looks = match self.placed {
            Placed::None => false,
            Placed::Large => look,
            Placed::All => look || self.n_data != store.n_data(),
        };
        if !looks {
            return;
        }
        self.n_data = store.n_data();
        self.moves.clear();
        let sizes = if self.placed == Placed::Large { bytes_of_objects(store) } else { Vec::new() };
        for data in 0..self.n_data as DataId {
            let object = store.info(data).object;
            let worker = assignment.worker(object);
            let node = self.nodes[worker as usize];
            let is_placed = sizes.get(object.0 as usize).is_none_or(|bytes| *bytes >= LARGE_OBJECT);
            if is_placed && store.home(data) != Some(node) && store.is_movable(data) {
                self.moves.push(Move { worker, data, node });
            }
        }
        if !self.moves.is_empty() {
            log::debug!("{} buffers move to their workers' nodes", self.moves.len());
        }
        self.moves.sort_unstable_by_key(|m| store.info(m.data).object);
        let mut left = &self.moves[..];
        while !left.is_empty() {
            let mut bytes = 0;
            let together = |a: &Move, b: &Move| {
                bytes += store.bytes_of(a.data);
                bytes < AT_A_TIME || store.info(a.data).object == store.info(b.data).object
            };
            let n = left.chunk_by(together).next().map_or(left.len(), <[Move]>::len);
            let (now, later) = left.split_at(n);
            store.relocate(now, |copy| executor.on_workers(copy));
            left = later;
        }
    }
}

/// How many bytes the buffers of each object have, by its number.
fn bytes_of_objects(store: &Store) -> Vec<usize> {
    let mut bytes = Vec::new();
    for data in 0..store.n_data() as DataId {
        let object = store.info(data).object.0 as usize;
        if bytes.len() <= object {
            bytes.resize(object + 1, 0);
        }
        bytes[object] += store.bytes_of(data);
    }
    bytes
}
