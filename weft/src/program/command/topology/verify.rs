//! `weft topology --verify`: runs a scene and shows on which nodes its objects' pages lie.

use std::fmt::Write;

use crate::simulation::{ObjectMemory, Simulation};
use executors::topology::Topology;
use serde_json::{Value, json};

use crate::program::Program;
use crate::program::arguments::{SceneArguments, TopologyArguments};
use crate::program::command::run::{simulation_of, simulation_options};
use crate::program::command::scene::{Source, load, load_options};
use crate::program::failure::Failure;
use crate::program::say::complain;

/// Runs the scene, and asks the system for its objects' pages.
///
/// # Errors
/// The scene does not run, a step fails, or the system does not tell where pages are.
pub fn verify(
    program: &Program,
    scene: &str,
    arguments: &TopologyArguments,
) -> Result<Vec<ObjectMemory>, Failure> {
    let (options, _) = simulation_options(&arguments.engine, None)?;
    let scene = SceneArguments {
        scene: scene.to_owned(),
        data_paths: arguments.data_paths.clone(),
        set: arguments.set.clone(),
        pieces: None,
        strict: false,
        lenient: false,
    };
    let source = Source::find(program, &scene)?;
    let load_options = load_options(program, &scene, scenes::diagnostics::SeverityMode::NORMAL);
    let loaded = load(&source, &load_options, &scene.scene)?;
    let mut simulation: Simulation = simulation_of(&scene.scene, loaded, options)?;
    simulation.notes().iter().for_each(|note| complain(note));
    for _ in 0..arguments.steps {
        simulation.step().map_err(|failure| Failure::Simulation(failure.to_string()))?;
    }
    simulation.object_memory().map_err(|error| {
        let reason =
            "the system does not tell on which node a page lies (move_pages; some containers refuse it)";
        Failure::Input(format!("{reason}: {error}"))
    })
}

/// The objects for people.
pub fn table(objects: &[ObjectMemory]) -> String {
    let mut text = String::new();
    let width = objects.iter().map(|o| o.path.len()).max().unwrap_or(0).max("object".len());
    let mut row = |name: &str, worker: &str, node: &str, pages: [&dyn std::fmt::Display; 4]| {
        let [all, near, far, untouched] = pages;
        let _ = writeln!(
            text,
            "{name:width$} {worker:>7} {node:>5} {all:>8} {near:>8} {far:>10} {untouched:>10}"
        );
    };
    row("object", "worker", "node", [&"pages", &"there", &"elsewhere", &"untouched"]);
    for o in objects {
        let node = o.node.map_or("-".to_owned(), |n| n.to_string());
        row(&o.path, &o.worker.to_string(), &node, [&o.pages, &o.near, &o.far, &o.untouched]);
    }
    let sum = |of: fn(&ObjectMemory) -> usize| objects.iter().map(of).sum::<usize>();
    row("all", "", "", [&sum(|o| o.pages), &sum(|o| o.near), &sum(|o| o.far), &sum(|o| o.untouched)]);
    if Topology::system().nodes.len() == 1 {
        text.push_str("this machine has one node: every page that was touched lies there\n");
    } else if objects.iter().any(|o| o.node.is_none()) {
        text.push_str("workers are not pinned: their memory is nowhere near in particular\n");
    }
    text
}

/// The objects for programs.
pub fn json(objects: &[ObjectMemory]) -> Value {
    let object = |o: &ObjectMemory| {
        json!({
            "path": o.path, "worker": o.worker, "node": o.node, "pages": o.pages,
            "there": o.near, "elsewhere": o.far, "untouched": o.untouched,
        })
    };
    objects.iter().map(object).collect()
}
