//! A run without a window.

use std::process::Stdio;

use crate::{FROM, SCENE, STEPS, weft};

pub struct Headless {
    /// Median step [ms].
    pub step_ms: f64,
    /// Memory at the end [MB].
    pub resident_mb: f64,
}

/// Runs the scene, and asks how large the program is while it runs.
pub fn run() -> Headless {
    let directory = tempfile::tempdir().expect("a directory");
    let report = directory.path().join("report.json");
    let mut command = weft();
    command.args(["run", SCENE, "--threads", "1", "--steps", &STEPS.to_string()]);
    command.args(["--report-from", &FROM.to_string(), "--report"]).arg(&report);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut resident_mb = 0.0;
    while child.try_wait().expect("it can be asked").is_none() {
        resident_mb = f64::max(resident_mb, resident(child.id()));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let text = std::fs::read_to_string(&report).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let step_ms = report["step_ms"]["median"].as_f64().expect("a median");
    Headless { step_ms, resident_mb }
}

/// Resident memory of a process [MB]; 0 where it has ended.
pub fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
