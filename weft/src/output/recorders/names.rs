//! How the files of a scene are called: as it says, else after the component; no two components write one file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use scenes::playback::{Monitor, StateWriter, TopologyWriter};
use sim_core::scene::{Component, ComponentId};

use super::meshes::What;
use super::monitor;
use super::{Place, RecordError};
use crate::simulation::Simulation;

/// What a component writes.
enum Writes {
    Whole,
    Tables(Monitor),
    Meshes(Box<What>),
}

/// The name that the files of a component begin with.
struct Name {
    component: ComponentId,
    writes: Writes,
    /// The folder that it goes into, with `/`, and the name that the scene gives, if it does.
    folder: String,
    given: Option<String>,
    /// The name in the folder.
    name: String,
}

impl Name {
    /// Of a component, if it writes files.
    fn of(c: &Component, component: ComponentId, place: &Place) -> Option<Self> {
        let (writes, given) = if let Some(w) = c.extension::<StateWriter>() {
            (Writes::Whole, Some(w.filename.clone()))
        } else if let Some(w) = c.extension::<TopologyWriter>() {
            (Writes::Whole, Some(w.filename.clone()))
        } else if let Some(m) = c.extension::<Monitor>() {
            (Writes::Tables(m.clone()), m.filename.clone())
        } else {
            let what = What::of(c)?;
            let given = what.times().filename.clone();
            (Writes::Meshes(Box::new(what)), given)
        };
        // In a folder of that name a file gets the component's.
        let is_folder = |name: &String| matches!(writes, Writes::Meshes(_)) && place.path(name).is_dir();
        let (folder, given) = match given {
            Some(name) if is_folder(&name) => (format!("{name}/"), None),
            given => (String::new(), given),
        };
        let name = given.clone().unwrap_or_else(|| c.name.clone());
        Some(Self { component, writes, folder, given, name })
    }

    fn whole(&self) -> String {
        format!("{}{}", self.folder, self.name)
    }

    fn paths(&self, place: &Place) -> Vec<PathBuf> {
        let name = self.whole();
        let files = match &self.writes {
            Writes::Whole => vec![name],
            Writes::Tables(m) => monitor::files(m, &name).into_iter().map(|(_, file, _)| file).collect(),
            Writes::Meshes(what) => what.files(&name),
        };
        files.iter().map(|file| place.path(file)).collect()
    }
}

/// The names of all components of a scene that write files. Where two that are called after their components would be one file, they are
/// called after the components' paths.
///
/// # Errors
/// Two components that write one file, since the scene says so.
pub(super) fn of(
    simulation: &Simulation,
    place: &Place,
) -> Result<BTreeMap<ComponentId, String>, RecordError> {
    let scene = &simulation.world().scene;
    let all = scene.all_components().filter(|c| scene.has_component(*c));
    let mut names: Vec<Name> = all.filter_map(|c| Name::of(scene.component(c), c, place)).collect();
    let mut writers: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for path in names.iter().flat_map(|n| n.paths(place)) {
        *writers.entry(path).or_default() += 1;
    }
    for n in &mut names {
        let is_shared = |path: &PathBuf| writers.get(path).is_some_and(|n| *n > 1);
        if n.given.is_none() && n.paths(place).iter().any(is_shared) {
            n.name = scene.path(n.component).trim_start_matches('/').replace('/', "_");
        }
    }
    let mut writer: BTreeMap<PathBuf, ComponentId> = BTreeMap::new();
    for n in &names {
        for path in n.paths(place) {
            if let Some(first) = writer.insert(path.clone(), n.component) {
                let line = &scene.component(first).location;
                let place = super::scene_line(line.file.as_ref(), &line.line);
                let message = format!("{}{place} writes this file, too", scene.path(first));
                return Err(RecordError::new(simulation, n.component, &path, message));
            }
        }
    }
    Ok(names.iter().map(|n| (n.component, n.whole())).collect())
}
