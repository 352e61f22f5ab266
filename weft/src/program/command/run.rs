//! `weft run`: simulates a scene without a window.

use std::time::Instant;

use crate::output::report::{Choices, Report};
use crate::output::statistics::StepHistory;
use crate::simulation::{
    AccumulateMode, ExecutorKind, NumaMode, PartitionerKind, Simulation, SimulationError, SimulationOptions,
    StepFailure,
};
use clap::ValueEnum;
use engine::graph::Sums;
use scenes::diagnostics::SeverityMode;
use sim_core::scene::Scene;

use super::characters::{self, CharacterSource};
use super::events::{self, GraphSource};
use super::games::{self, GameSource};
use super::machine::machine;
use super::outputs::Outputs;
use super::rigs::{self, RigSource};
use super::scene::{Source, cutting_where_it_pays, load, load_options_summing};
use super::sink::apart;
use super::summary;
use crate::program::Program;
use crate::program::arguments::{
    AT_LEAST_ONE_WORKER, Accumulate, EngineArguments, Executor, ExportSteps, MOST_WORKERS, Numa,
    OutputArguments, Partitioner, RunArguments, SceneArguments, SumKind,
};
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar, stop};
use crate::program::say::{complain, say};

/// Refuses an option of rigs.
///
/// # Errors
/// It was given.
pub fn no_rig(option: Option<&str>) -> Result<(), Failure> {
    match option {
        Some("--export-outputs") => {
            Err(Failure::Usage("--export-outputs: only rigs (.rig files) have outputs".to_owned()))
        }
        Some(option) => {
            Err(Failure::Usage(format!("{option}: only rigs (.rig files) have nodes that it could mean")))
        }
        None => Ok(()),
    }
}

/// Runs a scene.
///
/// # Errors
/// See [`Failure`].
pub fn run(program: &Program, arguments: RunArguments) -> Result<(), Failure> {
    apart(Some(&arguments.scene.scene), arguments.files())?;
    if let Some(character) = CharacterSource::find_with(&arguments.scene, &arguments.characters)? {
        if let Some(option) = arguments.events.given() {
            return Err(Failure::Usage(format!("{option}: only event graphs (X3D files) have events")));
        }
        if !arguments.rigs.export_outputs.is_empty() {
            return Err(Failure::Usage(
                "--export-outputs: a character has joints (--export-pose)".to_owned(),
            ));
        }
        no_rig(arguments.rigs.given())?;
        return characters::run(&character, &arguments);
    }
    if arguments.export_pose.is_some() {
        return Err(Failure::Usage(
            "--export-pose: only characters (glTF, BVH and ozz files) have it".to_owned(),
        ));
    }
    if let Some(graph) = GraphSource::find(&arguments.scene)? {
        if !arguments.rigs.export_outputs.is_empty() {
            return Err(Failure::Usage(
                "--export-outputs: an event graph has fields (--export-fields)".to_owned(),
            ));
        }
        no_rig(arguments.rigs.given())?;
        return events::run(&graph, &arguments);
    }
    if let Some(rig) = RigSource::find(program, &arguments.scene)? {
        if let Some(option) = arguments.events.given_but_fusion() {
            return Err(Failure::Usage(format!("{option}: only event graphs (X3D files) have events")));
        }
        let rig = rig.fused(arguments.events.fusion).threaded(&arguments.rigs.mode);
        return rigs::run(&rig, &arguments);
    }
    if let Some(option) = arguments.events.given() {
        return Err(Failure::Usage(format!("{option}: only event graphs (X3D files) have events")));
    }
    if let Some(game) = GameSource::find(&arguments.scene)? {
        return games::run(&game, &arguments);
    }
    no_rig(arguments.rigs.given())?;
    let (options, choices) = simulation_options(&arguments.engine, arguments.dt)?;
    let source = Source::find(program, &arguments.scene)?;
    let steps = arguments.steps.unwrap_or_else(|| source.default_steps());
    warn_of_steps(&arguments.output, steps);
    let mut outputs = Outputs::open(&arguments.output)?;

    let name = &arguments.scene.scene;
    let sums = arguments.engine.sums;
    let load_options = load_options_summing(program, &arguments.scene, mode(&arguments.scene), sums);
    // What is written is named as the scene names it.
    let writes_states = arguments.output.export_state.is_some() || arguments.output.export_mesh.is_some();
    let load_options = if writes_states { load_options } else { cutting_where_it_pays(load_options) };
    let mut simulation = simulation_of(name, load(&source, &load_options, name)?, options.clone())?;
    let mut one = None;
    if arguments.compare {
        let scene = source.load(&load_options).map_err(|e| Failure::Input(e.to_string()))?.scene;
        one = Some(simulation_of(name, scene, SimulationOptions { threads: 1, ..options })?);
    }
    if !arguments.quiet {
        say(&summary::head(name, &simulation, &choices, steps));
        simulation.notes().iter().for_each(|n| say(n));
    }

    let interrupt = Interrupt::listen();
    outputs.begin(&mut simulation, &arguments.output)?;
    let from = arguments.output.report_from;
    let mut run =
        Run { history: StepHistory::new(from), one_history: StepHistory::new(from), simulation, one };
    let begin = Instant::now();
    let progress = bar(steps, arguments.quiet);
    let ending = run.steps(steps, &mut outputs, &interrupt, &progress);
    progress.finish_and_clear();
    let seconds = begin.elapsed().as_secs_f64();
    let ending = ending?;

    let mut report = Report::new(name, &run.simulation, &run.history, choices);
    report.report_from = from;
    report.seconds = seconds;
    report.interrupted = matches!(ending, Ending::Interrupted);
    if let Ending::Failed(failure) = &ending {
        report.failure = Some(failure.to_string());
    }
    if let Some(one) = &run.one {
        report.compare_with(one, &run.one_history);
    }
    outputs.finish(&run.simulation)?;
    report.compared_states = outputs.compared_states();
    outputs.write_report(&report)?;
    if !arguments.quiet {
        say(&summary::tail(&report, &run.history));
    }
    finish(&ending, &report, &outputs.written(), steps)
}

/// How a run ended.
enum Ending {
    /// With all steps.
    Done,
    /// By Ctrl-C.
    Interrupted,
    /// The simulation failed.
    Failed(Box<StepFailure>),
}

/// The last lines, and the exit code.
fn finish(ending: &Ending, report: &Report, written: &str, wanted: u64) -> Result<(), Failure> {
    match ending {
        Ending::Done => {}
        Ending::Interrupted => {
            let files = if written.is_empty() {
                "no file was asked for".to_owned()
            } else {
                format!("written so far: {written}")
            };
            say(&format!("interrupted after {} of {wanted} steps; {files}", report.steps));
        }
        Ending::Failed(failure) => {
            if !written.is_empty() {
                complain(&format!("written up to step {}: {written}", report.steps));
            }
            return Err(Failure::Simulation(failure.to_string()));
        }
    }
    let fps = if report.seconds > 0.0 { report.steps as f64 / report.seconds } else { 0.0 };
    say(&format!("{} iterations done in {:.3} s ( {fps:.3} FPS)", report.steps, report.seconds));
    Ok(())
}

/// A run on its way.
struct Run {
    simulation: Simulation,
    history: StepHistory,
    /// The same with one worker, to compare.
    one: Option<Simulation>,
    one_history: StepHistory,
}

impl Run {
    /// Steps to the end, or until something ends it.
    fn steps(
        &mut self,
        n: u64,
        outputs: &mut Outputs,
        interrupt: &Interrupt,
        progress: &indicatif::ProgressBar,
    ) -> Result<Ending, Failure> {
        while self.simulation.step_index() < n {
            if interrupt.came() {
                return Ok(Ending::Interrupted);
            }
            outputs.before_step(&mut self.simulation)?;
            if let Err(failure) = self.step() {
                return Ok(Ending::Failed(Box::new(failure)));
            }
            outputs.after_step(&mut self.simulation)?;
            progress.set_position(self.simulation.step_index());
        }
        Ok(Ending::Done)
    }

    /// One step; of one worker too, first or last in turn, so that neither always finds the warmer cache.
    fn step(&mut self) -> Result<(), StepFailure> {
        let Some(one) = &mut self.one else {
            self.history.push(self.simulation.step()?);
            return Ok(());
        };
        if self.simulation.step_index().is_multiple_of(2) {
            self.history.push(self.simulation.step()?);
            self.one_history.push(one.step()?);
        } else {
            self.one_history.push(one.step()?);
            self.history.push(self.simulation.step()?);
        }
        Ok(())
    }
}

pub(super) fn simulation_of(
    name: &str,
    scene: Scene,
    options: SimulationOptions,
) -> Result<Simulation, Failure> {
    Simulation::new(scene, options).map_err(|e| match e {
        SimulationError::Option(text) => Failure::Usage(text),
        SimulationError::Component(found) => {
            complain(&found.to_string());
            Failure::said([found])
        }
        e => Failure::Input(format!("{name}: {e}")),
    })
}

pub(super) fn mode(scene: &SceneArguments) -> SeverityMode {
    match (scene.strict, scene.lenient) {
        (true, _) => SeverityMode::STRICT,
        (_, true) => SeverityMode::LENIENT,
        _ => SeverityMode::NORMAL,
    }
}

fn warn_of_steps(output: &OutputArguments, steps: u64) {
    if let Some(last) = output.export_steps.as_ref().and_then(ExportSteps::last)
        && last > steps
    {
        complain(&format!("warning: step {last} is to be exported, but the run ends at step {steps}"));
    }
    let from = output.report_from;
    if from > 0 && from >= steps {
        complain(&format!("warning: --report-from {from} leaves none of the {steps} steps to report on"));
    }
}

/// The simulation's options, and what the command line calls them.
pub(super) fn simulation_options(
    engine: &EngineArguments,
    dt: Option<f64>,
) -> Result<(SimulationOptions, Choices), Failure> {
    simulation_options_by(engine, dt, Executor::Replay)
}

/// The same where another executor than usual is the one that is taken if nobody says which.
pub(super) fn simulation_options_by(
    engine: &EngineArguments,
    dt: Option<f64>,
    usual: Executor,
) -> Result<(SimulationOptions, Choices), Failure> {
    if engine.threads == Some(0) {
        let text = "; only characters (glTF, BVH and ozz files) are played without";
        return Err(Failure::Usage(format!("--threads 0: {AT_LEAST_ONE_WORKER}{text}")));
    }
    let executor = executor(engine.executor.unwrap_or(usual))?;
    let partitioner = engine.partitioner.unwrap_or(Partitioner::Metis);
    let topology = machine(&engine.machine)?;
    let default_workers = || {
        let described = topology.as_ref().map(|t| t.cores.len().min(MOST_WORKERS));
        described.unwrap_or_else(crate::simulation::default_workers)
    };
    let mut threads = engine.threads.unwrap_or_else(default_workers);
    if executor == Executor::Sequential {
        if engine.threads.is_some_and(|t| t > 1) {
            complain("the sequential executor has one worker, whatever --threads says");
        }
        threads = 1;
    }
    let options = SimulationOptions {
        executor: match executor {
            Executor::Replay => ExecutorKind::Replay,
            Executor::Sequential => ExecutorKind::Sequential,
            Executor::Stealing => ExecutorKind::Stealing,
            Executor::ForkJoin => ExecutorKind::ForkJoin,
        },
        partitioner: match partitioner {
            Partitioner::Owner => PartitionerKind::Owner,
            Partitioner::Metis => PartitionerKind::Metis,
        },
        threads,
        accumulate: match engine.accumulate {
            Accumulate::Auto => AccumulateMode::Auto,
            Accumulate::Mirror => AccumulateMode::Mirror,
            Accumulate::Reduce => AccumulateMode::Reduce,
        },
        sums: match engine.sums {
            SumKind::Blocked => Sums::Blocked,
            SumKind::Sofa => Sums::Sofa,
        },
        dt,
        pin: !engine.no_pin,
        topology,
        numa: match engine.numa {
            Numa::Auto => NumaMode::Auto,
            Numa::Force => NumaMode::Force,
            Numa::Off => NumaMode::Off,
        },
        spin_us: engine.spin,
        stop: stop(),
        ..SimulationOptions::default()
    };
    let choices = Choices {
        executor: word(executor),
        partitioner: word(partitioner),
        accumulate: word(engine.accumulate),
        sums: word(engine.sums),
    };
    Ok((options, choices))
}

/// What the command line calls a choice.
fn word(choice: impl ValueEnum) -> String {
    choice.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default()
}

/// The executor: the environment variable WEFT_EXECUTOR wins over the option.
fn executor(option: Executor) -> Result<Executor, Failure> {
    let Some(value) = std::env::var_os("WEFT_EXECUTOR").filter(|v| !v.is_empty()) else { return Ok(option) };
    let name = value.to_string_lossy();
    let Ok(chosen) = Executor::from_str(&name, true) else {
        let message =
            format!("WEFT_EXECUTOR is `{name}`; it must be replay, sequential, stealing or fork-join");
        return Err(Failure::Usage(message));
    };
    complain(&format!("executor: {} (WEFT_EXECUTOR)", word(chosen)));
    Ok(chosen)
}
