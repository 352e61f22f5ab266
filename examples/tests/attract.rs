//! The program `attract`: every command of `weft` knows its component, and speaks in its name.

use std::path::Path;
use std::process::{Command, Stdio};

const SCENE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/planets.scn");

/// Exit code and all that it said.
fn attract(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_attract"));
    for variable in ["WEFT_EXECUTOR", "WEFT_SUMS", "WEFT_DATA_PATH", "WEFT_TOPOLOGY", "RUST_LOG"] {
        command.env_remove(variable);
    }
    let output = command.args(arguments).stdin(Stdio::null()).output().expect("the program starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

fn attract_says(arguments: &[&str], words: &[&str]) {
    let (code, said) = attract(arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {said}");
    for w in words {
        assert!(said.contains(w), "{arguments:?}: `{w}` is not in: {said}");
    }
}

#[test]
fn every_command_knows_the_component() {
    attract_says(&["check", SCENE], &["would run (0 errors, 0 warnings)"]);
    attract_says(&["run", SCENE, "--steps", "20"], &["20 steps of 0.01 s", "state hash"]);
    attract_says(&["run", SCENE, "--steps", "20", "--threads", "2", "--compare"], &["the same bits"]);
    attract_says(&["profile", SCENE, "--steps", "20"], &["AttractorForceField", "critical path"]);
    let few = ["--steps", "2", "--samples", "2", "--workers", "1,2"];
    attract_says(&[&["predict", SCENE][..], &few].concat(), &["efficiency"]);
    attract_says(&["topology", "--verify", SCENE, "--steps", "2"], &["/planets"]);
    attract_says(&["list", "--components"], &["AttractorForceField: Pulls every point", "MechanicalObject"]);
    attract_says(&["run", "free_fall", "--steps", "2"], &["2 iterations done"]);
}

#[test]
fn messages_name_the_program() {
    attract_says(&["--version"], &["attract (weft 0."]);
    attract_says(&["--help"], &["Usage: attract"]);
    attract_says(&["run", "--help"], &["Usage: attract run"]);
    attract_says(&["list"], &["`attract run NAME`"]);
    let (code, said) = attract(&["run"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("(see `attract --help`)"), "{said}");
    let (code, said) = attract(&["run", "nothing like it"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("`attract list`"), "{said}");
}

#[test]
fn the_scene_needs_the_component() {
    let text = std::fs::read_to_string(Path::new(SCENE)).expect("the scene");
    assert!(text.contains("<AttractorForceField"));
    let options = weft::prelude::LoadOptions::default();
    let error = weft::prelude::load_file(Path::new(SCENE), &options).err().expect("Weft has no such force");
    assert!(error.to_string().contains("AttractorForceField"), "{error}");
}
