//! `weft run` of an event graph.

use std::path::PathBuf;

use super::source::{GraphSource, event_options, executor_of};
use crate::events::{EventLines, EventSimulation, FieldLines};
use crate::execution::SimulationOptions;
use crate::program::arguments::RunArguments;
use crate::program::command::frames::{Exports, refuse_mechanics, run_frames};
use crate::program::command::run::simulation_options_by;
use crate::program::command::sink::{Sink, broken, create};
use crate::program::event_arguments::EventArguments;
use crate::program::failure::Failure;

/// Runs an event graph.
///
/// # Errors
/// See [`Failure`].
pub fn run(source: &GraphSource, arguments: &RunArguments) -> Result<(), Failure> {
    let hint = "--export-fields and --export-events write what it does";
    refuse_mechanics(&arguments.output, "an event graph", hint)?;
    if arguments.output.export_mesh.is_some() {
        let message = "--export-mesh: not for event graphs; `view --screenshot` shows them";
        return Err(Failure::Usage(message.to_owned()));
    }
    let usual = executor_of(arguments.events.mode.strategy);
    let (options, choices) = simulation_options_by(&arguments.engine, arguments.dt, usual)?;
    let events = event_options(&arguments.events)?;
    let frames = arguments.steps.unwrap_or_else(|| source.default_frames());
    let mut simulation = source.simulation(events, &options)?;
    let exports = Exported::open(&arguments.events, &mut simulation)?;
    let options = SimulationOptions { threads: 1, ..options };
    let one = arguments.compare.then(|| source.simulation(events, &options)).transpose()?;
    run_frames(arguments, choices, frames, (simulation, one), exports)
}

/// Events and fields that are written.
struct Exported {
    events: Option<(PathBuf, EventLines<Sink>)>,
    fields: Vec<(PathBuf, FieldLines<Sink>)>,
}

impl Exported {
    /// Opens the files, so that a path that cannot be written, or a field that is not there, is known before the first frame.
    fn open(arguments: &EventArguments, simulation: &mut EventSimulation) -> Result<Self, Failure> {
        simulation.prepare();
        let events = match &arguments.export_events {
            Some(path) => Some((path.clone(), EventLines::new(create(path)?))),
            None => None,
        };
        let mut fields = Vec::new();
        for export in &arguments.export_fields {
            let lines = FieldLines::new(create(&export.path)?, simulation.graph(), &export.fields);
            fields.push((export.path.clone(), lines.map_err(|e| Failure::Usage(e.to_string()))?));
        }
        Ok(Self { events, fields })
    }
}

impl Exports<EventSimulation> for Exported {
    fn write(&mut self, simulation: &EventSimulation) -> Result<(), Failure> {
        let frame = simulation.frames() - 1;
        let time = frame as f64 * simulation.dt();
        if let Some((path, lines)) = &mut self.events {
            lines.write(frame, simulation).map_err(broken(path))?;
        }
        for (path, lines) in &mut self.fields {
            lines.write(frame, time, simulation).map_err(broken(path))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<PathBuf>, Failure> {
        let mut written = Vec::new();
        if let Some((path, lines)) = self.events {
            lines.finish().map_err(broken(&path))?;
            written.push(path);
        }
        for (path, lines) in self.fields {
            lines.finish().map_err(broken(&path))?;
            written.push(path);
        }
        Ok(written)
    }
}
