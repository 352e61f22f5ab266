//! `weft run` of an event graph.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use super::report::{Compared, EventReport};
use super::source::{GraphSource, event_options};
use super::state_hash::state_hash;
use crate::events::{EventLines, EventSimulation, FieldLines, FrameFailure, FrameReport};
use crate::execution::{SimulationOptions, Stepped};
use crate::program::arguments::{OutputArguments, RunArguments};
use crate::program::command::run::simulation_options;
use crate::program::command::sink::{Sink, broken, create};
use crate::program::command::summary;
use crate::program::command::trace_file::TraceFile;
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar};
use crate::program::say::{complain, say};

/// Runs an event graph.
///
/// # Errors
/// See [`Failure`].
pub fn run(source: &GraphSource, arguments: &RunArguments) -> Result<(), Failure> {
    let hint = "--export-fields and --export-events write what it does";
    refuse_mechanics(&arguments.output, "an event graph", hint)?;
    let (options, choices) = simulation_options(&arguments.engine, arguments.dt)?;
    let events = event_options(&arguments.events)?;
    let frames = arguments.steps.unwrap_or_else(|| source.default_frames());
    let name = &arguments.scene.scene;
    let mut simulation = source.simulation(events, &options)?;
    let mut files = Files::open(arguments, &mut simulation)?;
    let mut one = None;
    if arguments.compare {
        let options = SimulationOptions { threads: 1, ..options.clone() };
        one = Some((source.simulation(events, &options)?, Vec::new()));
    }
    if !arguments.quiet {
        say(&summary::head(name, &simulation, &choices, frames));
        simulation.notes().iter().for_each(|n| say(n));
    }

    let interrupt = Interrupt::listen();
    let progress = bar(frames, arguments.quiet);
    let begin = Instant::now();
    let (mut history, mut failure) = (Vec::new(), None);
    while simulation.frames() < frames && !interrupt.came() {
        files.before_frame(&mut simulation);
        if let Err(e) = frame(&mut simulation, &mut history, &mut one) {
            failure = Some(e);
            break;
        }
        files.after_frame(&mut simulation)?;
        progress.set_position(simulation.frames());
    }
    progress.finish_and_clear();

    let mut report = EventReport::new(name, &simulation, &history, arguments.output.report_from, choices);
    report.seconds = begin.elapsed().as_secs_f64();
    report.interrupted = failure.is_none() && simulation.frames() < frames;
    report.failure = failure.as_ref().map(ToString::to_string);
    if arguments.output.report.is_some() || one.is_some() {
        report.state_hash = Some(state_hash(&simulation));
    }
    report.compare = one.map(|(one, history)| {
        let chosen = &history[history.len().min(report.report_from as usize)..];
        Compared::of(&report.step_ms, chosen, report.state_hash == Some(state_hash(&one)))
    });
    let written = files.finish(&report)?;
    if !arguments.quiet {
        say(&report.text());
    }
    if let Some(failure) = failure {
        if !written.is_empty() {
            complain(&format!("written up to frame {}: {written}", failure.frame));
        }
        return Err(Failure::Simulation(failure.to_string()));
    }
    if report.interrupted {
        say(&format!("interrupted after {} of {frames} frames", report.steps));
    }
    let fps = if report.seconds > 0.0 { report.steps as f64 / report.seconds } else { 0.0 };
    say(&format!("{} frames done in {:.3} s ( {fps:.3} FPS)", report.steps, report.seconds));
    Ok(())
}

/// The graph on one worker, to compare, and its frames.
type Beside = Option<(EventSimulation, Vec<FrameReport>)>;

/// One frame; of one worker too, first or last in turn, so that neither always finds the warmer cache.
fn frame(
    simulation: &mut EventSimulation,
    history: &mut Vec<FrameReport>,
    one: &mut Beside,
) -> Result<(), FrameFailure> {
    let is_first = simulation.frames().is_multiple_of(2);
    let mut other = |turn: bool| -> Result<(), FrameFailure> {
        if let Some((one, frames)) = one.as_mut().filter(|_| turn) {
            frames.push(one.step()?);
            one.take_said();
        }
        Ok(())
    };
    other(!is_first)?;
    history.push(simulation.step()?);
    other(is_first)?;
    for said in simulation.take_said() {
        complain(&said.to_string());
    }
    Ok(())
}

/// Options that say nothing for what has no mechanics are refused, rather than forgotten; `hint` says what writes states instead.
///
/// # Errors
/// One of them was given.
pub fn refuse_mechanics(output: &OutputArguments, what: &str, hint: &str) -> Result<(), Failure> {
    let given = [
        (output.export_state.is_some(), "--export-state", hint),
        (output.export_mesh.is_some(), "--export-mesh", "`view --screenshot` shows it"),
    ];
    match given.iter().find(|(is_given, ..)| *is_given) {
        Some((_, name, hint)) => {
            Err(Failure::Usage(format!("{name}: {what} has no mechanical states; {hint}")))
        }
        None => Ok(()),
    }
}

/// The files of a run.
struct Files {
    events: Option<(PathBuf, EventLines<Sink>)>,
    fields: Vec<(PathBuf, FieldLines<Sink>)>,
    trace: Option<TraceFile>,
    report: Option<(PathBuf, Sink)>,
}

impl Files {
    /// Opens them, so that a path that cannot be written, or a field that is not there, is known before the first frame.
    fn open(arguments: &RunArguments, simulation: &mut EventSimulation) -> Result<Self, Failure> {
        simulation.prepare();
        let open = |path: &PathBuf| create(path).map(|sink| (path.clone(), sink));
        let events = arguments.events.export_events.as_ref().map(open).transpose()?;
        let mut fields = Vec::new();
        for export in &arguments.events.export_fields {
            let lines = FieldLines::new(create(&export.path)?, simulation.graph(), &export.fields);
            fields.push((export.path.clone(), lines.map_err(|e| Failure::Usage(e.to_string()))?));
        }
        let trace = match &arguments.output.trace {
            Some(path) => Some(TraceFile::begin(path, arguments.output.report_from, simulation)?),
            None => None,
        };
        Ok(Self {
            events: events.map(|(path, sink)| (path, EventLines::new(sink))),
            fields,
            trace,
            report: arguments.output.report.as_ref().map(open).transpose()?,
        })
    }

    fn before_frame(&mut self, simulation: &mut EventSimulation) {
        if let Some(trace) = &mut self.trace {
            trace.before_step(simulation);
        }
    }

    fn after_frame(&mut self, simulation: &mut EventSimulation) -> Result<(), Failure> {
        let frame = simulation.frames() - 1;
        let time = frame as f64 * simulation.dt();
        if let Some((path, lines)) = &mut self.events {
            lines.write(frame, simulation).map_err(broken(path))?;
        }
        for (path, lines) in &mut self.fields {
            lines.write(frame, time, simulation).map_err(broken(path))?;
        }
        match &mut self.trace {
            Some(trace) => trace.after_step(simulation),
            None => Ok(()),
        }
    }

    /// Ends all files, and says which there are.
    fn finish(self, report: &EventReport) -> Result<String, Failure> {
        let mut written = Vec::new();
        if let Some((path, lines)) = self.events {
            lines.finish().map_err(broken(&path))?;
            written.push(path);
        }
        for (path, lines) in self.fields {
            lines.finish().map_err(broken(&path))?;
            written.push(path);
        }
        if let Some(trace) = self.trace {
            written.push(trace.finish()?);
        }
        if let Some((path, mut sink)) = self.report {
            serde_json::to_writer_pretty(&mut sink, report).map_err(|e| broken(&path)(e.into()))?;
            sink.write_all(b"\n").and_then(|()| sink.flush()).map_err(broken(&path))?;
            written.push(path);
        }
        let names: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
        Ok(names.join(", "))
    }
}
