//! `weft view`: a scene in a window, or pictures of it without one.

use viewer::window::CanvasError;

use super::characters::{self, CharacterSource};
use super::events::{self, GraphSource};
use super::games::{self, GameSource};
use super::pictures::{pictures, title};
use super::rigs::{self, RigSource};
use super::run::{mode, run, simulation_of, simulation_options};
use super::scene::{Source, cutting_where_it_pays, load, load_options_summing, tell_of_files};
use super::window;
use crate::live::{Live, choices};
use crate::program::Program;
use crate::program::arguments::{RunArguments, ViewArguments};
use crate::program::failure::Failure;
use crate::program::say::complain;
use crate::simulation::Simulation;

/// Opens the window, or takes pictures.
///
/// # Errors
/// See [`Failure`].
pub fn view(program: &Program, arguments: &ViewArguments) -> Result<(), Failure> {
    let no_window = |e: CanvasError| {
        let hint = "simulates without a window; --screenshot and --video need no display";
        Failure::Input(format!("{e}; `{} run` {hint}", program.name))
    };
    if let Some(source) = CharacterSource::find_with(&arguments.scene, &arguments.characters)? {
        if arguments.export_events.is_some() {
            return Err(Failure::Usage("--export-events: characters have no events".to_owned()));
        }
        return characters::view(source, arguments)?.map_err(no_window);
    }
    if let Some(graph) = GraphSource::find(&arguments.scene)? {
        return events::view(graph, arguments)?.map_err(no_window);
    }
    if arguments.export_events.is_some() {
        return Err(Failure::Usage("--export-events: only event graphs (X3D files) have events".to_owned()));
    }
    if let Some(game) = GameSource::find(&arguments.scene)? {
        return games::view(game, arguments)?.map_err(no_window);
    }
    if let Some(rig) = RigSource::find(program, &arguments.scene)? {
        return rigs::view(rig, arguments)?.map_err(no_window);
    }
    if arguments.screenshot.is_some() || arguments.video.is_some() {
        let (simulation, default_steps) = simulation(program, arguments)?;
        return pictures(arguments, default_steps, || Ok(simulation)).map(drop);
    }
    physics(program, arguments)?.map_err(no_window)
}

/// What `weft` without a command does: the window on the gallery's `falling` where there is a display, else without.
///
/// # Errors
/// See [`Failure`].
pub fn front(program: &Program) -> Result<(), Failure> {
    match physics(program, &ViewArguments::default())? {
        Ok(()) => Ok(()),
        Err(e) => {
            complain(&format!("{e}; running without a window"));
            run(program, RunArguments::default())
        }
    }
}

/// Runs until the window is closed; the inner error is that none can be opened.
fn physics(program: &Program, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    window::window(arguments, choices(), |beginning| {
        let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
        let source = Source::find(program, &arguments.scene)?;
        let sums = arguments.engine.sums;
        let load_options = load_options_summing(program, &arguments.scene, mode(&arguments.scene), sums);
        let name = arguments.scene.scene.clone();
        let mut told = false;
        let make = move || {
            let scene = if told {
                source.load(&load_options).map_err(|e| Failure::Input(e.to_string()))?.scene
            } else {
                let scene = load(&source, &load_options, &name)?;
                tell_of_files(&scene);
                scene
            };
            told = true;
            simulation_of(&name, scene, options.clone())
        };
        let (live, viewed, link) = Live::start(&title(arguments), beginning, make)?;
        Ok((|| live.join(), viewed, link))
    })
}

/// A simulation for pictures, and for how many steps it runs if nobody says.
fn simulation(program: &Program, arguments: &ViewArguments) -> Result<(Simulation, u64), Failure> {
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    let source = Source::find(program, &arguments.scene)?;
    let name = &arguments.scene.scene;
    let sums = arguments.engine.sums;
    let load_options = load_options_summing(program, &arguments.scene, mode(&arguments.scene), sums);
    // Nobody edits what is only taken pictures of.
    let scene = load(&source, &cutting_where_it_pays(load_options), name)?;
    Ok((simulation_of(name, scene, options)?, source.default_steps()))
}
