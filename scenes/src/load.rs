//! From a scene file, or an element tree, to a scene that can be simulated.
//!
//! ```text
//! text --parse--> elements --include--> elements --instantiate--> nodes, components, links
//!      --order--> what others need first --build--> parts of the scene --check--> findings
//! ```
//!
//! The whole scene is gone through, so that all that is wrong is reported at once; a component that lacks another one which
//! failed is left out without a finding of its own.

use std::path::{Path, PathBuf};

use sim_core::scene::{NodeId, Scene};

use crate::diagnostics::{Diagnostic, Severity};
use crate::element::Element;
use crate::files::FileFinder;
use crate::instantiate::DraftScene;
pub use crate::options::LoadOptions;
use crate::parse::ParsedFile;
use crate::pieces::Pieces;
use crate::{alias, assemble, check, check_changes, cut, data_flow, include, instantiate, parse, repository};

/// A scene that runs.
pub struct LoadedScene {
    /// The scene.
    pub scene: Scene,
    /// Notes and warnings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// A scene that does not run: all findings, among them at least one error.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", self.summary())]
pub struct LoadError {
    /// All findings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl LoadError {
    /// The errors alone.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|d| d.severity == Severity::Error)
    }

    fn summary(&self) -> String {
        let mut errors = self.errors();
        let first = errors.next().map(ToString::to_string).unwrap_or_default();
        match errors.count() {
            0 => first,
            n => format!("{first} (and {n} more)"),
        }
    }
}

/// Loads a scene file.
///
/// # Errors
/// All findings, if any of them is an error.
pub fn load_file(path: &Path, options: &LoadOptions) -> Result<LoadedScene, LoadError> {
    match parse::parse_file(path) {
        Ok(file) => load(file, path.parent().map(Path::to_path_buf), options),
        Err(d) => Err(LoadError { diagnostics: vec![*d] }),
    }
}

/// Loads a scene from its text; `name` is what findings call it.
///
/// # Errors
/// As [`load_file`].
pub fn load_text(text: &str, name: &str, options: &LoadOptions) -> Result<LoadedScene, LoadError> {
    match parse::parse_text(text, name) {
        Ok(file) => load(file, None, options),
        Err(d) => Err(LoadError { diagnostics: vec![*d] }),
    }
}

/// Loads a scene from its element tree.
///
/// # Errors
/// As [`load_file`].
pub fn load_elements(root: Element, options: &LoadOptions) -> Result<LoadedScene, LoadError> {
    load(ParsedFile { root, warnings: Vec::new() }, None, options)
}

/// Loads a node with all below it into a scene that is there, as the last child of `parent`. Its links may lead to what is
/// there, its data links to fields that built components offer.
///
/// # Errors
/// All findings, if any of them is an error, or the element is not a node; the scene is then as it was.
///
/// # Cost
/// That of what comes, and a look at each component that is there.
pub fn load_below(
    scene: &mut Scene,
    parent: NodeId,
    mut element: Element,
    options: &LoadOptions,
) -> Result<(NodeId, Vec<Diagnostic>), LoadError> {
    let mut files = FileFinder { scene_directory: None, data_paths: options.data_paths.clone() };
    let mut found = Vec::new();
    if !element.is_node() {
        let message = format!("what comes to a scene is a node; `{}` is a component", element.class);
        found.push(Diagnostic::new(Severity::Error, &element.location, message));
        return Err(LoadError { diagnostics: found });
    }
    include::expand(&mut element, &files, &|name| options.registry.is_class(name), &mut found);
    repository::extend(&mut files, &element, &mut found);
    alias::resolve(&mut element, &|class| options.registry.find(class).is_some(), &mut found);
    let mark = scene.mark();
    let blank = Element::new("");
    let mut draft = instantiate::draft_of(std::mem::replace(scene, Scene::new("")), &blank, options);
    instantiate::instantiate_below(&element, parent, &mut draft, options, &mut found);
    assemble::assemble(&mut draft, &files, options, &mut found);
    check::check(&draft, &mut found);
    check_changes::check_changes(&mut draft, &mut found);
    data_flow::check_flow(&draft, &mut found);
    data_flow::abridge(&mut draft.scene);
    *scene = draft.scene;
    sort_findings(&mut found);
    if found.iter().any(|d| d.severity == Severity::Error) {
        scene.rewind(&mark);
        return Err(LoadError { diagnostics: found });
    }
    Ok((NodeId(mark.nodes as u32), found))
}

fn load(
    file: ParsedFile,
    directory: Option<PathBuf>,
    options: &LoadOptions,
) -> Result<LoadedScene, LoadError> {
    let mut files = FileFinder { scene_directory: directory, data_paths: options.data_paths.clone() };
    let ParsedFile { mut root, warnings: mut found } = file;
    include::expand(&mut root, &files, &|name| options.registry.is_class(name), &mut found);
    repository::extend(&mut files, &root, &mut found);
    alias::resolve(&mut root, &|class| options.registry.find(class).is_some(), &mut found);
    let said = found.len();
    let mut draft = instantiate_and_assemble(&root, &files, options, &mut found);
    let mut notes = Vec::new();
    let cut_root =
        options.pieces.and_then(|p| cut::cut_built(&root, &draft, p, &options.registry, &mut notes));
    if let Some(cut_root) = &cut_root {
        // What is wrong with the scene is found again where it stands now.
        let whole = found.split_off(said);
        let in_pieces = instantiate_and_assemble(cut_root, &files, options, &mut found);
        match first_error(&found[said..]).filter(|_| first_error(&whole).is_none()) {
            None => draft = in_pieces,
            Some(error) => {
                notes = not_cut(error, options.pieces);
                found.truncate(said);
                found.extend(whole);
            }
        }
    }
    found.append(&mut notes);
    assemble::sort_parts(&mut draft.scene);
    check::check(&draft, &mut found);
    check_changes::check_changes(&mut draft, &mut found);
    data_flow::check_flow(&draft, &mut found);
    data_flow::abridge(&mut draft.scene);
    if let Some(dt) = options.dt {
        draft.scene.dt = dt;
    }
    let scene = draft.scene;
    sort_findings(&mut found);
    if found.iter().any(|d| d.severity == Severity::Error) {
        return Err(LoadError { diagnostics: found });
    }
    Ok(LoadedScene { scene, diagnostics: found })
}

fn first_error(found: &[Diagnostic]) -> Option<&Diagnostic> {
    found.iter().find(|d| d.severity == Severity::Error)
}

/// What is said where something in a scene does not go with bodies in pieces, so that none is cut; nothing where nobody has asked.
fn not_cut(error: &Diagnostic, pieces: Option<Pieces>) -> Vec<Diagnostic> {
    if pieces == Some(Pieces::WherePays) {
        return Vec::new();
    }
    let message = format!("no body is cut into pieces: {}", error.message);
    let note = Diagnostic::new(Severity::Note, &error.location, message);
    vec![match &error.component {
        Some(path) => note.component(path.clone()),
        None => note,
    }]
}

fn instantiate_and_assemble<'e>(
    root: &'e Element,
    files: &FileFinder,
    options: &LoadOptions,
    found: &mut Vec<Diagnostic>,
) -> DraftScene<'e> {
    let mut draft = instantiate::instantiate(root, options, found);
    draft.scene.mesh_order = options.mesh_order;
    assemble::assemble(&mut draft, files, options, found);
    draft
}

/// In the order of the file; findings of different files stay in the order in which they were found.
fn sort_findings(found: &mut Vec<Diagnostic>) {
    let mut files: Vec<std::sync::Arc<str>> = Vec::new();
    for d in found.iter() {
        if !files.contains(&d.location.file) {
            files.push(d.location.file.clone());
        }
    }
    found.sort_by_key(|d| {
        let file = files.iter().position(|f| *f == d.location.file);
        (file, d.location.line, d.location.column)
    });
    found.dedup();
}
