//! `weft view` of a game: in a window, or pictures of it without one.

use viewer::window::CanvasError;

use super::source::{DEFAULT_CYCLES, GameSource};
use crate::games::WatchedFlock;
use crate::live::LiveFrames;
use crate::program::arguments::ViewArguments;
use crate::program::command::pictures::{pictures, title};
use crate::program::command::run::simulation_options;
use crate::program::command::window::window;
use crate::program::failure::Failure;
use crate::simulation::SimulationOptions;

/// Opens the window, or takes pictures. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view(source: GameSource, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    if pictures(arguments, DEFAULT_CYCLES, || watched(&source, &options))? {
        return Ok(Ok(()));
    }
    window(arguments, |beginning| {
        let execution = options.execution();
        let make = move || watched(&source, &options);
        let (live, seen, link) = LiveFrames::start(&title(arguments), beginning, execution, make)?;
        Ok((|| live.join(), seen, link))
    })
}

fn watched(source: &GameSource, options: &SimulationOptions) -> Result<WatchedFlock, Failure> {
    Ok(WatchedFlock::new(source.simulation(options)?))
}
