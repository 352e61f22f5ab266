//! Tasks under a tree of behaviours: what runs after what, beside what, instead of what, again and when.
//!
//! - A [`Behaviour`] decides which of a node's children run: in turn, together, one of them, again (`kinds.rs`; a game may bring its own).
//! - A [`BehaviourTree`] holds the nodes of any number of trees (`nodes.rs`) and follows those that were submitted (`running.rs`).
//!   It supplies their tasks, longest chain of tasks first (`length.rs`).
//! - [`read_tree`] reads trees from a file (`file.rs`: its nodes in `entries.rs`, who is whose child in `linking.rs`).
//!
//! A node begins at most once in a cycle: what would begin again waits for the next one. So no tree keeps a cycle from ending.
//!
//! **Source:** Zettersten 2010, section 3.1.5.2.

mod agenda;
mod behaviour;
mod entries;
mod error;
mod file;
mod kinds;
mod length;
mod linking;
mod node;
mod nodes;
mod running;
#[cfg(test)]
mod tests;

pub use diagnostics::{Diagnostic, Location, Severity};

pub use behaviour::{Behaviour, Decision, Ended, Heard, Order};
pub use error::TreeError;
pub use file::{TreeOutline, check_tree, read_tree};
pub use kinds::{Every, If, Invert, Parallel, Random, Repeat, Selector, Sequence, Wait};
pub use nodes::{BehaviourTree, NodeId};
