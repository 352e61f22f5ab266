//! The executors of Weft with threads: replay and stealing.
//!
//! [`Replay`] runs a schedule: each worker is a stream of stages that it walks over and over, waiting for other workers
//! only where the schedule says so. [`Stealing`] ignores the schedule's placement and balances dynamically. Both give
//! the bits of the sequential executor. The protocol and its proof are in this crate's README.

mod affinity;
mod costs;
mod options;
pub mod replay;
pub mod stealing;
pub mod sync;
mod team;

pub use options::Options;
pub use replay::Replay;
pub use stealing::Stealing;
