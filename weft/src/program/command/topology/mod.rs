//! `weft topology`: shows the machine that workers are placed on.

mod describe;
mod verify;

use executors::topology::Topology;

use super::machine::machine;
use crate::program::Program;
use crate::program::arguments::TopologyArguments;
use crate::program::failure::Failure;
use crate::program::say::say;

/// Shows the machine, or where a scene lies in its memory.
///
/// # Errors
/// The description of a machine is wrong, or the scene cannot be verified.
pub fn topology(program: &Program, arguments: &TopologyArguments) -> Result<(), Failure> {
    let described = machine(&arguments.engine.machine)?;
    let topology = described.as_ref().unwrap_or_else(|| Topology::system());
    if arguments.describe {
        say(topology.to_string().trim_end());
        return Ok(());
    }
    let objects =
        arguments.verify.as_ref().map(|scene| verify::verify(program, scene, arguments)).transpose()?;
    if arguments.json {
        let mut json = describe::json(topology);
        if let Some(objects) = &objects {
            json["objects"] = verify::json(objects);
        }
        say(&format!("{json:#}"));
    } else {
        say(describe::table(topology).trim_end());
        if let Some(objects) = &objects {
            say("");
            say(verify::table(objects).trim_end());
        }
    }
    Ok(())
}
