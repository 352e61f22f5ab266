//! From a program and an assignment of objects to a schedule: instances, reducers, loops, signals and waits; and the
//! update of a schedule in proportion to what changes.

mod ledger;
mod lower;
mod placement;
mod reducer;
mod splice;
mod upkeep;
mod wiring;

pub use ledger::Ledger;
pub use lower::{lower, lower_with_ledger};
pub use placement::Accumulation;
pub use splice::{NeedsLowering, Splice};
pub use upkeep::Upkeep;
