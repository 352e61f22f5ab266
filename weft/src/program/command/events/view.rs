//! `weft view` of an event graph: in a window, or pictures of it without one.

use std::path::Path;

use animation::event::runtime::EventOptions;
use viewer::window::{Camcorder, CanvasError, Pictures, WindowOptions, open};

use super::source::GraphSource;
use crate::events::EventSimulation;
use crate::events::live::LiveEvents;
use crate::events::seen::{shapes, snapshot, viewed};
use crate::live::{self, Beginning};
use crate::program::arguments::ViewArguments;
use crate::program::command::run::simulation_options;
use crate::program::command::view::{Film, title};
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar};
use crate::program::say::{complain, say};

/// Opens the window, or takes pictures. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view(source: GraphSource, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    if let Some(path) = &arguments.screenshot {
        return screenshot(&source, arguments, path).map(Ok);
    }
    if let Some(path) = &arguments.video {
        return video(&source, arguments, path).map(Ok);
    }
    if let Err(e) = viewer::window::is_possible() {
        return Ok(Err(e));
    }
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    let execution = options.execution();
    let make = move || source.simulation(EventOptions::default(), &options);
    let beginning = Beginning { running: false, paced: !arguments.fast };
    let (live, seen, link) = LiveEvents::start(&title(arguments), beginning, execution, Box::new(make))?;
    let options = WindowOptions {
        size: arguments.size,
        start: !arguments.paused,
        paced: beginning.paced,
        choices: live::choices(),
        leaves_a_core: arguments.engine.threads.is_none(),
        ..WindowOptions::default()
    };
    let result = open(&seen, link, &options);
    live.join();
    match result {
        Err(e @ CanvasError::Lost(_)) => Err(Failure::Input(e.to_string())),
        result => Ok(result),
    }
}

fn simulation(source: &GraphSource, arguments: &ViewArguments) -> Result<EventSimulation, Failure> {
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    source.simulation(EventOptions::default(), &options)
}

/// A camera that sees what there is, where it is now.
fn camcorder(
    arguments: &ViewArguments,
    simulation: &EventSimulation,
    size: [u32; 2],
    pictures: Pictures,
) -> Result<Camcorder, Failure> {
    let shapes = shapes(simulation);
    let states = snapshot(simulation, &shapes).states;
    Camcorder::new(&viewed(&title(arguments), &shapes), &states, size, pictures)
        .map_err(|e| Failure::Input(e.to_string()))
}

fn step(simulation: &mut EventSimulation) -> Result<(), Failure> {
    simulation.step().map_err(|e| Failure::Simulation(e.to_string()))?;
    for said in simulation.take_said() {
        complain(&said.to_string());
    }
    Ok(())
}

fn screenshot(source: &GraphSource, arguments: &ViewArguments, path: &Path) -> Result<(), Failure> {
    let mut simulation = simulation(source, arguments)?;
    let interrupt = Interrupt::listen();
    let progress = bar(arguments.at_step, false);
    while simulation.frames() < arguments.at_step && !interrupt.came() {
        step(&mut simulation)?;
        progress.set_position(simulation.frames());
    }
    progress.finish_and_clear();
    let mut camcorder = camcorder(arguments, &simulation, arguments.size, Pictures::Few)?;
    let picture = camcorder.picture(&snapshot(&simulation, &shapes(&simulation)));
    picture.and_then(|p| p.save(path)).map_err(|e| Failure::Input(e.to_string()))?;
    say(&format!("frame {}: saved {}", simulation.frames(), path.display()));
    Ok(())
}

fn video(source: &GraphSource, arguments: &ViewArguments, path: &Path) -> Result<(), Failure> {
    let mut simulation = simulation(source, arguments)?;
    let frames = arguments.steps.unwrap_or_else(|| source.default_frames());
    // The usual coding of colors wants even sizes.
    let size = arguments.size.map(|n| n & !1);
    let mut film = Film::open(path, size, arguments.fps)?;
    let mut camcorder = camcorder(arguments, &simulation, size, Pictures::Many)?;
    let (mut seen, mut version) = (shapes(&simulation), simulation.graph().version());
    let interrupt = Interrupt::listen();
    let progress = bar(frames, false);
    let mut pictures = 0;
    loop {
        if simulation.time() * f64::from(arguments.fps) >= pictures as f64 - 1e-9 {
            let mut shot = snapshot(&simulation, &seen);
            if version != simulation.graph().version() {
                version = simulation.graph().version();
                seen = shapes(&simulation);
                shot = snapshot(&simulation, &seen);
                shot.changed = std::sync::Arc::new(viewed(&title(arguments), &seen).surfaces);
            }
            let picture = camcorder.picture(&shot).map_err(|e| Failure::Input(e.to_string()))?;
            film.add(path, pictures, &picture)?;
            pictures += 1;
        }
        if simulation.frames() >= frames || interrupt.came() {
            break;
        }
        step(&mut simulation)?;
        progress.set_position(simulation.frames());
    }
    progress.finish_and_clear();
    film.close()?;
    say(&format!("{} frames, {pictures} pictures: saved {}", simulation.frames(), path.display()));
    Ok(())
}
