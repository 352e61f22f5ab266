//! From the name of a scene to the scene: gallery or file, data paths, findings on stderr.

use std::path::{Path, PathBuf};

use scenes::diagnostics::{Diagnostic, Severity, SeverityMode, did_you_mean};
use scenes::element::Element;
use scenes::gallery::{self, GalleryError};
use scenes::pieces::Pieces;
use scenes::{LoadError, LoadOptions, LoadedScene, load_elements, load_file};
use sim_core::scene::Scene;

use crate::events::gallery as graphs;
use crate::games::{gallery as games, is_tree};
use crate::output::recorders::Recorders;
use crate::program::Program;
use crate::program::arguments::{SceneArguments, SumKind};
use crate::program::failure::Failure;
use crate::program::logger;
use crate::program::say::complain;
use crate::rigs::gallery as rigs;

/// Where a scene comes from.
pub enum Source {
    /// The gallery: generated with its parameters.
    Gallery(Box<Element>),
    /// A file.
    File(PathBuf),
}

impl Source {
    /// Finds out what the name of a scene means.
    ///
    /// # Errors
    /// There is no such scene, or its parameters are wrong.
    pub fn find(program: &Program, arguments: &SceneArguments) -> Result<Self, Failure> {
        if let Ok(scene) = gallery::find(&arguments.scene) {
            let elements = scene.elements(&arguments.set).map_err(wrong_parameter)?;
            return Ok(Self::Gallery(Box::new(elements)));
        }
        let path = Path::new(&arguments.scene);
        if let Some(what) = no_physics(path) {
            let message = format!("{} is {what}: this command is for scenes of physics", arguments.scene);
            return Err(Failure::Usage(message));
        }
        if !path.exists() {
            // Scenes, event graphs, rigs and games are called in the same way.
            let scenes = gallery::all();
            let names = scenes.iter().map(|s| s.name).chain(graphs::ALL.iter().map(|g| g.name));
            let names =
                names.chain(rigs::ALL.iter().map(|r| r.name)).chain(games::ALL.iter().map(|g| g.name));
            let hint = did_you_mean(&arguments.scene, names)
                .unwrap_or_else(|| format!("`{} list` shows the gallery", program.name));
            let message = format!("there is no file and no gallery scene `{}`; {hint}", arguments.scene);
            return Err(Failure::Input(message));
        }
        if let Some((name, _)) = arguments.set.first() {
            let message = format!("--set {name}: only gallery scenes have parameters");
            return Err(Failure::Usage(message));
        }
        Ok(Self::File(path.to_path_buf()))
    }

    /// How many steps it is run for, if nobody says.
    pub fn default_steps(&self) -> u64 {
        match self {
            Self::Gallery(_) => 500,
            Self::File(_) => 1000,
        }
    }

    /// Loads it, without a word.
    pub fn load(&self, options: &LoadOptions) -> Result<LoadedScene, LoadError> {
        match self {
            Self::Gallery(root) => load_elements((**root).clone(), options),
            Self::File(path) => load_file(path, options),
        }
    }
}

/// What is wrong with `--set`.
pub fn wrong_parameter(error: GalleryError) -> Failure {
    Failure::Usage(format!("--set: {error}"))
}

/// How to load, as the command line says.
pub fn load_options(program: &Program, arguments: &SceneArguments, mode: SeverityMode) -> LoadOptions {
    let mut data_paths = arguments.data_paths.clone();
    if let Some(more) = std::env::var_os("WEFT_DATA_PATH") {
        data_paths.extend(std::env::split_paths(&more).filter(|p| !p.as_os_str().is_empty()));
    }
    for p in data_paths.iter().filter(|p| !p.is_dir()) {
        complain(&format!("warning: the data path {} is no directory", p.display()));
    }
    let registry = program.registry.clone();
    LoadOptions { data_paths, mode, registry, pieces: arguments.pieces, mesh_order: false, dt: None }
}

/// What a name means that is no scene of physics, if it does.
fn no_physics(path: &Path) -> Option<&'static str> {
    let name = path.to_str().unwrap_or_default();
    let is_rig = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("rig"));
    if is_rig || rigs::find(name).is_ok() {
        Some("a rig")
    } else if x3d::is_x3d(path) || graphs::find(name).is_ok() {
        Some("an event graph")
    } else if crate::characters::is_character(path) {
        Some("a character")
    } else if games::find(name).is_ok() {
        Some("a game")
    } else if is_tree(path) {
        Some("a behaviour tree")
    } else {
        None
    }
}

/// The same for a simulation that adds up as `sums` says.
pub fn load_options_summing(
    program: &Program,
    arguments: &SceneArguments,
    mode: SeverityMode,
    sums: SumKind,
) -> LoadOptions {
    LoadOptions { mesh_order: sums == SumKind::Sofa, ..load_options(program, arguments, mode) }
}

/// The same, with large bodies cut where it costs next to nothing on one core, unless the command line says how many pieces there are, or sums are
/// SOFA's, which the pieces would change.
pub fn cutting_where_it_pays(options: LoadOptions) -> LoadOptions {
    let pieces = options.pieces.or((!options.mesh_order).then_some(Pieces::WherePays));
    LoadOptions { pieces, ..options }
}

/// Loads a scene and tells what there is to tell.
///
/// # Errors
/// The scene does not run; what is wrong has been said.
pub fn load(source: &Source, options: &LoadOptions, name: &str) -> Result<Scene, Failure> {
    match source.load(options) {
        Ok(loaded) => {
            tell(&loaded.diagnostics);
            Ok(loaded.scene)
        }
        Err(e) => {
            tell(&e.diagnostics);
            let n = e.errors().count();
            if n != 1 {
                complain(&format!("error: {name} does not run: {n} errors"));
            }
            Err(Failure::said([e]))
        }
    }
}

/// Says which components of a scene would write files, for commands that write none.
pub fn tell_of_files(scene: &Scene) {
    for path in Recorders::writers(scene) {
        complain(&format!("warning: {path} writes no files here; `run` writes them"));
    }
}

/// How many errors and warnings there are, in words, with the warnings that the log had.
pub fn count(findings: &[Diagnostic]) -> String {
    let of = |severity: Severity, name: &str, more: usize| {
        let n = findings.iter().filter(|d| d.severity == severity).count() + more;
        format!("{n} {name}{}", if n == 1 { "" } else { "s" })
    };
    format!("{}, {}", of(Severity::Error, "error", 0), of(Severity::Warning, "warning", logger::warnings()))
}

/// Findings on stderr; notes only where messages are wanted.
pub fn tell(findings: &[Diagnostic]) {
    for d in findings {
        if d.severity > Severity::Note || log::log_enabled!(log::Level::Info) {
            complain(&d.to_string());
        }
    }
}
