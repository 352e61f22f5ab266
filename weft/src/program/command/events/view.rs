//! `weft view` of an event graph: in a window, or pictures of it without one.

use std::io::Write;
use std::path::Path;

use animation::event::runtime::EventOptions;
use viewer::window::CanvasError;

use super::source::GraphSource;
use crate::events::{EventLines, WatchedEvents};
use crate::program::arguments::ViewArguments;
use crate::program::command::run::simulation_options;
use crate::program::command::sink::create;
use crate::program::command::window::view_frames;
use crate::program::failure::Failure;
use crate::simulation::SimulationOptions;

/// Opens the window, or takes pictures. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view(source: GraphSource, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    let (execution, default_frames) = (options.execution(), source.default_frames());
    let events = arguments.export_events.clone();
    let has_window = arguments.screenshot.is_none() && arguments.video.is_none();
    let make = move || watched(&source, &options, events.as_deref(), has_window);
    view_frames(arguments, execution, default_frames, make)
}

/// The graph, its events written into a file if somebody asks for it.
fn watched(
    source: &GraphSource,
    options: &SimulationOptions,
    events: Option<&Path>,
    has_window: bool,
) -> Result<WatchedEvents, Failure> {
    let lines = events.map(create).transpose()?;
    let lines = lines.map(|sink| EventLines::new(Box::new(sink) as Box<dyn Write + Send>));
    let events = EventOptions { log: lines.is_some(), ..EventOptions::default() };
    Ok(WatchedEvents::new(source.simulation_for(events, options, has_window)?, lines))
}
