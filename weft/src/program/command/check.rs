//! `weft check`: loads a scene and says what is wrong with it or not supported.

use std::path::Path;

use crate::simulation::{ExecutorKind, SimulationOptions};
use scenes::diagnostics::SeverityMode;

use super::characters::{self, CharacterSource};
use super::events::{self, GraphSource};
use super::games::{self, GameSource};
use super::rigs::{self, RigSource};
use super::run::simulation_of;
use super::scene::{Source, count, load_options};
use crate::games::is_tree;
use crate::program::Program;
use crate::program::arguments::CheckArguments;
use crate::program::failure::Failure;
use crate::program::say::{complain, say};

/// Checks a scene.
///
/// # Errors
/// It would not run.
pub fn check(program: &Program, arguments: &CheckArguments) -> Result<(), Failure> {
    if let Some(graph) = GraphSource::find(&arguments.scene)? {
        return events::check(&graph, &arguments.scene.scene);
    }
    if let Some(character) = CharacterSource::find(&arguments.scene)? {
        return characters::check(&character, &arguments.scene.scene);
    }
    if let Some(game) = GameSource::find(&arguments.scene)? {
        return games::check(&game);
    }
    if let Some(rig) = RigSource::find(program, &arguments.scene)? {
        return rigs::check(&rig, &arguments.scene.scene);
    }
    if is_tree(Path::new(&arguments.scene.scene)) {
        return games::check_tree_file(&arguments.scene.scene);
    }
    let source = Source::find(program, &arguments.scene)?;
    let mode = if arguments.scene.lenient { SeverityMode::CHECK_LENIENT } else { SeverityMode::STRICT };
    let name = &arguments.scene.scene;
    let (findings, loaded) = match source.load(&load_options(program, &arguments.scene, mode)) {
        Ok(loaded) => (loaded.diagnostics, Some(loaded.scene)),
        Err(e) => (e.diagnostics, None),
    };
    findings.iter().for_each(|d| complain(&d.to_string()));
    let Some(scene) = loaded else {
        say(&format!("{name}: would not run ({})", count(&findings)));
        return Err(Failure::Said(1, String::new()));
    };
    // What only shows when the scene is taken in: solvers that lack something, cycles of mappings.
    let options = SimulationOptions { executor: ExecutorKind::Sequential, ..SimulationOptions::default() };
    let simulation = simulation_of(name, scene, options)?;
    let census = simulation.census();
    say(&format!(
        "{name}: would run ({}): {} objects, {} degrees of freedom",
        count(&findings),
        census.n_objects,
        census.n_dofs
    ));
    Ok(())
}
