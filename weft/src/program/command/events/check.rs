//! `weft check` of an X3D file.

use animation::event::runtime::EventOptions;
use scenes::diagnostics::Severity;

use super::silent::{tell_of_inert_nodes, tell_of_silent_nodes};
use super::source::{GraphSource, of_scene};
use crate::execution::{ExecutorKind, SimulationOptions};
use crate::program::command::scene::count;
use crate::program::failure::Failure;
use crate::program::say::{complain, say};

/// Checks an event graph: loads it and puts it into tasks.
///
/// # Errors
/// It would not run, or not as it is written.
pub fn check(source: &GraphSource, name: &str) -> Result<(), Failure> {
    let loaded = match source.load() {
        Ok(loaded) => loaded,
        Err(found) => {
            found.iter().for_each(|d| complain(&d.to_string()));
            say(&format!("{name}: would not run ({})", count(&found)));
            return Err(Failure::Said(1, String::new()));
        }
    };
    let mut found = loaded.diagnostics.clone();
    found.extend(x3d::script::check(&loaded.scene));
    found.iter().for_each(|d| complain(&d.to_string()));
    tell_of_silent_nodes(&loaded.scene, false);
    tell_of_inert_nodes(&loaded.scene);
    let (nodes, routes) = (loaded.scene.nodes.len(), loaded.scene.routes.len());
    let contexts = loaded.scene.contexts.len();
    let options = SimulationOptions { executor: ExecutorKind::Sequential, ..SimulationOptions::default() };
    let mut simulation = of_scene(loaded, EventOptions::default(), &options);
    simulation.prepare();
    let bodies = simulation.begin_bodies();
    found.extend(simulation.take_said().into_iter().inspect(|d| complain(&d.to_string())));
    if let Err(message) = &bodies {
        complain(&format!("error: {message}"));
    }
    let graph = simulation.graph();
    for cycle in graph.cycles() {
        complain(&format!("note: events run in a circle, once round per frame: {cycle}"));
    }
    let has_errors = bodies.is_err() || found.iter().any(|d| d.severity == Severity::Error);
    say(&format!(
        "{name}: would run{} ({}): {nodes} nodes and {routes} routes in {contexts} {}; {} tasks on {} levels",
        if has_errors { " without what the errors are about" } else { "" },
        count(&found),
        if contexts == 1 { "context" } else { "contexts" },
        graph.n_tasks(),
        graph.n_levels()
    ));
    if has_errors { Err(Failure::Said(1, String::new())) } else { Ok(()) }
}
