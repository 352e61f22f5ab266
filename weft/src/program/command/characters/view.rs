//! `weft view` of a character: in a window, or pictures of it without one.

use viewer::window::CanvasError;

use super::engine::options;
use super::source::CharacterSource;
use crate::characters::WatchedCharacters;
use crate::program::arguments::ViewArguments;
use crate::program::command::rigs::DEFAULT_FRAMES;
use crate::program::command::window::view_frames;
use crate::program::failure::Failure;

/// Opens the window, or takes pictures. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view(source: CharacterSource, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    let (options, _) = options(&source, &arguments.engine, arguments.dt)?;
    let execution = options.execution();
    let make = move || WatchedCharacters::new(source.watched(&options)?).map_err(Failure::Simulation);
    view_frames(arguments, execution, DEFAULT_FRAMES, make)
}
