//! The attribute state manager: values of entities that tasks share without meeting.
//!
//! An [`Attribute`] is registered by name and type. In a cycle each worker notes what it wants to change in a [`PostLog`] of its own; nothing
//! is locked, and readers see the values of before. At the cycle's end [`AttributeStateManager::propagate`] merges the logs: of several
//! posts for one pair of entity and attribute the one of highest priority wins, among these the latest by its logical stamp, among these
//! the one of the poster with the greatest number, among these the last in its log. The winner is the same for any number of workers, as
//! long as posters, stamps and priorities are. Values may be read at any time, as on a blackboard; listeners hear of the winners.
//!
//! **Source:** Zettersten, *A parallel architecture for real-time games*, KTH 2010, section 3.3.

mod attribute;
mod column;
mod log;
mod manager;

pub use attribute::{Attribute, AttributeError, AttributeValue, Counts, Notice};
pub use log::{Post, PostLog};
pub use manager::AttributeStateManager;

/// The largest attribute \[bytes\].
pub const MOST_BYTES: usize = 1024;

#[cfg(test)]
mod tests;
