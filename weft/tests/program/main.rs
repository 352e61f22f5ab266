//! The program `weft` as a user meets it: exit codes, what it prints, what it writes.

mod bad_input;
mod characters;
mod convergence;
mod files;
mod new;
mod output;
mod plaza;
mod predict;
mod profile;
mod regress;
mod running;
mod topology;

use std::path::Path;
use std::process::{Command, Stdio};

/// What a call of the program gave.
struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Answer {
    /// The last line of stderr.
    fn complaint(&self) -> &str {
        self.stderr.trim_end().lines().last().unwrap_or_default()
    }
}

/// The program, without what the environment of the tests may say to it.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weft"));
    for variable in [
        "WEFT_EXECUTOR",
        "WEFT_SUMS",
        "WEFT_DATA_PATH",
        "WEFT_TOPOLOGY",
        "RUST_LOG",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "WAYLAND_SOCKET",
    ] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null());
    command
}

fn answer(command: &mut Command) -> Answer {
    let output = command.output().expect("the program starts");
    let answer = Answer {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
    answer
}

fn weft(arguments: &[&str]) -> Answer {
    answer(program().args(arguments))
}

/// Calls the program, which must end well.
fn weft_ok(arguments: &[&str]) -> Answer {
    let a = weft(arguments);
    assert_eq!(a.code, Some(0), "weft {arguments:?}: {}", a.stderr);
    a
}

/// Calls the program, which must end with this code and one line that holds these words.
fn weft_refuses(arguments: &[&str], code: i32, words: &[&str]) {
    let a = weft(arguments);
    assert_eq!(a.code, Some(code), "weft {arguments:?}: {}", a.stderr);
    assert_eq!(a.stderr.trim_end().lines().count(), 1, "one line: {}", a.stderr);
    for w in words {
        assert!(a.stderr.contains(w), "{arguments:?}: `{w}` is not in: {}", a.stderr);
    }
}

/// A directory of one test, and paths in it.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory for the test"))
    }
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }
    /// Writes a file and returns its path.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).expect("the test's file");
        path
    }
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("the program wrote it")
    }
    fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).expect("JSON")
    }
    fn exists(&self, name: &str) -> bool {
        Path::new(&self.path(name)).exists()
    }
}

/// Two particles joined by a spring, the first fixed.
const SPRING: &str = "<Node dt='0.01' gravity='0 -10 0'>
  <EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>
  <CGLinearSolver iterations='20' tolerance='1e-12' threshold='1e-20'/>
  <MechanicalObject position='0 0 0  0 -1 0'/>
  <MeshTopology edges='0 1'/>
  <UniformMass totalMass='2'/>
  <MeshSpringForceField stiffness='100' damping='1'/>
  <FixedProjectiveConstraint indices='0'/>
</Node>
";
