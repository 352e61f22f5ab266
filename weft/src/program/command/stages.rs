//! `weft stages`: the stages of one step in order, with their tasks.

use std::fmt::Write;

use super::characters::CharacterSource;
use super::events::GraphSource;
use super::games::GameSource;
use super::rigs::RigSource;
use super::run::{mode, simulation_of};
use super::scene::{Source, load, load_options};
use crate::execution::Stepped;
use crate::program::Program;
use crate::program::arguments::{SceneArguments, StagesArguments};
use crate::program::failure::Failure;
use crate::program::say::say;
use crate::record::{Code, Graph, Names, TaskFacts};
use crate::simulation::{ExecutorKind, SimulationOptions};

/// Objects or pairs of a stage that are shown where not all are asked for.
const SHOWN: usize = 3;

/// Computes a step and shows what it was made of.
///
/// # Errors
/// See [`Failure`].
pub fn stages(program: &Program, arguments: &StagesArguments) -> Result<(), Failure> {
    let mut simulation = simulation(program, &arguments.scene)?;
    for _ in 0..arguments.at_step {
        simulation.step_timed().map_err(Failure::Simulation)?;
    }
    simulation.observe(true);
    simulation.step_timed().map_err(Failure::Simulation)?;
    let names = simulation.names();
    let runs = simulation.record().map(|record| record.runs).unwrap_or_default();
    let mut text = String::new();
    for run in &runs {
        let n_tasks: usize = run.graph.tasks.iter().filter(|t| !t.name.is_empty()).count();
        let _ = writeln!(text, "{}: {n_tasks} tasks", run.phase.name());
        let _ = writeln!(text, "group sweep depth kind       stage            tasks");
        graph(&mut text, &run.graph, &names, if arguments.all { usize::MAX } else { SHOWN });
        text.push('\n');
    }
    if runs.is_empty() {
        text.push_str("this step had no tasks");
    }
    say(text.trim_end());
    Ok(())
}

/// Whatever a name means, if its steps are tasks of the engine.
fn simulation(program: &Program, scene: &SceneArguments) -> Result<Box<dyn Stepped>, Failure> {
    let options = SimulationOptions { executor: ExecutorKind::Sequential, ..SimulationOptions::default() };
    if GameSource::find(scene)?.is_some() {
        let message = format!("{} is a game, which records no tasks on the engine", scene.scene);
        return Err(Failure::Usage(message));
    }
    if let Some(graph) = GraphSource::find(scene)? {
        return Ok(Box::new(graph.plain_simulation(&options)?));
    }
    if let Some(rig) = RigSource::find(program, scene)? {
        return Ok(Box::new(rig.unmeasured_simulation(&options)?));
    }
    if let Some(characters) = CharacterSource::find(scene)? {
        return Ok(Box::new(characters.simulation(&options)?));
    }
    let source = Source::find(program, scene)?;
    let loaded = load(&source, &load_options(program, scene, mode(scene)), &scene.scene)?;
    Ok(Box::new(simulation_of(&scene.scene, loaded, options)?))
}

fn graph(text: &mut String, graph: &Graph, names: &Names, shown: usize) {
    let mut loops = 0_usize;
    for (code, (sweep, depth)) in graph.code.iter().zip(&graph.places) {
        let (group, kind, stage, what) = match code {
            Code::Tasks(numbers) => {
                let tasks: Vec<&TaskFacts> = numbers.iter().map(|&n| &graph.tasks[n as usize]).collect();
                let Some(first) = tasks.first() else { continue };
                let kind = match first.objects.len() {
                    0 => "Replicated",
                    1 => "Own",
                    _ => "Joint",
                };
                (first.group, kind, first.stage, list(&tasks, names, shown))
            }
            Code::Begin { group, .. } => (*group, "BeginLoop", "", String::new()),
            Code::Break { group, .. } => {
                (*group, "Break", "", "leaves the loop if a scalar says so".to_owned())
            }
            Code::End { begin, .. } => {
                loops -= 1;
                let Code::Begin { group, .. } = graph.code[*begin] else { continue };
                (group, "EndLoop", "", "begins the next iteration, up to a number of them".to_owned())
            }
        };
        let stage = format!("{}{stage}", "  ".repeat(loops));
        let line = format!("{group:5} {sweep:5} {depth:5} {kind:10} {stage:16} {what}");
        let _ = writeln!(text, "{}", line.trim_end());
        loops += usize::from(matches!(code, Code::Begin { .. }));
    }
}

/// The tasks of a stage, those of each object or pair together.
fn list(tasks: &[&TaskFacts], names: &Names, shown: usize) -> String {
    let mut words = Vec::new();
    let places: Vec<&[&TaskFacts]> = tasks.chunk_by(|a, b| a.objects == b.objects).collect();
    for place in places.iter().take(shown) {
        let objects: Vec<&str> = place[0].objects.iter().map(|&o| names.object(o)).collect();
        let tasks: Vec<&str> = place.iter().map(|t| t.name).collect();
        let end = if objects.is_empty() { "" } else { ": " };
        words.push(format!("{}{end}{}", objects.join(" + "), tasks.join(", ")));
    }
    if places.len() > shown {
        words.push(format!("and {} more", places.len() - shown));
    }
    words.join("; ")
}
