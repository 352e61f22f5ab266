//! The program `limb`: every command of `weft` knows its kind of rig nodes, in a file and in a scene of physics.

use std::process::{Command, Stdio};

const RIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/elbow.rig");
const SCENE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/elbow.scn");

/// Exit code and all that it said.
fn limb(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_limb"));
    for variable in ["WEFT_EXECUTOR", "WEFT_SUMS", "WEFT_DATA_PATH", "WEFT_TOPOLOGY", "RUST_LOG"] {
        command.env_remove(variable);
    }
    let output = command.args(arguments).stdin(Stdio::null()).output().expect("the program starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

fn limb_says(arguments: &[&str], words: &[&str]) {
    let (code, said) = limb(arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {said}");
    for w in words {
        assert!(said.contains(w), "{arguments:?}: `{w}` is not in: {said}");
    }
}

#[test]
fn every_command_knows_the_kind_of_nodes() {
    limb_says(&["check", RIG], &["would run (0 errors, 0 warnings)"]);
    limb_says(&["run", RIG, "--steps", "20", "--threads", "2", "--compare"], &["the same bits"]);
    limb_says(&["profile", RIG, "--steps", "20"], &["critical path"]);
    limb_says(&["predict", RIG, "--steps", "2", "--samples", "2", "--workers", "1,2"], &["efficiency"]);
    limb_says(&["stages", RIG, "--at-step", "1", "--all"], &["arm"]);
    limb_says(&["list", "--components"], &["soft-limit"]);
}

#[test]
fn a_scene_of_physics_evaluates_it() {
    limb_says(&["check", SCENE], &["would run (0 errors"]);
    limb_says(&["run", SCENE, "--steps", "20", "--threads", "2", "--compare"], &["the same bits"]);
}

#[test]
fn its_numbers_are_those_of_its_formula() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("o.jsonl");
    let export = format!("bend,lost:{}", path.display());
    // 3 of a range of 0 to 2.6, of which 0.6 is left as it is: 1.3 + 0.78 + 0.52 tanh(0.92 / 0.52).
    limb_says(&["run", RIG, "--steps", "1", "--set", "bend=3", "--export-outputs", &export], &[]);
    let text = std::fs::read_to_string(&path).expect("outputs");
    let value = |name: &str| -> f64 {
        let line = text.lines().find(|l| l.contains(&format!("\"{name}\""))).expect("a line");
        line.rsplit([':', '[', ']', '}'])
            .find(|v| !v.is_empty())
            .and_then(|v| v.parse().ok())
            .expect("a number")
    };
    let expected = 2.08 + 0.52 * (0.92_f64 / 0.52).tanh();
    assert!((value("bend") - expected).abs() < 1e-12, "{text}");
    assert!((value("lost") - (3.0 - expected)).abs() < 1e-12, "{text}");
}

#[test]
fn what_is_wrong_with_a_node_is_said_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bad.rig");
    let text = std::fs::read_to_string(RIG).expect("the rig").replace("\"stiff\": 0.6", "\"stiff\": 6");
    std::fs::write(&path, text).expect("a file");
    let (code, said) = limb(&["check", path.to_str().expect("its name is text")]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("bad.rig:10:") && said.contains("6 is no share of the range"), "{said}");
}
