//! Files of other people, where they are at hand: all load, or fail as they should.

use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Severity};
use weft_x3d::{LoadOptions, Loaded, is_x3d, load_file};

/// The files, if they are there.
fn assets() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/animation-assets/x3d");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no {}", folder.display());
    None
}

fn files(folder: &Path, list: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, list);
        } else if is_x3d(&path) {
            list.push(path);
        }
    }
}

fn load(path: &Path) -> Result<Loaded, Vec<Diagnostic>> {
    load_file(path, &LoadOptions::default())
}

/// Files with mistakes, and a part of the message about each.
const BAD: &[(&str, &str)] = &[
    ("bad/bad_field_name.wrl", "did you mean `appearance`?"),
    ("bad/bad_field_value.x3d", "1 of 3 numbers are missing"),
    ("bad/eventIn_set.wrl", "an inputOnly field, which takes no value"),
    ("bad/no_scene.x3d", "no `Scene`"),
    ("bad/invalid_node_profile.x3dv", "`{` stands where a type of nodes is due"),
    ("bad/import.wrl", "IMPORT is X3D's, and this is VRML97"),
    ("bad/invalid_static_route.x3dv", "StaticGroup"),
    ("bad/cycle_a.x3d", "the file shows itself"),
    ("bad/cycle_b.x3d", "the file shows itself"),
    ("bad/cycle_containment.x3d", "a node cannot stand in itself"),
    ("bad/cycleA.x3d", "leads back to itself"),
    ("bad/cycleB.x3d", "leads back to itself"),
    ("proto/is_type_mismatch.x3dv", "an SFVec3f cannot be an SFVec3d"),
    ("proto/mismatched_ep.x3d", "declared inputOutput SFRotation here, and inputOnly"),
];

/// Files with which browsers go on, and a part of the warning.
const ODD: &[(&str, &str)] = &[
    ("bad/no_profile.x3d", "names no profile"),
    ("script/AuthorScriptExample.x3d", "component Scripting"),
    ("inline/basic_import.x3dv", "waits"),
];

#[test]
fn all_files_load_or_fail_as_they_should() {
    let Some(folder) = assets() else { return };
    let mut list = Vec::new();
    files(&folder, &mut list);
    assert!(list.len() >= 100, "{}", list.len());
    let mut wrong = Vec::new();
    for path in list {
        let name = path.strip_prefix(&folder).expect("below").to_string_lossy().into_owned();
        let expected = BAD.iter().find(|(bad, _)| *bad == name);
        match (load(&path), expected) {
            (Err(found), None) => wrong.push(format!("{name} does not load: {}", text(&found))),
            // What costs only what it is about is said of a scene that loads.
            (Ok(loaded), Some((_, part))) => {
                let said = text(&loaded.diagnostics);
                let has_errors = loaded.diagnostics.iter().any(|d| d.severity == Severity::Error);
                if !has_errors || !said.contains(part) {
                    wrong.push(format!("{name} loads: {said}"));
                }
            }
            (Err(found), Some((_, part))) if !text(&found).contains(part) => {
                wrong.push(format!("{name}: no `{part}` in: {}", text(&found)));
            }
            (Err(found), Some(_)) => assert!(found.iter().all(|d| !d.location.file.is_empty())),
            (Ok(loaded), None) => {
                let odd = ODD.iter().find(|(odd, _)| *odd == name);
                let said = text(&loaded.diagnostics);
                if odd.is_some_and(|(_, part)| !said.contains(part)) {
                    wrong.push(format!("{name}: {said}"));
                }
                if std::env::var_os("SHOW").is_some() && !said.is_empty() {
                    println!("{said}");
                }
                assert!(loaded.diagnostics.iter().all(|d| d.severity < Severity::Error));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn text(found: &[Diagnostic]) -> String {
    found.iter().map(|d| format!("{d}\n")).collect()
}

/// `FOLDER=... cargo test -p weft-x3d --test shared -- --nocapture` says what is wrong with the files of a folder.
#[test]
fn files_of_a_folder_that_the_environment_names() {
    let Some(folder) = std::env::var_os("FOLDER") else { return };
    let mut list = Vec::new();
    files(Path::new(&folder), &mut list);
    let mut loaded = 0;
    for path in &list {
        match load(path) {
            Ok(_) => loaded += 1,
            Err(found) => {
                let errors = found.into_iter().filter(|d| d.severity == Severity::Error);
                println!("{}", text(&errors.collect::<Vec<_>>()));
            }
        }
    }
    println!("{loaded} of {} files load", list.len());
}
