//! `weft view` of a character: in a window, or pictures of it without one.

use viewer::window::CanvasError;

use super::source::CharacterSource;
use crate::characters::WatchedCharacters;
use crate::live::LiveFrames;
use crate::program::arguments::ViewArguments;
use crate::program::command::pictures::{pictures, title};
use crate::program::command::rigs::DEFAULT_FRAMES;
use crate::program::command::run::simulation_options;
use crate::program::command::window::window;
use crate::program::failure::Failure;
use crate::simulation::SimulationOptions;

/// Opens the window, or takes pictures. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view(source: CharacterSource, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    let (mut options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    if arguments.engine.threads.is_none() {
        source.set_threads(&mut options);
    }
    if pictures(arguments, DEFAULT_FRAMES, || watched(&source, &options))? {
        return Ok(Ok(()));
    }
    window(arguments, |beginning| {
        let execution = options.execution();
        let make = move || watched(&source, &options);
        let (live, seen, link) = LiveFrames::start(&title(arguments), beginning, execution, make)?;
        Ok((|| live.join(), seen, link))
    })
}

fn watched(source: &CharacterSource, options: &SimulationOptions) -> Result<WatchedCharacters, Failure> {
    WatchedCharacters::new(source.simulation(options)?).map_err(Failure::Simulation)
}
