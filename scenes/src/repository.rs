//! `AddDataRepository`: one more place where files are looked for.

use std::path::Path;

use sim_core::component::attributes::Attributes;
use sim_core::component::description::{ComponentDescription, Family};

use crate::diagnostics::{Diagnostic, Severity};
use crate::element::Element;
use crate::files::FileFinder;

const CLASS: &str = "AddDataRepository";

/// One more place where the scene's files are looked for, after all others.
#[derive(Attributes)]
struct Settings {
    /// a folder, as seen from that of the scene
    #[attribute(name = "path")]
    _path: Option<String>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Ignored, CLASS, |b| Settings::read(b).map(drop));

/// Adds the folders that a scene names to the places where its files are looked for.
///
/// **Source:** as SOFA's: a path is relative to the folder of the file that names it, and one that leads to no folder adds nothing. SOFA
/// adds it for what stands after it; here it counts for the whole scene, where it is looked into last.
pub fn extend(files: &mut FileFinder, element: &Element, found: &mut Vec<Diagnostic>) {
    if element.class == CLASS {
        let path = element.get("path").unwrap_or_default().trim();
        let beside = Path::new(&*element.location.file).parent().map(Path::to_path_buf);
        let directory = files.scene_directory.clone().or(beside).unwrap_or_default().join(path);
        if !path.is_empty() && directory.is_dir() {
            files.data_paths.push(directory);
        } else {
            let message = format!("`{}` is not a folder; no place is added", directory.display());
            let d = Diagnostic::new(Severity::Warning, &element.location, message);
            found.push(d.component(CLASS.to_owned()).attribute("path"));
        }
    }
    element.children.iter().for_each(|child| extend(files, child, found));
}

#[cfg(test)]
mod tests {
    use crate::load::{LoadOptions, load_file};

    #[test]
    fn a_mesh_is_found_in_a_folder_that_the_scene_names() {
        let folder = std::env::temp_dir().join(format!("weft_repository_{}", std::process::id()));
        std::fs::create_dir_all(folder.join("meshes")).expect("a folder");
        std::fs::write(folder.join("meshes/one.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
            .expect("a mesh");
        let load = |path: &str| {
            let text = format!(
                "<Node><AddDataRepository path='{path}'/><MeshOBJLoader name='l' filename='one.obj'/><MechanicalObject src='@l'/></Node>"
            );
            let file = folder.join("s.scn");
            std::fs::write(&file, text).expect("a scene");
            let loaded = load_file(&file, &LoadOptions::default()).expect("loads");
            let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
            (loaded.scene.initial(sim_core::scene::StateId(0)).len(), said)
        };
        assert_eq!(load("meshes").0, 3);
        let (n, said) = load("nowhere");
        assert!(n != 3 && said.iter().any(|s| s.contains("is not a folder")), "{said:?}");
        std::fs::remove_dir_all(folder).expect("it is there");
    }
}
