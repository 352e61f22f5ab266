//! Runs: executors agree, Ctrl-C leaves what there was, the gallery runs.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Scratch, program, weft, weft_ok};

#[test]
fn version_and_help() {
    assert!(weft_ok(&["--version"]).stdout.starts_with("weft 0."));
    assert!(weft_ok(&["--help"]).stdout.contains("Usage"));
    assert!(weft_ok(&["run", "--help"]).stdout.contains("--partitioner"));
}

#[cfg(unix)]
#[test]
fn messages_name_the_program_as_it_is_called() {
    let s = Scratch::new();
    let orbit = s.path("orbit-2.1");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_weft"), &orbit).expect("a link");
    let say = |arguments: &[&str]| {
        let output = Command::new(&orbit).args(arguments).output().expect("the program starts");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    assert!(say(&["run", "--help"]).contains("Usage: orbit-2.1 run"));
    assert!(say(&["frobnicate"]).contains("(see `orbit-2.1 --help`)"));
    assert!(say(&["list"]).contains("`orbit-2.1 run NAME`"));
}

#[test]
fn all_executors_end_with_the_same_bits() {
    let s = Scratch::new();
    let report = s.path("r.json");
    let mut hashes = Vec::new();
    for how in [
        "--executor sequential",
        "--executor replay --threads 1",
        "--executor replay --threads 2 --spin 0",
        "--executor replay --threads 3 --accumulate mirror",
        "--executor replay --threads 2 --partitioner metis --accumulate reduce",
        "--executor stealing --threads 2",
        "--executor fork-join --threads 2",
    ] {
        let how: Vec<&str> = how.split(' ').collect();
        let scene =
            ["run", "falling", "--set", "objects=10", "--steps", "160", "--quiet", "--report", &report];
        weft_ok(&[&scene[..], &how].concat());
        hashes.push(s.json("r.json")["state_hash"].as_str().map(str::to_owned));
    }
    assert!(hashes[0].is_some() && hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
}

#[test]
fn the_gallery_passes_check() {
    for name in weft_ok(&["list", "--names"]).stdout.lines() {
        let a = weft(&["check", name]);
        assert_eq!(a.code, Some(0), "{name}: {}", a.stderr);
        assert!(a.stdout.contains("would run (0 errors, 0 warnings)"), "{name}: {}", a.stdout);
    }
}

#[test]
fn an_interrupted_run_writes_what_was_asked_for() {
    let s = Scratch::new();
    let (states, report, trace) = (s.path("s.jsonl"), s.path("r.json"), s.path("t.json"));
    let mut command = program();
    command.args(["run", "pendulum", "--steps", "1000000000", "--export-steps", "every:100000"]);
    command.args(["--export-state", &states, "--report", &report, "--trace", &trace]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // It listens before it opens the trace for good, and writes its header before the first step.
    while !std::fs::metadata(&trace).is_ok_and(|m| m.len() > 0) {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ends before it begins");
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success());
    let output = child.wait_with_output().expect("the program ends");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("interrupted after ") && stdout.contains("s.jsonl"), "{stdout}");
    let r = s.json("r.json");
    assert_eq!(r["interrupted"].as_bool(), Some(true));
    assert!(s.read("s.jsonl").lines().count() >= 1);
    assert!(s.json("t.json")["traceEvents"].is_array());
}

#[test]
fn a_closed_pipe_is_no_reason_to_panic() {
    let line = format!("'{}' list --components | head -n 1", env!("CARGO_BIN_EXE_weft"));
    let output = Command::new("sh").args(["-c", &line]).output().expect("sh");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_said_fails() {
    for arguments in ["list --components", "--help", "list --export falling"] {
        let line = format!("'{}' {arguments} > /dev/full", env!("CARGO_BIN_EXE_weft"));
        let output = Command::new("sh").args(["-c", &line]).output().expect("sh");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("error: cannot write to stdout: "), "{said}");
        assert_eq!(output.status.code(), Some(1), "{arguments}");
    }
}

#[test]
fn names_of_components_are_listed() {
    let text = weft_ok(&["list", "--components", "--names"]).stdout;
    let names: Vec<&str> = text.lines().collect();
    assert!(names.is_sorted() && names.iter().all(|n| !n.contains(char::is_whitespace)), "{text}");
    assert!(names.contains(&"RigidMapping") && !names.contains(&"bars"), "{text}");
    assert_ne!(text, weft_ok(&["list", "--names"]).stdout);
}
