//! `weft new`: writes a crate with a component of one's own, from the files of `template`, or with a kind of rig nodes.

mod class_name;
mod node_name;

use std::path::{Path, PathBuf};

use crate::program::Program;
use crate::program::arguments::{NewArguments, NewKind};
use crate::program::failure::Failure;
use crate::program::say::say;
use class_name::ClassName;
use node_name::NodeName;

/// The files of a crate with a force field: where they go, and their text before names are filled in.
const FORCE_FIELD: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("template/manifest.toml")),
    (".gitignore", "/target\n"),
    ("README.md", include_str!("template/README.md")),
    ("rustfmt.toml", include_str!("template/rustfmt.toml")),
    ("src/lib.rs", include_str!("template/lib.rs")),
    ("src/main.rs", include_str!("template/main.rs")),
    ("scenes/template_force_field.scn", include_str!("template/scene.scn")),
];

/// The files of a crate with a kind of rig nodes.
const RIG_NODE: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("template/manifest.toml")),
    (".gitignore", "/target\n"),
    ("README.md", include_str!("template/rig_node/README.md")),
    ("rustfmt.toml", include_str!("template/rustfmt.toml")),
    ("src/lib.rs", include_str!("template/rig_node/lib.rs")),
    ("src/main.rs", include_str!("template/rig_node/main.rs")),
    ("scenes/template_node.rig", include_str!("template/rig_node/scene.rig")),
];

/// Writes the crate.
///
/// # Errors
/// The name is none of its family's or is taken, the folder exists, or it cannot be written.
pub fn new(program: &Program, arguments: &NewArguments) -> Result<(), Failure> {
    match arguments.kind {
        NewKind::ForceField => {
            let name = ClassName::parse(&arguments.name, "ForceField").map_err(Failure::Usage)?;
            if program.registry.find(&name.class).is_some() {
                let message = format!("there is a component `{}` already; choose another name", name.class);
                return Err(Failure::Usage(message));
            }
            let scene = format!("scenes/{}.scn", name.package);
            let what = format!("the component {}", name.class);
            write_all(arguments, FORCE_FIELD, &name.package, &|text| name.fill_in(text), (&what, &scene))
        }
        NewKind::RigNode => {
            let name = NodeName::parse(&arguments.name).map_err(Failure::Usage)?;
            if program.registry.rig_nodes().kinds().any(|kind| kind == name.kind) {
                let message =
                    format!("there is a kind of nodes `{}` already; choose another name", name.kind);
                return Err(Failure::Usage(message));
            }
            let scene = format!("scenes/{}.rig", name.package);
            let what = format!("the kind of rig nodes {}", name.kind);
            write_all(arguments, RIG_NODE, &name.package, &|text| name.fill_in(text), (&what, &scene))
        }
    }
}

/// Writes the files of a template with names filled in, and says what to try.
fn write_all(
    arguments: &NewArguments,
    files: &[(&str, &str)],
    package: &str,
    fill_in: &dyn Fn(&str) -> String,
    (what, scene): (&str, &str),
) -> Result<(), Failure> {
    let folder = arguments.path.clone().unwrap_or_else(|| PathBuf::from(package));
    if folder.exists() {
        let hint = "choose another folder by --path";
        return Err(Failure::Usage(format!("{} exists already; {hint}", folder.display())));
    }
    let weft = dependency(Path::new(env!("CARGO_MANIFEST_DIR")), env!("CARGO_PKG_VERSION"));
    for (path, text) in files {
        let path = folder.join(fill_in(path));
        // Only the manifest names Weft, and before the class has its name, which may hold the same letters.
        write(&path, &fill_in(&text.replace("{WEFT}", &weft)))?;
    }
    say(&format!(
        "wrote a crate with {what}; try it:\n\n    cd {}\n    cargo test --no-default-features\n    \
         cargo run --release -- view {scene}",
        folder.display()
    ));
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text));
    written.map_err(|e| Failure::output(path, e))
}

/// How a manifest names the `weft` that this program was built from: by its folder where that is a checkout, else by
/// version. A crate that comes from a registry holds a copy of its manifest as its author wrote it, a checkout does not.
fn dependency(manifest_folder: &Path, version: &str) -> String {
    let is_checkout =
        manifest_folder.join("Cargo.toml").exists() && !manifest_folder.join("Cargo.toml.orig").exists();
    match manifest_folder.to_str() {
        // A string of JSON is one of TOML.
        Some(folder) if is_checkout => format!("path = {}", serde_json::Value::from(folder)),
        _ => format!("version = \"{version}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_is_named_by_its_folder_and_a_registry_by_its_version() {
        let scratch = tempfile::tempdir().expect("a folder for the test");
        let folder = scratch.path().join("weft \"0\"");
        let of = || dependency(&folder, "1.2.3");
        assert_eq!(of(), "version = \"1.2.3\"", "there is no such folder");
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(folder.join("Cargo.toml"), "").expect("a file");
        assert!(of().starts_with("path = \"") && of().ends_with("/weft \\\"0\\\"\""), "{}", of());
        std::fs::write(folder.join("Cargo.toml.orig"), "").expect("a file");
        assert_eq!(of(), "version = \"1.2.3\"");
    }

    #[test]
    fn the_template_names_nothing_that_is_not_filled_in() {
        let name = ClassName::parse("WindForceField", "ForceField").expect("a name");
        for (path, text) in FORCE_FIELD {
            let filled = [name.fill_in(path), name.fill_in(text)].concat();
            assert!(!filled.to_lowercase().contains("template_") && !filled.contains("Template"), "{path}");
            assert_eq!(text.contains("{WEFT}"), *path == "Cargo.toml", "{path}");
        }
        let name = NodeName::parse("soft-limit").expect("a name");
        for (path, text) in RIG_NODE {
            let filled = [name.fill_in(path), name.fill_in(text)].concat().to_lowercase();
            assert!(!filled.contains("template"), "{path}");
            assert_eq!(text.contains("{WEFT}"), *path == "Cargo.toml", "{path}");
        }
    }
}
