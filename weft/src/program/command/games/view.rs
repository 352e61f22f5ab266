//! `weft view` of a game: in a window, or pictures of it without one.

use viewer::window::CanvasError;

use super::source::{DEFAULT_CYCLES, GameSource};
use crate::games::WatchedFlock;
use crate::program::arguments::ViewArguments;
use crate::program::command::run::simulation_options;
use crate::program::command::window::view_frames;
use crate::program::failure::Failure;

/// Opens the window, or takes pictures. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view(source: GameSource, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    let execution = options.execution();
    let make = move || Ok(WatchedFlock::new(source.simulation(&options)?));
    view_frames(arguments, execution, DEFAULT_CYCLES, make)
}
