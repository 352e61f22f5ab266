//! Crates use lower layers only, never a sibling; each outside crate has its homes.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Findings;

/// The layer of each crate of the workspace.
const LAYERS: &[(&str, u32)] = &[
    ("derive", 0),
    ("diagnostics", 0),
    ("engine", 0),
    ("sim-core", 1),
    ("partition", 1),
    ("executors", 1),
    ("animation", 1),
    ("x3d", 2),
    ("characters", 2),
    ("game", 2),
    ("components", 2),
    ("solvers", 2),
    ("scenes", 3),
    ("viewer", 4),
    ("weft", 5),
    ("benches", 6),
    ("xtask", 0),
];

/// Crates that are a layer's door for those above it: `xtask` uses none of ours, `benches` looks at the front door too.
const ANYWHERE: &[&str] = &["anyhow", "log", "thiserror", "serde", "serde_json"];

/// Where an outside crate may be used besides tests.
const HOMES: &[(&str, &[&str])] = &[
    ("nalgebra", &["engine", "sim-core", "solvers"]),
    ("bytemuck", &["engine", "sim-core", "animation"]),
    ("syn", &["derive"]),
    ("quote", &["derive"]),
    ("proc-macro2", &["derive"]),
    ("parry3d-f64", &["components"]),
    ("sprs", &["solvers"]),
    ("faer", &["solvers"]),
    ("metis", &["partition"]),
    ("crossbeam", &["executors"]),
    ("rayon", &["executors"]),
    ("libc", &["engine", "executors"]),
    ("hwlocality", &["executors"]),
    ("roxmltree", &["scenes", "x3d"]),
    ("rquickjs", &["x3d"]),
    ("scoped-tls-hkt", &["x3d"]),
    ("gltf", &["characters"]),
    ("base64", &["characters"]),
    ("half", &["characters"]),
    ("pulp", &["animation"]),
    ("urlencoding", &["characters"]),
    ("strsim", &["diagnostics"]),
    ("flate2", &["scenes", "x3d"]),
    ("kiss3d", &["viewer"]),
    ("wgpu", &["viewer"]),
    ("image", &["viewer"]),
    ("triple_buffer", &["viewer"]),
    ("clap", &["weft", "benches"]),
    ("ctrlc", &["weft"]),
    ("plotters", &["weft"]),
    ("env_logger", &["weft"]),
    ("indicatif", &["weft"]),
    ("loom", &["engine", "executors"]),
    ("tempfile", &["benches"]),
];

/// Siblings that a crate's tests need: executors run what `partition` has lowered, and what `animation` emits.
const TESTED_WITH: &[(&str, &str)] =
    &[("executors", "partition"), ("animation", "partition"), ("animation", "executors")];

/// Outside crates for tests and benchmarks only.
const TESTS_ONLY: &[&str] = &["approx", "proptest", "criterion", "tempfile", "loom", "x11rb"];

/// Checks the dependencies that cargo reports.
pub fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .context("cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    for package in metadata["packages"].as_array().context("packages")? {
        let name = folder(package["name"].as_str().context("name")?);
        for dependency in package["dependencies"].as_array().context("dependencies")? {
            let on = folder(dependency["name"].as_str().context("dependency")?);
            let test = dependency["kind"].as_str() == Some("dev");
            findings_of(name, on, test, findings);
        }
    }
    Ok(())
}

/// The folder of a package of ours; another package's name.
fn folder(package: &str) -> &str {
    package.strip_prefix("weft-").unwrap_or(package)
}

fn layer(name: &str) -> Option<u32> {
    LAYERS.iter().find(|(n, _)| *n == name).map(|(_, l)| *l)
}

fn findings_of(name: &str, on: &str, test: bool, findings: &mut Findings) {
    let Some(own) = layer(name) else {
        findings.error(format!("the crate {name} has no layer (xtask/src/tidy/layers.rs)"));
        return;
    };
    if let Some(other) = layer(on) {
        // A crate may name itself to switch on its own test features.
        let is_sibling_of_tests = test && TESTED_WITH.contains(&(name, on));
        if other >= own && name != on && !is_sibling_of_tests {
            findings.error(format!("{name} (layer {own}) must not use {on} (layer {other})"));
        }
    } else if test {
        let known = TESTS_ONLY.contains(&on) || HOMES.iter().any(|(n, _)| *n == on) || ANYWHERE.contains(&on);
        if !known {
            findings.error(format!(
                "{name} tests with {on}, which is not in the list of xtask/src/tidy/layers.rs"
            ));
        }
    } else if !ANYWHERE.contains(&on) {
        match HOMES.iter().find(|(n, _)| *n == on) {
            Some((_, homes)) if homes.contains(&name) => {}
            Some((_, homes)) => {
                findings.error(format!("{name} uses {on}, whose home is {}", homes.join(", ")));
            }
            None => findings.error(format!(
                "{name} uses {on}, which has no home: write a decision and add it to xtask/src/tidy/layers.rs"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(name: &str, on: &str, test: bool) -> usize {
        let mut findings = Findings::default();
        findings_of(name, on, test, &mut findings);
        findings.errors.len()
    }

    #[test]
    fn arrows_point_down_and_never_sideways() {
        assert_eq!(errors("scenes", "components", false), 0);
        assert_eq!(errors("components", "solvers", false), 1);
        assert_eq!(errors("components", "solvers", true), 1);
        assert_eq!((errors("executors", "partition", true), errors("executors", "partition", false)), (0, 1));
        assert_eq!(errors("sim-core", "components", false), 1);
        assert_eq!(errors("executors", "engine", false), 0);
        assert_eq!(errors("executors", "sim-core", false), 1);
        assert_eq!(errors("sim-core", "sim-core", true), 0);
    }

    #[test]
    fn outside_crates_stay_at_home() {
        assert_eq!(errors("sim-core", "nalgebra", false), 0);
        assert_eq!(errors("components", "nalgebra", false), 1);
        assert_eq!(errors("components", "proptest", true), 0);
        assert_eq!(errors("components", "proptest", false), 1);
        assert_eq!(errors("weft", "unheard-of", false), 1);
    }
}
