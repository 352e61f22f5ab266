//! The machine that measured: what figures mean nothing without.

use std::process::Command;

use executors::topology::Topology;

use super::measure::Program;

/// Facts by name, in the order in which they are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Name and value.
    pub facts: Vec<(&'static str, String)>,
}

impl Machine {
    /// A table of what is known of it.
    pub fn table(&self) -> String {
        let row = |(name, value): &(&str, String)| format!("| {name} | {value} |\n");
        "| machine | |\n|---|---|\n".to_owned() + &self.facts.iter().map(row).collect::<String>()
    }
}

/// What a command prints, if it succeeds.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|o| o.status.success());
    output.map(|o| String::from_utf8_lossy(&o.stdout).trim_end().to_owned())
}

/// What `weft topology` says.
pub fn topology_of(program: &Program) -> String {
    said(program.command().arg("topology")).unwrap_or_default()
}

/// Describes the machine; what cannot be found out is called unknown.
pub fn describe(topology: &Topology) -> Machine {
    let file = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let unknown = |fact: Option<String>| fact.unwrap_or_else(|| "unknown".to_owned());
    let cores = format!("{} cores, {} hardware threads", topology.cores.len(), topology.n_threads());
    let kernel =
        file("/proc/sys/kernel/osrelease").map(|release| format!("{} {release}", std::env::consts::OS));
    let commit = said(Command::new("git").args(["rev-parse", "HEAD"])).map(|commit| {
        let changed = said(Command::new("git").args(["status", "--porcelain", "--untracked-files=no"]));
        let mark = if changed.is_none_or(|c| c.is_empty()) { "" } else { ", with changes" };
        format!("{commit}{mark}")
    });
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let built = if cfg!(debug_assertions) { "debug" } else { "release" };
    let load = file("/proc/loadavg").and_then(|l| l.split(' ').next().map(str::to_owned));
    Machine {
        facts: vec![
            ("processor", unknown(processor())),
            ("cores", cores),
            ("system", unknown(system().zip(kernel).map(|(name, kernel)| format!("{name}, {kernel}")))),
            ("compiler", unknown(said(Command::new(rustc).arg("--version")))),
            ("build", built.to_owned()),
            ("commit", unknown(commit)),
            ("load before", unknown(load)),
        ],
    }
}

/// The model of the first processor.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

/// The name of the system's distribution.
fn system() -> Option<String> {
    let text = std::fs::read_to_string("/etc/os-release").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}
