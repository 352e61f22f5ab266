//! Each component's file is in its family's list, and each component has a gallery scene.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use super::{Findings, Source};

/// Folders whose files are components.
const FOLDERS: &[&str] = &["components/src/", "solvers/src/"];

/// Checks lists and gallery.
pub fn check(root: &Path, sources: &[Source], findings: &mut Findings) -> Result<()> {
    let mut gallery = String::new();
    for entry in std::fs::read_dir(root.join("scenes/gallery")).into_iter().flatten() {
        gallery.push_str(&std::fs::read_to_string(entry?.path()).unwrap_or_default());
    }
    for source in sources.iter().filter(|s| s.path.starts_with("scenes/src/gallery")) {
        gallery.push_str(&source.text);
    }
    let mut unseen = BTreeSet::new();
    for source in sources.iter().filter(|s| FOLDERS.iter().any(|f| s.path.starts_with(f))) {
        if !source.text.contains("ComponentDescription =") || source.path.ends_with("/mod.rs") {
            continue;
        }
        if !listed(source, sources) {
            findings.error(format!("{} is in no `all()` of its family's mod.rs", source.path));
        }
        for class in classes(&source.text) {
            let seen =
                [format!("<{class}"), format!("\"{class}\"")].iter().any(|t| gallery.contains(t.as_str()));
            if !seen {
                unseen.insert(class);
            }
        }
    }
    if !unseen.is_empty() {
        let names: Vec<&str> = unseen.iter().map(String::as_str).collect();
        findings.warning(format!(
            "{} components stand in no gallery scene: {}",
            names.len(),
            names.join(", ")
        ));
    }
    Ok(())
}

/// Whether a list of the family, in the file's folder or one above, names the file's module.
fn listed(source: &Source, sources: &[Source]) -> bool {
    let stem = source.path.rsplit('/').next().and_then(|f| f.strip_suffix(".rs")).unwrap_or_default();
    let reference = format!("{stem}::");
    let mut folder = source.path.as_str();
    while let Some((parent, _)) = folder.rsplit_once('/') {
        let lists = ["mod.rs", "list.rs", "lib.rs"].map(|f| format!("{parent}/{f}"));
        if sources
            .iter()
            .any(|s| lists.contains(&s.path) && s.path != source.path && s.text.contains(&reference))
        {
            return true;
        }
        folder = parent;
    }
    // A list may stand in the file itself (several classes that share one build function).
    source.text.contains("pub fn all()")
}

/// The class names that a file describes.
fn classes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // `ComponentDescription::new::<Settings>(Family::Mass, "UniformMass", build)`
    for part in text.split("Family::").skip(1) {
        let name = part.split_once(',').and_then(|(_, rest)| rest.trim_start().strip_prefix('"'));
        found.extend(name.and_then(|n| n.split('"').next()).map(str::to_owned));
    }
    for part in text.split("class: \"").skip(1) {
        found.extend(part.split('"').next().map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_found_in_descriptions() {
        assert_eq!(classes("x { class: \"A\", y }\n  class: \"B\","), ["A", "B"]);
        assert_eq!(classes("new::<S>(Family::Mass, \"A\", build)"), ["A"]);
        assert_eq!(classes("new::<S>(\n    Family::Mass,\n    \"A\",\n)"), ["A"]);
        assert!(classes("family: Family::Mass,\n    summary: \"A\"").is_empty());
    }

    #[test]
    fn a_file_is_listed_by_its_module() {
        let file = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let all = [file("components/src/mass/mod.rs", "vec![uniform_mass::DESCRIPTION]")];
        assert!(listed(&file("components/src/mass/uniform_mass.rs", ""), &all));
        assert!(!listed(&file("components/src/mass/other.rs", ""), &all));
    }
}
