//! Changes of a topology while a simulation runs: elements that go and come, and what follows from it for other topologies.

mod edit;
mod lists;
mod mapped;
mod modifier;
mod plan;
mod processor;
pub mod script;

pub use edit::{Changed, Edit};
pub use mapped::MappingKind;
pub use modifier::Modifier;
pub use plan::{AppliedChange, ChangePlan, EditError};
pub use processor::{DueChanges, TopologicalChanges};

#[cfg(test)]
mod tests;

pub(super) use modifier::modifier;
pub(super) use processor::DESCRIPTION;
