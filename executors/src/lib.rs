//! The executors of Weft with threads: replay, stealing and fork-join.
//!
//! [`Replay`] runs a schedule: each worker is a stream of stages that it walks over and over, waiting for other workers
//! only where the schedule says so. [`Stealing`] ignores the schedule's placement and balances dynamically. [`ForkJoin`],
//! for comparison, joins its threads after every stage. All give the bits of the sequential executor. The protocol and its proof are in this crate's README.

// Under `cfg(loom)` only the protocol's small types are built, on loom's atomics.
#[cfg(not(loom))]
mod affinity;
#[cfg(not(loom))]
mod alone;
#[cfg(not(loom))]
pub mod background;
#[cfg(not(loom))]
mod checks;
#[cfg(not(loom))]
mod clock;
#[cfg(not(loom))]
mod costs;
#[cfg(not(loom))]
pub mod cycles;
#[cfg(not(loom))]
pub mod fork_join;
#[cfg(not(loom))]
pub mod interconnect;
#[cfg(not(loom))]
mod options;
#[cfg(not(loom))]
mod pace;
#[cfg(not(loom))]
pub mod replay;
#[cfg(not(loom))]
pub mod stealing;
pub mod sync;
#[cfg(not(loom))]
mod team;
#[cfg(not(loom))]
pub mod topology;

#[cfg(not(loom))]
pub use {fork_join::ForkJoin, options::Options, replay::Replay, stealing::Stealing};
