//! `weft new`: writes a crate with a component of one's own, from the files of `template`.

mod class_name;

use std::path::{Path, PathBuf};

use crate::program::Program;
use crate::program::arguments::{NewArguments, NewKind};
use crate::program::failure::Failure;
use crate::program::say::say;
use class_name::ClassName;

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

/// Writes the crate.
///
/// # Errors
/// The name is no class's name or is taken, the folder exists, or it cannot be written.
pub fn new(program: &Program, arguments: &NewArguments) -> Result<(), Failure> {
    let NewKind::ForceField = arguments.kind;
    let name = ClassName::parse(&arguments.name, "ForceField").map_err(Failure::Usage)?;
    if program.registry.find(&name.class).is_some() {
        let message = format!("there is a component `{}` already; choose another name", name.class);
        return Err(Failure::Usage(message));
    }
    let folder = arguments.path.clone().unwrap_or_else(|| PathBuf::from(&name.package));
    if folder.exists() {
        let hint = "choose another folder by --path";
        return Err(Failure::Usage(format!("{} exists already; {hint}", folder.display())));
    }
    let weft = dependency(Path::new(env!("CARGO_MANIFEST_DIR")), env!("CARGO_PKG_VERSION"));
    for (path, text) in FORCE_FIELD {
        let path = folder.join(name.fill_in(path));
        // Only the manifest names Weft, and before the class has its name, which may hold the same letters.
        write(&path, &name.fill_in(&text.replace("{WEFT}", &weft)))?;
    }
    let (class, folder, scene) = (&name.class, folder.display(), format!("scenes/{}.scn", name.package));
    say(&format!(
        "wrote a crate with the component {class}; try it:\n\n    cd {folder}\n    cargo test --no-default-features\n    \
         cargo run --release -- view {scene}"
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
    }
}
