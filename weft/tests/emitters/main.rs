//! What plays frame by frame, as a user runs it: event graphs with their rigid bodies, rigs and games, by the program itself and in a window.

mod beginnings;
mod bodies;
mod environment;
mod events;
mod games;
mod inlines;
mod rigs;

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use viewer::snapshot::{Link, Snapshot};

/// Ways of running, which all have the same events.
const WAYS: [&str; 11] = [
    "--threads 1",
    "--threads 2",
    "--threads 3 --executor stealing",
    "--threads 2 --executor fork-join",
    "--threads 2 --fusion off",
    "--threads 2 --restart full",
    "--threads 2 --events levels --strategy pool-static",
    "--threads 2 --events levels --strategy pool-dynamic",
    "--threads 2 --events levels --strategy loop-static",
    "--threads 2 --events levels --strategy loop-dynamic",
    "--threads 2 --events levels --strategy loop-guided",
];

/// The program's answer, whatever the environment of the tests says.
fn weft(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weft"));
    for variable in ["WEFT_EXECUTOR", "RUST_LOG", "DISPLAY"] {
        command.env_remove(variable);
    }
    command.current_dir(folder).args(arguments).output().expect("the program starts")
}

/// What it says where it succeeds.
fn ok(folder: &Path, arguments: &[&str]) -> String {
    let output = weft(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    said(&output)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn complaints(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// Waits until what is seen is as wanted.
fn wait<T>(link: &mut Link, what: &str, wanted: impl Fn(&Snapshot) -> Option<T>) -> T {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(60) {
        if let Some(found) = wanted(link.newest()) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("never seen: {what}");
}
