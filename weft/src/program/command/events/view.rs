//! `weft view` of an event graph: in a window, or pictures of it without one.

use std::path::Path;

use animation::event::runtime::EventOptions;
use viewer::window::CanvasError;

use super::source::GraphSource;
use crate::events::{EventLines, WatchedEvents};
use crate::live::LiveFrames;
use crate::program::arguments::ViewArguments;
use crate::program::command::pictures::{pictures, title};
use crate::program::command::run::simulation_options;
use crate::program::command::sink::create;
use crate::program::command::window::window;
use crate::program::failure::Failure;
use crate::simulation::SimulationOptions;

/// Opens the window, or takes pictures. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view(source: GraphSource, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    let events = arguments.export_events.clone();
    let make = || watched(&source, &options, events.as_deref());
    if pictures(arguments, source.default_frames(), make)? {
        return Ok(Ok(()));
    }
    window(arguments, |beginning| {
        let execution = options.execution();
        let make = move || watched(&source, &options, events.as_deref());
        let (live, seen, link) = LiveFrames::start(&title(arguments), beginning, execution, make)?;
        Ok((|| live.join(), seen, link))
    })
}

/// The graph, its events written into a file if somebody asks for it.
fn watched(
    source: &GraphSource,
    options: &SimulationOptions,
    events: Option<&Path>,
) -> Result<WatchedEvents, Failure> {
    let lines = events.map(create).transpose()?.map(EventLines::new);
    let events = EventOptions { log: lines.is_some(), ..EventOptions::default() };
    Ok(WatchedEvents::new(source.simulation(events, options)?, lines))
}
