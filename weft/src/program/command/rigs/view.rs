//! `weft view` of a rig: in a window, its controls as sliders, or pictures of it without one.

use viewer::window::CanvasError;

use super::source::{DEFAULT_FRAMES, RigSource};
use crate::program::arguments::ViewArguments;
use crate::program::command::run::simulation_options;
use crate::program::command::window::view_frames;
use crate::program::failure::Failure;
use crate::rigs::WatchedRig;

/// Opens the window, or takes pictures. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view(source: RigSource, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    let (options, choices) = simulation_options(&arguments.engine, arguments.dt)?;
    source.choices(&arguments.engine, choices);
    let execution = options.execution();
    let make = move || WatchedRig::new(source.simulation(&options)?).map_err(Failure::Input);
    view_frames(arguments, execution, DEFAULT_FRAMES, make)
}
