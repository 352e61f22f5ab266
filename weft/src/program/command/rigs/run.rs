//! `weft run` of a rig.

use std::path::PathBuf;

use animation::rig::OutputId;

use super::source::{DEFAULT_FRAMES, RigSource, said};
use crate::execution::SimulationOptions;
use crate::program::arguments::RunArguments;
use crate::program::command::frames::{Exports, refuse_mechanics, run_frames};
use crate::program::command::run::simulation_options;
use crate::program::command::sink::{Sink, broken, create};
use crate::program::failure::Failure;
use crate::program::rig_arguments::RigArguments;
use crate::rigs::{OutputLines, RigSimulation};

/// Runs a rig.
///
/// # Errors
/// See [`Failure`].
pub fn run(source: &RigSource, arguments: &RunArguments) -> Result<(), Failure> {
    refuse_mechanics(&arguments.output, "a rig", "--export-outputs writes what it computes")?;
    if arguments.output.export_mesh.is_some() {
        let message = "--export-mesh: not for rigs; `view --screenshot` shows them";
        return Err(Failure::Usage(message.to_owned()));
    }
    let (options, choices) = simulation_options(&arguments.engine, arguments.dt)?;
    let choices = source.choices(&arguments.engine, choices);
    let frames = arguments.steps.unwrap_or(DEFAULT_FRAMES);
    let mut simulation = source.simulation(&options)?;
    let exports = Exported::open(&arguments.rigs, &simulation)?;
    let options = SimulationOptions { threads: 1, ..options };
    let mut one = arguments.compare.then(|| source.simulation(&options)).transpose()?;
    if let Some(outputs) = exports.outputs() {
        for simulation in std::iter::once(&mut simulation).chain(&mut one) {
            simulation.request(outputs.clone()).map_err(|e| Failure::Usage(e.to_string()))?;
        }
    }
    run_frames(arguments, choices, frames, (simulation, one), exports)
}

/// Outputs that are written.
struct Exported(Vec<(PathBuf, OutputLines<Sink>)>);

impl Exported {
    /// Opens the files, so that a path that cannot be written, or an output that is not there, is known before the first frame.
    fn open(arguments: &RigArguments, simulation: &RigSimulation) -> Result<Self, Failure> {
        let mut outputs = Vec::new();
        for export in &arguments.export_outputs {
            let lines = OutputLines::new(create(&export.path)?, simulation.rig(), &export.names);
            let lines = lines.map_err(|e| Failure::Usage(format!("--export-outputs: {}", said(&e))))?;
            outputs.push((export.path.clone(), lines));
        }
        Ok(Self(outputs))
    }

    /// The outputs that are asked for; none if nobody says, and so all are.
    fn outputs(&self) -> Option<Vec<OutputId>> {
        let named = self.0.iter().flat_map(|(_, lines)| lines.outputs()).collect();
        (!self.0.is_empty()).then_some(named)
    }
}

impl Exports<RigSimulation> for Exported {
    fn write(&mut self, simulation: &RigSimulation) -> Result<(), Failure> {
        let frame = simulation.frames() - 1;
        let time = frame as f64 * simulation.dt();
        for (path, lines) in &mut self.0 {
            lines.write(frame, time, simulation).map_err(broken(path))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<PathBuf>, Failure> {
        let mut written = Vec::new();
        for (path, lines) in self.0 {
            lines.finish().map_err(broken(&path))?;
            written.push(path);
        }
        Ok(written)
    }
}
