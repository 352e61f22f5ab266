//! `weft run` of a game.

use std::path::PathBuf;

use super::source::{DEFAULT_CYCLES, GameSource};
use crate::execution::SimulationOptions;
use crate::games::FlockSimulation;
use crate::program::arguments::RunArguments;
use crate::program::command::frames::{Exports, refuse_mechanics, run_frames};
use crate::program::command::run::simulation_options;
use crate::program::failure::Failure;

/// Runs a game.
///
/// # Errors
/// See [`Failure`].
pub fn run(source: &GameSource, arguments: &RunArguments) -> Result<(), Failure> {
    refuse_mechanics(&arguments.output, "a game", "--report writes a hash of its state")?;
    for (is_given, option, instead) in [
        (arguments.output.export_mesh.is_some(), "--export-mesh", "`view --screenshot` shows it"),
        (arguments.output.trace.is_some(), "--trace", "`profile` says what its workers did"),
        (!arguments.rigs.export_outputs.is_empty(), "--export-outputs", "only rigs have outputs"),
    ] {
        if is_given {
            return Err(Failure::Usage(format!("{option}: not for games; {instead}")));
        }
    }
    let (options, choices) = simulation_options(&arguments.engine, arguments.dt)?;
    let cycles = arguments.steps.unwrap_or(DEFAULT_CYCLES);
    let simulation = source.simulation(&options)?;
    let options = SimulationOptions { threads: 1, ..options };
    let one = arguments.compare.then(|| source.simulation(&options)).transpose()?;
    run_frames(arguments, choices, cycles, (simulation, one), Nothing)
}

/// No files.
struct Nothing;

impl Exports<FlockSimulation> for Nothing {
    fn write(&mut self, _: &FlockSimulation) -> Result<(), Failure> {
        Ok(())
    }

    fn finish(self) -> Result<Vec<PathBuf>, Failure> {
        Ok(Vec::new())
    }
}
