//! `weft profile`: where the time of a scene's steps goes; two profiles side by side.

use std::path::{Path, PathBuf};

use super::characters::{self, CharacterSource};
use super::events::{GraphSource, executor_of, mode_options};
use super::games::{self, GameSource};
use super::rigs::{DEFAULT_FRAMES, RigSource};
use super::run::{mode, no_rig, simulation_of, simulation_options_by};
use super::scene::{Source, cutting_where_it_pays, load, load_options_summing, tell_of_files};
use super::sink::{Sink, apart, broken, create};
use super::summary;
use crate::execution::Stepped;
use crate::output::report::Choices;
use crate::output::trace::ChromeTrace;
use crate::profile::{self, Accounts, FORMAT, Kept, PathOfStep, Profile, Setting, StepAnalysis};
use crate::program::Program;
use crate::program::arguments::{ProfileArguments, SceneArguments};
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar};
use crate::program::say::{complain, say};
use crate::record::{Names, StepRecord};

/// Events that a trace holds at most: some hundred megabytes, which Perfetto still opens.
const MOST_EVENTS: u64 = 500_000;

/// Profiles a scene, or compares two profiles.
///
/// # Errors
/// See [`Failure`].
pub fn profile(program: &Program, arguments: &ProfileArguments) -> Result<(), Failure> {
    if let Some([a, b]) = arguments.compare.as_deref() {
        let (first, second) = (read(program, a)?, read(program, b)?);
        let names = [a.display().to_string(), b.display().to_string()];
        say(&profile::comparison([&names[0], &names[1]], &first, &second));
        return Ok(());
    }
    match &arguments.scene {
        Some(scene) => {
            let files =
                [("--html", &arguments.html), ("--json", &arguments.json), ("--trace", &arguments.trace)];
            apart(Some(&scene.scene), files.into_iter().filter_map(|(o, p)| Some((o, p.as_deref()?))))?;
            run(program, arguments, scene)
        }
        None => Err(Failure::Usage("a scene is needed, or --compare A.json B.json".to_owned())),
    }
}

fn read(program: &Program, path: &Path) -> Result<Profile, Failure> {
    let wrong = |e: String| Failure::Input(format!("{}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
    if value["format"] != FORMAT {
        return Err(wrong(format!(
            "it is no profile that `{} profile --json` of this version wrote ({FORMAT})",
            program.name
        )));
    }
    serde_json::from_value(value).map_err(|e| wrong(e.to_string()))
}

/// The files of a profiled run.
struct Files {
    html: Option<(PathBuf, Sink)>,
    json: Option<(PathBuf, Sink)>,
    trace: Option<(PathBuf, ChromeTrace<Sink>)>,
}

impl Files {
    /// Opens them, so that a path that cannot be written is known before the first step.
    fn open(arguments: &ProfileArguments, rows: &[String]) -> Result<Self, Failure> {
        let file = |path: &Option<PathBuf>| {
            path.as_ref().map(|path| create(path).map(|sink| (path.clone(), sink))).transpose()
        };
        let (html, json) = (file(&arguments.html)?, file(&arguments.json)?);
        let trace = match file(&arguments.trace)? {
            Some((path, sink)) => {
                let trace = ChromeTrace::begin(sink, rows).map_err(broken(&path))?;
                Some((path, trace))
            }
            None => None,
        };
        Ok(Self { html, json, trace })
    }

    /// Adds a step to the trace, as long as there is room.
    fn step(&mut self, record: &StepRecord, analysis: &StepAnalysis, names: &Names) -> Result<(), Failure> {
        let Some((path, trace)) = &mut self.trace else { return Ok(()) };
        if trace.n_events() > MOST_EVENTS {
            return Ok(());
        }
        for event in profile::trace_events(record, &analysis.waiting, &analysis.chains, names) {
            trace.event(&event).map_err(broken(path))?;
        }
        if trace.n_events() > MOST_EVENTS {
            log::warn!(
                "the trace ends with step {}: it is full, with {MOST_EVENTS} events (--report-from chooses its first step)",
                record.step
            );
        }
        Ok(())
    }

    /// Writes what is asked for.
    fn finish(self, profile: &Profile, names: &Names, kept: &Kept) -> Result<(), Failure> {
        use std::io::Write;
        if let Some((path, mut sink)) = self.html {
            let steps = [("median", kept.middle()), ("slowest", kept.slowest()), ("fastest", kept.fastest())];
            let mut shown: Vec<(&str, &StepRecord, &StepAnalysis)> = Vec::new();
            for (title, step) in steps {
                if let Some((record, analysis)) = step.filter(|s| shown.iter().all(|t| t.1.step != s.0.step))
                {
                    shown.push((title, record, analysis));
                }
            }
            let written = profile::write_page(&mut sink, profile, names, &shown);
            written.and_then(|()| sink.flush()).map_err(broken(&path))?;
        }
        if let Some((path, mut sink)) = self.json {
            serde_json::to_writer_pretty(&mut sink, profile).map_err(|e| broken(&path)(e.into()))?;
            sink.write_all(b"\n").and_then(|()| sink.flush()).map_err(broken(&path))?;
        }
        if let Some((path, trace)) = self.trace {
            trace.end().map_err(broken(&path))?;
        }
        Ok(())
    }
}

fn no_events(arguments: &ProfileArguments) -> Result<(), Failure> {
    let refused = |option| Failure::Usage(format!("{option}: only event graphs (X3D files) have events"));
    arguments.events.given().map_or(Ok(()), |option| Err(refused(option)))
}

fn run(program: &Program, arguments: &ProfileArguments, scene: &SceneArguments) -> Result<(), Failure> {
    if let Some(game) = GameSource::find(scene)? {
        no_rig(arguments.rigs.given())?;
        no_events(arguments)?;
        return games::profile(&game, arguments);
    }
    let usual = executor_of(arguments.events.strategy);
    let source = CharacterSource::find(scene)?;
    let (options, mut choices) = match &source {
        Some(source) => characters::options(source, &arguments.engine, arguments.dt)?,
        None => simulation_options_by(&arguments.engine, arguments.dt, usual)?,
    };
    let name = &scene.scene;
    let (mut is_graph, mut is_rig) = (false, false);
    let (mut simulation, default_steps): (Box<dyn Stepped>, u64) =
        if let Some(graph) = GraphSource::find(scene)? {
            is_graph = true;
            let mut simulation = graph.simulation(mode_options(&arguments.events, None)?, &options)?;
            simulation.prepare();
            (Box::new(simulation), graph.default_frames())
        } else if let Some(rig) = RigSource::find(program, scene)? {
            choices = rig.choices(&arguments.engine, choices);
            is_rig = true;
            let rig = rig.fused(arguments.fusion).threaded(&arguments.rigs);
            (Box::new(rig.simulation(&options)?), DEFAULT_FRAMES)
        } else if let Some(source) = source {
            (Box::new(source.simulation(&options)?), DEFAULT_FRAMES)
        } else {
            let source = Source::find(program, scene)?;
            let load_options = load_options_summing(program, scene, mode(scene), arguments.engine.sums);
            let scene = load(&source, &cutting_where_it_pays(load_options), name)?;
            tell_of_files(&scene);
            (Box::new(simulation_of(name, scene, options)?), source.default_steps())
        };
    if arguments.fusion.is_some() && !is_rig {
        return Err(Failure::Usage("--fusion: only nodes of rigs are profiled one by one".to_owned()));
    }
    if !is_rig {
        no_rig(arguments.rigs.given())?;
    }
    if !is_graph {
        no_events(arguments)?;
    }
    for node in &arguments.why {
        // A name that is not there is known before the first step.
        simulation.why(node).map_err(|e| Failure::Usage(format!("--why {node}: {e}")))?;
    }
    let steps = arguments.steps.unwrap_or(default_steps);
    if arguments.report_from >= steps {
        let message = format!("--report-from {} leaves none of the {steps} steps", arguments.report_from);
        return Err(Failure::Usage(message));
    }
    let names = simulation.names();
    let mut files = Files::open(arguments, &profile::rows(simulation.workers(), true))?;
    if !arguments.quiet {
        say(&summary::head(name, &*simulation, &choices, steps));
        simulation.notes().iter().for_each(|n| say(n));
    }

    let interrupt = Interrupt::listen();
    let progress = bar(steps, arguments.quiet);
    let (mut accounts, mut kept) = (Accounts::default(), Kept::default());
    let mut failure = None;
    while simulation.steps_done() < steps && !interrupt.came() {
        if simulation.steps_done() == arguments.report_from {
            simulation.observe(true);
        }
        if let Err(e) = simulation.step_timed() {
            failure = Some(e);
            break;
        }
        if let Some(record) = simulation.record().filter(StepRecord::is_complete) {
            let analysis = StepAnalysis::of(&record);
            accounts.add(&record, &analysis);
            files.step(&record, &analysis, &names)?;
            kept.offer(record, analysis);
        }
        progress.set_position(simulation.steps_done());
    }
    progress.finish_and_clear();
    if accounts.n_steps() == 0 {
        complain("no step was profiled");
    }
    let middle = kept.middle().map_or_else(PathOfStep::default, |(r, a)| profile::path_of_step(r, a, &names));
    let setting = setting(name, &choices, arguments.report_from, &*simulation);
    let mut profile = accounts.profile(setting, &names, middle);
    profile.amdahl = simulation.has_cascade().then(|| accounts.amdahl(simulation.workers()));
    files.finish(&profile, &names, &kept)?;
    if !arguments.quiet {
        say(&profile::text(&profile));
        if let Some(table) = simulation.further_table() {
            say(&format!("\n{table}"));
        }
    }
    for node in &arguments.why {
        say(&format!("\nwhy `{node}`"));
        simulation.why(node).unwrap_or_default().iter().for_each(|line| say(&format!("  {line}")));
    }
    failure.map_or(Ok(()), |f| Err(Failure::Simulation(f)))
}

fn setting(scene: &str, choices: &Choices, report_from: u64, simulation: &dyn Stepped) -> Setting {
    Setting {
        scene: scene.to_owned(),
        executor: choices.executor.clone(),
        partitioner: choices.partitioner.clone(),
        accumulate: choices.accumulate.clone(),
        workers: simulation.workers(),
        threads: simulation.threads_started(),
        objects: simulation.n_objects(),
        steps: simulation.steps_done(),
        report_from,
    }
}
