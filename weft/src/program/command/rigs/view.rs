//! `weft view` of a rig: in a window, its controls as sliders, or pictures of it without one.

use viewer::window::CanvasError;

use super::source::{DEFAULT_FRAMES, RigSource};
use crate::live::LiveFrames;
use crate::program::arguments::ViewArguments;
use crate::program::command::pictures::{pictures, title};
use crate::program::command::run::simulation_options;
use crate::program::command::window::window;
use crate::program::failure::Failure;
use crate::rigs::WatchedRig;
use crate::simulation::SimulationOptions;

/// Opens the window, or takes pictures. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view(source: RigSource, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
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

fn watched(source: &RigSource, options: &SimulationOptions) -> Result<WatchedRig, Failure> {
    WatchedRig::new(source.simulation(options)?).map_err(Failure::Input)
}
