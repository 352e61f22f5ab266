//! `X3DFile`: an event graph that runs with the scene.

use std::collections::BTreeSet;
use std::sync::Arc;

use animation::event::field::Access;
use animation::event::nodes::is_silent;
use animation::event::nodes::sensors::{BROWSER_SENSORS, POINTING_SENSORS};
use animation::event::scene::EventScene;
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};

use super::GALLERY;
use crate::diagnostics::Severity;
use crate::gallery::graph_text;

/// Runs the events of an X3D file: the frame of each step is that of the time at its end.
#[derive(Attributes)]
struct Settings {
    /// the file (`.x3d`, `.x3dv`, `.wrl`), searched beside the scene and in the data paths; `gallery:NAME` is one inside the program
    #[attribute(kind = File)]
    filename: String,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Loader, "X3DFile", build);

/// An event graph of a scene.
#[derive(Clone, Debug)]
pub struct X3dFile {
    /// Nodes and routes, as the file has them.
    pub scene: Arc<EventScene>,
    /// What loads more into it while it runs.
    pub loader: x3d::Loader,
}

/// Warnings of a file that are shown one by one.
const MOST_WARNINGS: usize = 10;

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let options = x3d::LoadOptions::default();
    let loaded = match s.filename.trim().strip_prefix(GALLERY) {
        Some(name) => {
            let text = graph_text(name).map_err(|e| {
                let hint = e.suggestion.map_or_else(String::new, |hint| format!("; {hint}"));
                BuildError::attribute("filename", format!("{}{hint}", e.message))
            })?;
            x3d::load_text(text, &s.filename, &options)
        }
        None => x3d::load_file(b.file("filename")?, &options),
    };
    let loaded = loaded.map_err(|found| BuildError::attribute("filename", super::first_error(&found)))?;
    let n = loaded.diagnostics.len();
    for warning in loaded.diagnostics.iter().filter(|d| d.severity >= Severity::Warning).take(MOST_WARNINGS) {
        b.warn(Some("filename"), warning.to_string());
    }
    if n > MOST_WARNINGS {
        b.warn(
            Some("filename"),
            format!("{} more findings; `weft check` on the file shows them", n - MOST_WARNINGS),
        );
    }
    let is_collection = |name: &str| x3d::bodies::BodySystem::is_of(name);
    if let Some(node) = loaded.scene.nodes.iter().find(|n| is_collection(&n.node_type.name)) {
        let at = &node.location;
        let text =
            "its bodies do not move within a scene of physics; `weft run` of the file itself moves them";
        b.warn(Some("filename"), format!("{}:{}: RigidBodyCollection: {text}", at.file, at.line));
    }
    for message in waits_in_vain(&loaded.scene) {
        b.warn(Some("filename"), message);
    }
    b.keep(Some(X3dFile { scene: Arc::new(loaded.scene), loader: loaded.loader }));
    Ok(())
}

/// Types from which routes bring nothing in a step of physics, each once, with the reason.
fn waits_in_vain(scene: &EventScene) -> Vec<String> {
    let mut said = BTreeSet::new();
    let mut messages = Vec::new();
    for route in &scene.routes {
        let (node, field) = (scene.node(route.from.0), scene.field(route.from));
        let name = &*node.node_type.name;
        if field.access != Access::OutputOnly || node.node_type.is_prototype {
            continue;
        }
        let why = match () {
            () if POINTING_SENSORS.contains(&name) || BROWSER_SENSORS.contains(&name) => {
                "nothing in a step of physics tells it of what a person does"
            }
            () if is_silent(&node.node_type) => "it sends no events here",
            () => continue,
        };
        if said.insert(name) {
            let at = &node.location;
            messages.push(format!("{}:{}: {name}: {why}; routes from it bring nothing", at.file, at.line));
        }
    }
    messages
}
