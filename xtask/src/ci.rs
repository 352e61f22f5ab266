//! The gate: what must pass before a change is merged, the same here and on the machines that check it.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::commands::{cargo, finish, weft};
use crate::{judges, package, pages, readme, tidy};

type Step = (&'static str, &'static str, fn(&Path) -> Result<()>);

const STEPS: &[Step] = &[
    ("fmt", "formatting", fmt),
    ("tidy", "layers, homes of outside crates, lists, sizes, ARCHITECTURE.md", tidy::run),
    ("clippy", "lints, warnings denied", clippy),
    ("doc", "documentation, warnings denied", doc),
    ("test", "the README's test command as it stands there", test),
    ("hwloc", "the topology by hwloc, where the library is installed", hwloc),
    ("examples", "the package examples, outside the workspace", examples),
    ("package", "what is published can be packed, with its sources and nothing of its tests", package::check),
    ("pages", "docs/components says what the components say", pages::check),
    ("gallery", "every gallery scene, all executors, equal bits", gallery),
    ("judge", "scenes that agreed with SOFA still do, where ../shared holds SOFA's states", judges::check),
    ("study", "the studies and the measures of the engine, tried with small numbers", study),
    ("loom", "interleavings of the executors' synchronization", loom),
    ("asan", "the crates with unsafe code under the address sanitizer", asan),
];

/// Prints the names of the steps.
pub fn list() {
    for (name, what, _) in STEPS {
        println!("{name:10} {what}");
    }
}

/// Runs all steps, or one.
///
/// # Errors
/// At the first step that fails.
pub fn run(root: &Path, only: Option<&str>) -> Result<()> {
    if let Some(name) = only
        && !STEPS.iter().any(|(n, _, _)| *n == name)
    {
        bail!("there is no step `{name}`; `cargo xtask list` names them");
    }
    let begin = Instant::now();
    for (name, what, step) in STEPS {
        if only.is_some_and(|o| o != *name) {
            continue;
        }
        println!("== {name}: {what}");
        let start = Instant::now();
        step(root).with_context(|| format!("the step `{name}` failed"))?;
        println!("== {name}: {:.0} s", start.elapsed().as_secs_f64());
    }
    println!("all passed in {:.0} s", begin.elapsed().as_secs_f64());
    Ok(())
}

fn fmt(root: &Path) -> Result<()> {
    finish(cargo(root, &["fmt", "--all", "--check"]))?;
    finish(cargo(root, &["fmt", "--manifest-path", "examples/Cargo.toml", "--check"]))
}

fn clippy(root: &Path) -> Result<()> {
    finish(cargo(root, &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))
}

/// Units stand in square brackets in comments, which rustdoc takes for links.
const UNITS: &[&str] =
    &["m", "m²", "m³", "s", "ns", "ms", "kg", "N", "J", "Pa", "rad", "deg", "degrees", "us", "px", "bytes"];

fn doc(root: &Path) -> Result<()> {
    let mut command = cargo(root, &["doc", "--workspace", "--no-deps", "--locked"]);
    command.env("RUSTDOCFLAGS", "-D warnings --force-warn rustdoc::broken_intra_doc_links");
    let output = command.output().context("cargo doc")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let links = text.lines().filter_map(|l| l.split("unresolved link to `").nth(1)?.split('`').next());
    let broken: Vec<&str> = links.filter(|l| !UNITS.contains(l)).collect();
    if !output.status.success() || !broken.is_empty() {
        eprintln!("{text}");
        bail!("cargo doc: {}; links that lead nowhere: {}", output.status, broken.join(", "));
    }
    Ok(())
}

/// Programs are built along with the tests, for the steps that run them later: alone they would be built with other
/// features, and so once more.
fn test(root: &Path) -> Result<()> {
    finish(cargo(root, &["build", "--workspace", "--bins", "--tests", "--locked"]))?;
    let line = readme::test_command(root)?;
    println!("$ {line}");
    let mut command = Command::new("sh");
    command.current_dir(root).args(["-c", &line]).env("CARGO_INCREMENTAL", "0");
    finish(command)
}

/// Compares the topology by hwloc with that by the system's files; the library is no requirement.
fn hwloc(root: &Path) -> Result<()> {
    let known = Command::new("pkg-config").args(["--exists", "hwloc"]).status();
    if !known.is_ok_and(|status| status.success()) {
        println!("hwloc is not installed (Debian: libhwloc-dev, libudev-dev): nothing to compare");
        return Ok(());
    }
    // Of the whole workspace, so that other people's crates have the features that they were built with before.
    let test = ["test", "--workspace", "--features", "weft-executors/hwloc", "--test", "hwloc", "--locked"];
    finish(cargo(root, &test))
}

/// Options by which our own crates are built without optimization. As dependencies of a package outside the workspace they are compiled
/// once more, and what these packages run is over in a moment.
fn unoptimized(root: &Path) -> Result<Vec<String>> {
    let config = std::fs::read_to_string(root.join(".cargo/config.toml")).context(".cargo/config.toml")?;
    let own =
        config.lines().filter_map(|l| l.strip_suffix(".opt-level = 1")).filter(|p| p.starts_with("weft"));
    let options = own.map(|package| format!("--config=profile.dev.package.{package}.opt-level=0"));
    Ok(options.collect())
}

/// Builds and tests a package outside the workspace with the workspace's build folder, so that other people's crates are not compiled
/// again.
fn build_outside(root: &Path, manifest: &str, lock: &str) -> Result<()> {
    let unoptimized = unoptimized(root)?;
    let mut options = vec!["--manifest-path", manifest, "--target-dir", "target", lock];
    options.extend(unoptimized.iter().map(String::as_str));
    finish(cargo(root, &[&["build", "--all-targets"], &options[..]].concat()))?;
    finish(cargo(root, &[&["test"], &options[..]].concat()))
}

/// Builds the examples, and runs each: as it was built along with the tests, since alone it would be built with other features.
fn examples(root: &Path) -> Result<()> {
    build_outside(root, "examples/Cargo.toml", "--locked")?;
    let sources = std::fs::read_dir(root.join("examples/src/bin")).context("examples/src/bin")?;
    let mut names = Vec::new();
    for source in sources {
        if let Some(name) = source?.path().file_stem().and_then(|s| s.to_str()) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    for name in &names {
        println!("-- examples: {name}");
        let mut example = Command::new(root.join("target/debug").join(name));
        if let Some(scene) = match name.as_str() {
            "attract" => Some("examples/scenes/planets.scn"),
            "limb" => Some("examples/scenes/elbow.scn"),
            _ => None,
        } {
            example.args(["run", scene, "--steps", "100"]);
        }
        // What it writes belongs to this checkout.
        example.current_dir(root).env("TMPDIR", root.join("target"));
        finish(example)?;
    }
    let stages = weft(root, &["stages", "examples/scenes/two_bodies.scn"])?;
    if !std::fs::read_to_string(root.join("ARCHITECTURE.md"))?.contains(stages.trim_end()) {
        bail!("ARCHITECTURE.md shows other stages of two bodies than the program:\n{stages}");
    }
    new_crate(root, ["force-field", "WindForceField"], "wind_force_field", "scn")?;
    new_crate(root, ["rig-node", "soft-limit"], "soft_limit_node", "rig")
}

/// Lets the program write a crate with a component or a kind of nodes, which must build, pass its test and run its scene. The versions
/// and the build folder are the workspace's, so that other people's crates are not compiled again.
fn new_crate(root: &Path, what: [&str; 2], package: &str, extension: &str) -> Result<()> {
    let folder = format!("target/new_crate_{package}");
    if root.join(&folder).exists() {
        std::fs::remove_dir_all(root.join(&folder)).with_context(|| folder.clone())?;
    }
    println!("-- examples: the crate of `weft new {}`", what[0]);
    weft(root, &["new", what[0], what[1], "--path", &folder])?;
    std::fs::copy(root.join("Cargo.lock"), root.join(&folder).join("Cargo.lock")).context("Cargo.lock")?;
    let manifest = format!("{folder}/Cargo.toml");
    // With the features that the examples ask for, so that Weft is not compiled again either.
    let examples = std::fs::read_to_string(root.join("examples/Cargo.toml"))?;
    let unused = examples.split_once("# Unused").and_then(|(_, rest)| rest.split("\n\n").next());
    let unused = unused.and_then(|lines| lines.split_once('\n')).map_or("", |(_, lines)| lines);
    let text = std::fs::read_to_string(root.join(&manifest))?;
    let text = text.replace("[dev-dependencies]\n", &format!("[dev-dependencies]\n{unused}\n"));
    std::fs::write(root.join(&manifest), text).context("the crate's manifest")?;
    finish(cargo(root, &["fmt", "--manifest-path", &manifest, "--check"]))?;
    build_outside(root, &manifest, "--offline")?;
    let scene = format!("{folder}/scenes/{package}.{extension}");
    for arguments in [&["check", &scene][..], &["run", &scene, "--steps", "100"]] {
        let mut program = Command::new(root.join("target/debug").join(package));
        program.current_dir(root).args(arguments);
        finish(program)?;
    }
    Ok(())
}

/// Steps that each gallery scene is run for.
const GALLERY_STEPS: &str = "12";

/// Executor, workers and partitioner of each run.
const WAYS: [&str; 6] = [
    "sequential 1 owner",
    "replay 1 owner",
    "replay 2 owner",
    "replay 3 metis",
    "stealing 2 owner",
    "fork-join 2 owner",
];

/// Checks every gallery scene and runs it by every executor: the hashes of the final states must be equal.
fn gallery(root: &Path) -> Result<()> {
    let report = root.join("target/gallery_report.json");
    let report_path = report.to_string_lossy().into_owned();
    for name in weft(root, &["list", "--names"])?.lines() {
        weft(root, &["check", name])?;
        let mut hashes: Vec<(String, String)> = Vec::new();
        for way in WAYS {
            let words: Vec<&str> = way.split(' ').collect();
            let [executor, threads, partitioner] = words[..] else { continue };
            let scene = ["run", name, "--steps", GALLERY_STEPS, "--quiet", "--report", &report_path];
            let how = ["--executor", executor, "--threads", threads, "--partitioner", partitioner];
            let files = ["--files", "target/gallery_files", "--overwrite"];
            weft(root, &[&scene[..], &how[..], &files[..]].concat())?;
            let text = std::fs::read_to_string(&report)?;
            let json: serde_json::Value = serde_json::from_str(&text)?;
            let hash = json["state_hash"].as_str().context("the report has no state_hash")?;
            hashes.push((way.to_owned(), hash.to_owned()));
        }
        if let Some((way, _)) = hashes.iter().find(|(_, h)| *h != hashes[0].1) {
            bail!("{name}: the state by `{way}` differs from that by `{}`", hashes[0].0);
        }
        println!("{name}: {}", hashes.first().map_or("", |(_, h)| h));
    }
    Ok(())
}

/// Tries each study: that it runs, that all executors end in the same state, that its report is written; and that the
/// engine is measured.
fn study(root: &Path) -> Result<()> {
    for name in ["bars", "falling", "cloth"] {
        let out = format!("target/study_quick/{name}");
        let quick = ["--quick", "--workers", "1,2", "--weft", "target/debug/weft", "--out", &out];
        let mut study = benches(root);
        study.args(["study", name]).args(quick);
        finish(study)?;
        if !root.join(&out).join(format!("{name}.svg")).exists() {
            bail!("the study {name} has drawn nothing");
        }
    }
    for name in ["rig", "events", "crowd", "game", "world"] {
        let out = format!("target/study_quick/{name}");
        let mut study = benches(root);
        study.args(["study", name, "--quick", "--weft", "target/debug/weft", "--out", &out]);
        finish(study)?;
    }
    let mut engine = benches(root);
    engine.args(["engine", "--rounds", "3"]);
    finish(engine)
}

/// The program that measures, as it was built along with the tests.
fn benches(root: &Path) -> Command {
    let mut command = Command::new(root.join("target/debug/benches"));
    command.current_dir(root);
    command
}

fn loom(root: &Path) -> Result<()> {
    let target = ["--target-dir", "target/loom", "--locked"];
    let mut command =
        cargo(root, &[&["test", "--package", "weft-executors", "--test", "loom"], &target[..]].concat());
    command.env("RUSTFLAGS", "--cfg loom").env("LOOM_MAX_PREEMPTIONS", "2");
    finish(command)
}

/// The own tests of the crates with unsafe code, and the random programs that all executors run: as one command, so that
/// all have the same features and are built once.
fn asan(root: &Path) -> Result<()> {
    let packages = ["--package", "weft-engine", "--package", "weft-sim-core", "--package", "weft-executors"];
    let tests = [
        "--lib",
        "--test",
        "recording",
        "--test",
        "misuse",
        "--test",
        "long_work",
        "--test",
        "random_programs",
        "--test",
        "engine_failures",
    ];
    let target = ["--target", "x86_64-unknown-linux-gnu", "--target-dir", "target/asan", "--locked"];
    let mut command = cargo(root, &[&["test"], &packages[..], &tests[..], &target[..]].concat());
    // The sanitizer is a nightly feature; this switch makes the stable compiler offer it too.
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address");
    // The step `test` runs 200 of each kind, with the same checks.
    command.env("WEFT_RANDOM_PROGRAMS", "60");
    finish(command)
}
