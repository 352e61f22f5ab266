//! `weft view` of a character: in a window, or pictures of it without one.

use viewer::window::CanvasError;

use super::source::CharacterSource;
use crate::characters::WatchedCharacters;
use crate::program::arguments::ViewArguments;
use crate::program::command::rigs::DEFAULT_FRAMES;
use crate::program::command::run::simulation_options;
use crate::program::command::window::view_frames;
use crate::program::failure::Failure;

/// Opens the window, or takes pictures. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view(source: CharacterSource, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    let (mut options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    if arguments.engine.threads.is_none() {
        source.set_threads(&mut options);
    }
    let execution = options.execution();
    let make = move || WatchedCharacters::new(source.watched(&options)?).map_err(Failure::Simulation);
    view_frames(arguments, execution, DEFAULT_FRAMES, make)
}
