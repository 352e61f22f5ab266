//! `weft run` of a rig.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use super::report::RigReport;
use super::source::{DEFAULT_FRAMES, RigSource};
use crate::execution::{FrameFailure, FrameReport, SimulationOptions};
use crate::program::arguments::RunArguments;
use crate::program::command::events::{Compared, refuse_mechanics};
use crate::program::command::run::simulation_options;
use crate::program::command::sink::{Sink, broken, create};
use crate::program::command::summary;
use crate::program::command::trace_file::TraceFile;
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar};
use crate::program::say::{complain, say};
use crate::rigs::{OutputLines, RigSimulation};

/// Runs a rig.
///
/// # Errors
/// See [`Failure`].
pub fn run(source: &RigSource, arguments: &RunArguments) -> Result<(), Failure> {
    refuse_mechanics(&arguments.output, "a rig", "--export-outputs writes what it computes")?;
    let (options, choices) = simulation_options(&arguments.engine, arguments.dt)?;
    let frames = arguments.steps.unwrap_or(DEFAULT_FRAMES);
    let name = &arguments.scene.scene;
    let mut simulation = source.simulation(&options)?;
    let mut files = Files::open(arguments, &simulation)?;
    let mut one = None;
    if arguments.compare {
        let options = SimulationOptions { threads: 1, ..options };
        one = Some((source.simulation(&options)?, Vec::new()));
    }
    if !arguments.quiet {
        say(&summary::head(name, &simulation, &choices, frames));
        crate::execution::Stepped::notes(&simulation).iter().for_each(|n| say(n));
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

    let from = arguments.output.report_from;
    let mut report = RigReport::new(name, &simulation, &history, from, choices);
    report.seconds = begin.elapsed().as_secs_f64();
    report.interrupted = failure.is_none() && simulation.frames() < frames;
    report.failure = failure.as_ref().map(ToString::to_string);
    report.compare = one.map(|(one, history): (RigSimulation, Vec<FrameReport>)| {
        let chosen = &history[history.len().min(from as usize)..];
        Compared::of(&report.step_ms, chosen, report.state_hash == one.state_hash())
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

/// One frame; of one worker too, first or last in turn, so that neither always finds the warmer cache.
fn frame(
    simulation: &mut RigSimulation,
    history: &mut Vec<FrameReport>,
    one: &mut Option<(RigSimulation, Vec<FrameReport>)>,
) -> Result<(), FrameFailure> {
    let is_first = simulation.frames().is_multiple_of(2);
    let mut other = |turn: bool| -> Result<(), FrameFailure> {
        if let Some((one, frames)) = one.as_mut().filter(|_| turn) {
            frames.push(one.step()?);
        }
        Ok(())
    };
    other(!is_first)?;
    history.push(simulation.step()?);
    other(is_first)
}

/// The files of a run.
struct Files {
    outputs: Vec<(PathBuf, OutputLines<Sink>)>,
    trace: Option<TraceFile>,
    report: Option<(PathBuf, Sink)>,
}

impl Files {
    /// Opens them, so that a path that cannot be written, or an output that is not there, is known before the first frame.
    fn open(arguments: &RunArguments, simulation: &RigSimulation) -> Result<Self, Failure> {
        let mut outputs = Vec::new();
        for export in &arguments.rigs.export_outputs {
            let lines = OutputLines::new(create(&export.path)?, simulation.rig(), &export.names);
            let lines = lines.map_err(|e| {
                let meant = e.suggestion().map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
                Failure::Usage(format!("--export-outputs: {e}{meant}"))
            })?;
            outputs.push((export.path.clone(), lines));
        }
        let trace = match &arguments.output.trace {
            Some(path) => Some(TraceFile::begin(path, arguments.output.report_from, simulation)?),
            None => None,
        };
        let open = |path: &PathBuf| create(path).map(|sink| (path.clone(), sink));
        Ok(Self { outputs, trace, report: arguments.output.report.as_ref().map(open).transpose()? })
    }

    fn before_frame(&mut self, simulation: &mut RigSimulation) {
        if let Some(trace) = &mut self.trace {
            trace.before_step(simulation);
        }
    }

    fn after_frame(&mut self, simulation: &mut RigSimulation) -> Result<(), Failure> {
        let frame = simulation.frames() - 1;
        let time = frame as f64 * simulation.dt();
        for (path, lines) in &mut self.outputs {
            lines.write(frame, time, simulation).map_err(broken(path))?;
        }
        match &mut self.trace {
            Some(trace) => trace.after_step(simulation),
            None => Ok(()),
        }
    }

    /// Writes what is left; says which files there are.
    fn finish(self, report: &RigReport) -> Result<String, Failure> {
        let mut written = Vec::new();
        for (path, lines) in self.outputs {
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
