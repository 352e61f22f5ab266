//! `weft topology`: shows the machine that workers are placed on.

mod describe;

use executors::topology::{Topology, argument};

use crate::arguments::{MachineArguments, TopologyArguments};
use crate::failure::Failure;
use crate::say::say;

/// Shows the machine.
///
/// # Errors
/// The description of a machine is wrong.
pub fn topology(arguments: &TopologyArguments) -> Result<(), Failure> {
    let described = machine(&arguments.machine)?;
    let topology = described.as_ref().unwrap_or_else(|| Topology::system());
    if arguments.json {
        say(&format!("{:#}", describe::json(topology)));
    } else if arguments.describe {
        say(topology.to_string().trim_end());
    } else {
        say(describe::table(topology).trim_end());
    }
    Ok(())
}

/// The machine that the command line describes, if it does.
///
/// # Errors
/// The description is wrong.
pub fn machine(arguments: &MachineArguments) -> Result<Option<Topology>, Failure> {
    let text = arguments.topology.as_deref().filter(|text| !text.is_empty());
    text.map(|text| argument(text).map_err(|e| Failure::Usage(format!("--topology {text}: {e}")))).transpose()
}
