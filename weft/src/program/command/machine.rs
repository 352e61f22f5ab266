//! `--topology`: another machine than this one.

use executors::topology::{Topology, argument};

use crate::program::arguments::MachineArguments;
use crate::program::failure::Failure;

/// The machine that the command line describes, if it does.
///
/// # Errors
/// The description is wrong.
pub fn machine(arguments: &MachineArguments) -> Result<Option<Topology>, Failure> {
    let text = arguments.topology.as_deref().filter(|text| !text.is_empty());
    text.map(|text| argument(text).map_err(|e| Failure::Usage(format!("--topology {text}: {e}")))).transpose()
}
