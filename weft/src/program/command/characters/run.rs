//! `weft run` of a character.

use std::io::Write;
use std::time::Instant;

use serde::Serialize;

use super::source::{CharacterSource, clip};
use crate::characters::{CharacterOptions, CharacterSimulation, PoseLines};
use crate::execution::FrameReport;
use crate::output::report::Choices;
use crate::output::statistics::Spread;
use crate::program::arguments::RunArguments;
use crate::program::character_arguments::Skinning;
use crate::program::command::events::{refuse_mechanics, step_ms};
use crate::program::command::run::simulation_options;
use crate::program::command::sink::{broken, create};
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar};
use crate::program::say::say;

/// How many frames a character is run for, if nobody says.
const DEFAULT_FRAMES: u64 = 500;

/// The report: what was run, and how it went, as one JSON object.
#[derive(Debug, Serialize)]
struct CharacterReport {
    scene: String,
    steps: u64,
    dt: f64,
    workers: usize,
    #[serde(flatten)]
    choices: Choices,
    models: usize,
    joints: usize,
    clip: Option<String>,
    interval: u64,
    vertices: usize,
    second_buffer_bytes: usize,
    animated: u64,
    step_ms: Spread,
    seconds: f64,
    interrupted: bool,
    state_hash: String,
}

/// Runs a character.
///
/// # Errors
/// See [`Failure`].
pub fn run(source: &CharacterSource, arguments: &RunArguments) -> Result<(), Failure> {
    refuse_mechanics(&arguments.output, "a character", "--export-pose writes its joints")?;
    for (is_given, name) in [(arguments.output.trace.is_some(), "--trace"), (arguments.compare, "--compare")]
    {
        if is_given {
            return Err(Failure::Usage(format!("{name}: not for characters yet")));
        }
    }
    let (options, choices) = simulation_options(&arguments.engine, arguments.dt)?;
    let of = &arguments.characters;
    let character = source.load()?;
    let clip = clip(&character, of.clip.as_deref())?;
    let interval = of.interval.unwrap_or(1);
    let skins = of.skinning.unwrap_or_default() == Skinning::Cpu;
    let chosen = CharacterOptions { models: source.models, clip, interval, skins };
    let simulation = CharacterSimulation::new(character, &chosen, &options);
    let mut simulation = simulation.map_err(|e| Failure::Input(e.to_string()))?;
    let open = |path: &std::path::PathBuf| create(path).map(|sink| (path.clone(), sink));
    let mut lines = of.export_pose.as_ref().map(open).transpose()?.map(|(p, s)| (p, PoseLines::new(s)));
    let report_file = arguments.output.report.as_ref().map(open).transpose()?;
    let frames = arguments.steps.unwrap_or(DEFAULT_FRAMES);
    let name = &arguments.scene.scene;
    if !arguments.quiet {
        let playing = simulation.clip().map_or("at rest".to_owned(), |c| format!("playing {}", c.name()));
        let (models, dt, n) = (simulation.n_models(), simulation.dt(), simulation.n_workers());
        let executor = &choices.executor;
        say(&format!(
            "{name}: {models} models ({} vertices) {playing}, {frames} frames of {dt} s, {executor} with {n} workers",
            simulation.n_vertices()
        ));
    }
    let interrupt = Interrupt::listen();
    let progress = bar(frames, arguments.quiet);
    let begin = Instant::now();
    let mut history: Vec<FrameReport> = Vec::new();
    while simulation.frames() < frames && !interrupt.came() {
        let frame = simulation.step().map_err(|e| Failure::Simulation(e.to_string()))?;
        if let Some((path, lines)) = &mut lines {
            lines.write(frame.frame, frame.time, &simulation).map_err(broken(path))?;
        }
        history.push(frame);
        progress.set_position(simulation.frames());
    }
    progress.finish_and_clear();
    if let Some((path, lines)) = lines {
        lines.finish().map_err(broken(&path))?;
    }
    let from = history.len().min(arguments.output.report_from as usize);
    let report = CharacterReport {
        scene: name.clone(),
        steps: simulation.frames(),
        dt: simulation.dt(),
        workers: simulation.n_workers(),
        choices,
        models: simulation.n_models(),
        joints: simulation.skeleton().len(),
        clip: simulation.clip().map(|c| c.name().to_owned()),
        interval,
        vertices: simulation.n_vertices(),
        second_buffer_bytes: simulation.second_buffer_bytes(),
        animated: simulation.animated(),
        step_ms: step_ms(&history[from..]),
        seconds: begin.elapsed().as_secs_f64(),
        interrupted: simulation.frames() < frames,
        state_hash: simulation.state_hash(),
    };
    if let Some((path, mut sink)) = report_file {
        serde_json::to_writer_pretty(&mut sink, &report).map_err(|e| broken(&path)(e.into()))?;
        sink.write_all(b"\n").and_then(|()| sink.flush()).map_err(broken(&path))?;
    }
    if !arguments.quiet {
        let s = &report.step_ms;
        let text = format!("median {:.3}, p95 {:.3}, min {:.3}, max {:.3}", s.median, s.p95, s.min, s.max);
        say(&format!("{:14} {text}", "ms per frame"));
    }
    if report.interrupted {
        say(&format!("interrupted after {} of {frames} frames", report.steps));
    }
    let fps = if report.seconds > 0.0 { report.steps as f64 / report.seconds } else { 0.0 };
    say(&format!("{} frames done in {:.3} s ( {fps:.3} FPS)", report.steps, report.seconds));
    Ok(())
}
