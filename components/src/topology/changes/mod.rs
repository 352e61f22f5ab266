//! Changes of a topology while a simulation runs: elements that go and come, and what follows from it for other topologies.

mod border;
mod bounding_trasher;
mod dependents;
mod edit;
mod error;
mod lists;
mod mapped;
mod modifier;
mod plan;
mod processor;
pub mod region;
pub mod script;

pub use border::MappingKind;
pub use bounding_trasher::BoundingTrasher;
pub use dependents::Follower;
pub use edit::{Changed, Edit};
pub use error::EditError;
pub use modifier::Modifier;
pub use plan::{AppliedChange, ChangePlan};
pub use processor::{DueChanges, TopologicalChanges};

#[cfg(test)]
mod tests;

pub(super) use bounding_trasher::BOUNDING_TRASHER;
pub(super) use modifier::modifier;
pub(super) use processor::DESCRIPTION;
