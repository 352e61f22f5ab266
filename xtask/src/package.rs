//! What is published: that it can be packed, and that the packages hold what is needed and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Packages of the workspace that stay in it.
const UNPUBLISHED: &[&str] = &["benches", "xtask"];

/// Folders of a package that its library is made of, or reads when it is compiled.
const FOLDERS: &[&str] = &["src", "gallery"];

/// What else is in a package.
const BESIDES: &[&str] = &[
    "Cargo.toml",
    "Cargo.toml.orig",
    "Cargo.lock",
    ".cargo_vcs_info.json",
    "README.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// Packs all that is published, without a network and without building it, and checks what is inside.
///
/// # Errors
/// A package that cannot be packed, that lacks a file of its folders, or that holds another one.
pub fn check(root: &Path) -> Result<()> {
    let metadata: Value =
        serde_json::from_str(&cargo(root, &["metadata", "--no-deps", "--format-version", "1"])?)?;
    let packages = metadata["packages"].as_array().context("packages")?;
    for package in packages {
        let name = package["name"].as_str().context("name")?;
        // `null` says that it may go to any registry.
        if package["publish"].is_null() == UNPUBLISHED.contains(&name) {
            bail!("{name}: xtask/src/package.rs and its Cargo.toml disagree on whether it is published");
        }
    }
    let mut pack = vec!["package", "--workspace", "--no-verify", "--no-metadata", "--quiet"];
    // The gate also runs before a commit.
    pack.extend(["--allow-dirty", "--offline", "--locked"]);
    pack.extend(UNPUBLISHED.iter().flat_map(|name| ["--exclude", name]));
    cargo(root, &pack)?;
    for package in packages {
        let name = package["name"].as_str().context("name")?;
        if UNPUBLISHED.contains(&name) {
            continue;
        }
        let folder = Path::new(package["manifest_path"].as_str().context("manifest_path")?);
        let folder = folder.parent().context("the manifest's folder")?;
        let list = cargo(root, &["package", "--list", "--allow-dirty", "--offline", "--package", name])?;
        let inside: BTreeSet<String> = list.lines().map(|l| l.replace('\\', "/")).collect();
        let mut needed = BTreeSet::new();
        for part in FOLDERS {
            collect(folder, part, &mut needed)?;
        }
        let wrong = differences(&inside, &needed);
        if !wrong.is_empty() {
            bail!("the package {name}: {}", wrong.join("; "));
        }
        println!("{name}: {} files", inside.len());
    }
    Ok(())
}

/// What a package lacks, and what it holds without need.
fn differences(inside: &BTreeSet<String>, needed: &BTreeSet<String>) -> Vec<String> {
    let licenses = ["LICENSE-MIT", "LICENSE-APACHE"].map(str::to_owned);
    let lacks = needed.iter().chain(&licenses).filter(|f| !inside.contains(*f));
    let more = inside.iter().filter(|f| !needed.contains(*f) && !BESIDES.contains(&f.as_str()));
    lacks
        .map(|f| format!("{f} is missing"))
        .chain(more.map(|f| format!("{f} should not be inside")))
        .collect()
}

/// All files of a folder of a package, relative to the package, with `/`.
fn collect(package: &Path, folder: &str, files: &mut BTreeSet<String>) -> Result<()> {
    if !package.join(folder).is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(package.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(package, &path, files)?;
        } else {
            files.insert(path);
        }
    }
    Ok(())
}

/// What cargo prints.
fn cargo(root: &Path, arguments: &[&str]) -> Result<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).current_dir(root).args(arguments).output().context("cargo")?;
    if !output.status.success() {
        bail!("cargo {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_and_what_is_too_much() {
        let set = |files: &[&str]| files.iter().map(|f| (*f).to_owned()).collect::<BTreeSet<_>>();
        let needed = set(&["src/lib.rs", "gallery/rope.scn"]);
        let whole = ["src/lib.rs", "gallery/rope.scn", "Cargo.toml", "LICENSE-MIT", "LICENSE-APACHE"];
        assert_eq!(differences(&set(&whole), &needed), Vec::<String>::new());
        let other = set(&["src/lib.rs", "tests/data.msh", "LICENSE-MIT", "LICENSE-APACHE"]);
        let wrong = differences(&other, &needed);
        assert_eq!(wrong, ["gallery/rope.scn is missing", "tests/data.msh should not be inside"]);
    }
}
