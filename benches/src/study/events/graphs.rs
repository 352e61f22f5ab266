//! Event graphs in this process.

use animation::event::runtime::EventOptions;
use animation::event::scene::EventScene;
use anyhow::{Result, anyhow};
use scenes::diagnostics::Diagnostic;
use weft::events::{EventSimulation, gallery};
use weft::execution::SimulationOptions;
use x3d::script::AllNodes;
use x3d::script::fragments::Fragments;
use x3d::{LoadOptions, Loader};

/// What is wrong with a file, as one error.
pub fn refused(found: &[Diagnostic]) -> anyhow::Error {
    anyhow!("{}", found.first().map_or_else(|| "it does not load".to_owned(), ToString::to_string))
}

/// The text of the gallery's scene 3.
pub fn parade(humanoids: usize, borders: &str) -> Result<String> {
    let set = [("humanoids".to_owned(), humanoids.to_string()), ("borders".to_owned(), borders.to_owned())];
    let scene = gallery::find("parade").map_err(|e| anyhow!("{}", e.message))?;
    scene.text(&set).map_err(|e| anyhow!("{}", e.message))
}

/// A scene from a text.
pub fn scene_of(text: &str) -> Result<EventScene> {
    Ok(x3d::load_text(text, "study.x3dv", &LoadOptions::default()).map_err(|found| refused(&found))?.scene)
}

/// A scene that is ready to run; Scripts may load more, but no Inline of it anything else.
pub fn simulation(scene: EventScene, events: EventOptions, options: &SimulationOptions) -> EventSimulation {
    let (nodes, fragments) =
        (Box::new(AllNodes::default()), Box::new(Fragments::new(Loader::new(&LoadOptions::default()))));
    EventSimulation::new(scene, nodes, fragments, events, options)
}

/// Options for so many workers.
pub fn workers(threads: usize) -> SimulationOptions {
    SimulationOptions { threads, ..SimulationOptions::default() }
}
