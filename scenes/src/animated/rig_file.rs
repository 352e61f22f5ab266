//! `RigFile`: a character's rig that is evaluated with the scene.

use std::path::Path;
use std::sync::Arc;

use animation::rig::format::{Catalogue, read};
use animation::rig::value::PortType;
use animation::rig::{ControlId, Rig};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::scene::ComponentId;

use super::GALLERY;
use crate::diagnostics::did_you_mean;
use crate::gallery::graph_text;

/// Evaluates a rig in each step, before anything collides. Controls stay what the file says, but for those that a RigControl sets.
#[derive(Attributes)]
struct Settings {
    /// the file (`.rig`), searched beside the scene and in the data paths; `gallery:NAME` is one inside the program
    #[attribute(kind = File)]
    filename: String,
    /// the control, a scalar, that gets the time at the end of each step [s]
    time_control: Option<String>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Loader, "RigFile", build);

/// A rig of a scene.
#[derive(Clone)]
pub struct RigFile {
    /// The rig.
    pub rig: Arc<Rig>,
    /// The control that gets the time.
    pub time: Option<ControlId>,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let wrong = |text: String| BuildError::attribute("filename", text);
    let (name, text) = match s.filename.trim().strip_prefix(GALLERY) {
        Some(name) => {
            let text = graph_text(name).map_err(|e| {
                let hint = e.suggestion.map_or_else(String::new, |hint| format!("; {hint}"));
                wrong(format!("{}{hint}", e.message))
            })?;
            (s.filename.clone(), text.to_owned())
        }
        None => {
            let path = b.file("filename")?;
            (path.display().to_string(), text_of(&path).map_err(wrong)?)
        }
    };
    let read = match b.given::<Catalogue>() {
        Some(kinds) => read(&name, &text, kinds),
        None => read(&name, &text, &Catalogue::new()),
    };
    let rig = read.map_err(|found| wrong(super::first_error(&found)))?;
    let time = match &s.time_control {
        None => None,
        Some(name) => {
            let control = find_control(&rig, name).map_err(|e| BuildError::attribute("timeControl", e))?;
            let of = rig.controls()[control.0 as usize].of;
            if of != PortType::Scalar {
                let text = format!("`{name}` is {of}; the time is a scalar");
                return Err(BuildError::attribute("timeControl", text));
            }
            Some(control)
        }
    };
    b.keep(Some(RigFile { rig: Arc::new(rig), time }));
    Ok(())
}

fn text_of(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The control of a name; else what is wrong, with the nearest name.
pub(super) fn find_control(rig: &Rig, name: &str) -> Result<ControlId, String> {
    rig.find_control(name).map_err(|_| {
        let hint = did_you_mean(name, rig.controls().iter().map(|c| c.name.as_str()));
        format!("the rig has no control `{name}`{}", hint.map_or_else(String::new, |h| format!("; {h}")))
    })
}

/// The component with the rig that another one means: that of its link `rig`, else that of its node or the nearest above.
pub(super) fn rig_of(b: &Builder<'_>, link: Option<LinkTarget>) -> Result<ComponentId, BuildError> {
    let is_rig = |c: &ComponentId| b.scene.component(*c).extension::<RigFile>().is_some();
    match link {
        Some(LinkTarget::Component(c)) if is_rig(&c) => Ok(c),
        Some(_) => Err(BuildError::attribute("rig", "`rig` leads to no RigFile")),
        None => {
            let found = b.scene.upward(b.node).flat_map(|n| b.scene.components_of(n)).find(is_rig);
            found.ok_or_else(|| {
                BuildError::new(
                    "there is no RigFile before it in this node or above; put one there, or set `rig`",
                )
            })
        }
    }
}
