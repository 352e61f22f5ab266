//! A run frame by frame, from the first frame to the report.

use std::time::Instant;

use super::exports::Exports;
use super::files::Files;
use super::report::{FrameByFrame, Report};
use crate::execution::{FrameFailure, FrameReport};
use crate::output::report::Choices;
use crate::program::arguments::RunArguments;
use crate::program::command::summary;
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar};
use crate::program::say::{complain, say};

/// What is run, and the frames that it has computed.
struct Series<S> {
    simulation: S,
    frames: Vec<FrameReport>,
}

impl<S: FrameByFrame> Series<S> {
    fn of(simulation: S) -> Self {
        Self { simulation, frames: Vec::new() }
    }

    fn frame(&mut self) -> Result<(), FrameFailure> {
        self.frames.push(self.simulation.frame()?);
        Ok(())
    }
}

/// Runs so many frames, and beside them the same on one worker, if it is there; writes files, and says how it went.
///
/// # Errors
/// See [`Failure`].
pub fn run_frames<S: FrameByFrame, E: Exports<S>>(
    arguments: &RunArguments,
    choices: Choices,
    frames: u64,
    (simulation, one): (S, Option<S>),
    exports: E,
) -> Result<(), Failure> {
    let name = &arguments.scene.scene;
    let (mut all, mut one) = (Series::of(simulation), one.map(Series::of));
    let mut files = Files::open(&arguments.output, exports, &all.simulation)?;
    if !arguments.quiet {
        say(&summary::head(name, &all.simulation, &choices, frames));
        all.simulation.notes().iter().for_each(|n| say(n));
    }
    let interrupt = Interrupt::listen();
    let progress = bar(frames, arguments.quiet);
    let begin = Instant::now();
    let mut failure = None;
    while all.simulation.steps_done() < frames && !interrupt.came() {
        files.before_frame(&mut all.simulation);
        if let Err(e) = frame(&mut all, &mut one) {
            failure = Some(e);
            break;
        }
        files.after_frame(&mut all.simulation)?;
        progress.set_position(all.simulation.steps_done());
    }
    progress.finish_and_clear();

    let mut report = Report::new(name, &all.simulation, &all.frames, arguments.output.report_from, choices);
    report.seconds = begin.elapsed().as_secs_f64();
    report.interrupted = failure.is_none() && report.steps < frames;
    report.failure = failure.as_ref().map(ToString::to_string);
    if files.has_report() || one.is_some() {
        report.state_hash = Some(all.simulation.hash());
    }
    if let Some(one) = &mut one {
        report.compare(&one.frames, &one.simulation.hash());
        report.find_bound(&mut one.simulation);
    }
    if failure.is_none() {
        all.simulation.end();
        all.simulation.take_lines().iter().for_each(|line| complain(line));
    }
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
fn frame<S: FrameByFrame>(all: &mut Series<S>, one: &mut Option<Series<S>>) -> Result<(), FrameFailure> {
    let is_first = all.simulation.steps_done().is_multiple_of(2);
    let mut other = |turn: bool| -> Result<(), FrameFailure> {
        if let Some(one) = one.as_mut().filter(|_| turn) {
            one.frame()?;
            // The other says the same.
            one.simulation.take_lines();
        }
        Ok(())
    };
    other(!is_first)?;
    all.frame()?;
    other(is_first)?;
    all.simulation.take_lines().iter().for_each(|line| complain(line));
    Ok(())
}
