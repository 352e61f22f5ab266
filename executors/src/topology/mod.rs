//! What the machine consists of: nodes of memory, packages, cores, hardware threads, caches, distances.
//!
//! It comes from the system's files ([`Topology::system`]), from hwloc (feature `hwloc`), or from a description
//! ([`Topology::described`]), so that everything which depends on several nodes can be tried where there is one.
//! Only what the process may use is in it.
//!
//! ```
//! use weft_executors::topology::Topology;
//!
//! let machine = Topology::described("2x4").expect("two nodes of four cores");
//! assert_eq!((machine.nodes.len(), machine.cores.len()), (2, 8));
//! assert_eq!(machine.worker_nodes(6, 6), [0, 0, 0, 0, 1, 1]);
//! ```

pub mod cpu_list;
mod description;
#[cfg(feature = "hwloc")]
mod hwloc;
mod pages;
mod placement;
mod system;

use std::path::PathBuf;

pub use description::argument;
pub use pages::{nodes_of_pages, pages_of};
pub use placement::Place;
pub use system::read;

/// Where a topology comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The system's files.
    System,
    /// The library hwloc.
    Hwloc,
    /// A description.
    Described,
    /// Nothing but the number of cores is known.
    Unknown,
}

/// A node of memory: what lies on it is near to its cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumaNode {
    /// The system's number for it.
    pub number: u32,
    /// Its memory [bytes], if known.
    pub memory: Option<u64>,
}

/// A physical core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Position of its node in [`Topology::nodes`].
    pub node: usize,
    /// The system's number of its package.
    pub package: u32,
    /// The system's numbers of its hardware threads, ascending, at least one.
    pub threads: Vec<u32>,
}

/// What a cache keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheKind {
    /// Data.
    Data,
    /// Instructions.
    Instruction,
    /// Both.
    Unified,
}

/// A cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Its level, 1 being next to the core.
    pub level: u32,
    /// What it keeps.
    pub kind: CacheKind,
    /// Its size [bytes].
    pub bytes: u64,
    /// The hardware threads that share it, ascending.
    pub threads: Vec<u32>,
}

/// What the machine consists of, as far as the process may use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Where this comes from.
    pub source: Source,
    /// The nodes, ascending by number; at least one. Some may have memory only.
    pub nodes: Vec<NumaNode>,
    /// The physical cores by node, package and first hardware thread; at least one.
    pub cores: Vec<Core>,
    /// The caches by level, kind and first hardware thread.
    pub caches: Vec<Cache>,
    /// Relative cost of an access from a node (row) to the memory of another (column), by position in `nodes`; 10 is
    /// that of its own memory. No rows if unknown.
    pub distances: Vec<Vec<u32>>,
}

/// Why a topology could not be had.
#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    /// A list of numbers is wrong.
    #[error("`{word}` in the list `{text}`: {reason}")]
    List {
        /// The list.
        text: String,
        /// The part that is wrong.
        word: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A description is wrong.
    #[error("line {line} of the topology: {message}")]
    Description {
        /// Its line, from 1 on.
        line: usize,
        /// What is wrong, and what may stand there.
        message: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The system's files say nothing of the cores that the process may use.
    #[error("{} says nothing of the cores that may be used", path.display())]
    Empty {
        /// The directory of the system's files.
        path: PathBuf,
    },
    /// hwloc failed.
    #[error("hwloc: {0}")]
    Hwloc(String),
}

impl Topology {
    /// A machine of which only the number of cores is known: one node, the cores numbered from 0.
    pub fn flat(cores: usize) -> Self {
        let core = |thread| Core { node: 0, package: 0, threads: vec![thread] };
        Self {
            source: Source::Unknown,
            nodes: vec![NumaNode { number: 0, memory: None }],
            cores: (0..cores.max(1) as u32).map(core).collect(),
            caches: Vec::new(),
            distances: Vec::new(),
        }
    }

    /// Number of hardware threads.
    pub fn n_threads(&self) -> usize {
        self.cores.iter().map(|c| c.threads.len()).sum()
    }

    /// Number of nodes that have cores.
    pub fn n_nodes_with_cores(&self) -> usize {
        (0..self.nodes.len()).filter(|&n| self.cores.iter().any(|c| c.node == n)).count()
    }

    /// Position in [`Self::nodes`] of the node of a hardware thread.
    pub fn node_of(&self, thread: u32) -> Option<usize> {
        self.cores.iter().find(|c| c.threads.contains(&thread)).map(|c| c.node)
    }

    /// Puts cores and caches into their order.
    fn sorted(mut self) -> Self {
        self.cores.sort_by(|a, b| (a.node, a.package, &a.threads).cmp(&(b.node, b.package, &b.threads)));
        self.caches.sort_by(|a, b| (a.level, a.kind, &a.threads).cmp(&(b.level, b.kind, &b.threads)));
        self
    }
}
