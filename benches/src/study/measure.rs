//! Running `weft` in processes of its own, and reading what it reports.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::cases::{Case, Role, Variant};

/// The program that is measured.
pub struct Program(PathBuf);

impl Program {
    /// The given one, or the one beside this program, which is built first where cargo runs this one.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(given: Option<&Path>) -> Result<Self> {
        let path = match given {
            Some(path) => path.to_path_buf(),
            None => {
                if let Some(cargo) = std::env::var_os("CARGO") {
                    let mut build = Command::new(cargo);
                    build.args(["build", "--quiet", "--package", "weft"]);
                    if !cfg!(debug_assertions) {
                        build.arg("--release");
                    }
                    let status = build.status().context("cannot start cargo")?;
                    if !status.success() {
                        bail!("weft could not be built: {status}");
                    }
                }
                std::env::current_exe()?.with_file_name("weft")
            }
        };
        if !path.exists() {
            bail!("{} is not there; build it first: cargo build --release -p weft", path.display());
        }
        Ok(Self(path))
    }

    /// A command of the program.
    pub fn command(&self) -> Command {
        Command::new(&self.0)
    }
}

/// Medians of one run [ms].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// The whole step.
    pub step: f64,
    /// Integration.
    pub integrate: f64,
    /// Collision detection.
    pub collision: f64,
    /// Making and updating plans.
    pub graph: f64,
}

/// One run of a variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Name of the case.
    pub case: String,
    /// Which round.
    pub round: u32,
    /// The variant's position in its case.
    pub index: usize,
    /// The variant's name without the number of workers.
    pub variant: String,
    /// Number of workers, or of processes side by side.
    pub workers: u32,
    /// Whether it belongs to the control.
    pub is_control: bool,
    /// What it took; of several processes, the slowest.
    pub times: Times,
    /// Hash of the state at the end.
    pub state_hash: String,
}

/// Runs every variant of a case once. The order turns from round to round, so that none always runs after the same other.
///
/// # Errors
/// If a run fails.
pub fn round(program: &Program, case: &Case, variants: &[Variant], round: u32) -> Result<Vec<Run>> {
    let mut runs = Vec::with_capacity(variants.len());
    for offset in 0..variants.len() {
        let index = (offset + round as usize) % variants.len();
        let variant = &variants[index];
        let (times, state_hash) = run(program, variant)
            .with_context(|| format!("{}: {}, {} workers", case.name, variant.way(), variant.workers))?;
        runs.push(Run {
            case: case.name.clone(),
            round,
            index,
            variant: variant.way(),
            workers: variant.workers,
            is_control: matches!(variant.role, Role::ControlWhole | Role::ControlParts { .. }),
            times,
            state_hash,
        });
    }
    Ok(runs)
}

fn run(program: &Program, variant: &Variant) -> Result<(Times, String)> {
    let (processes, threads) = match variant.role {
        Role::ControlParts { .. } => (variant.workers, 1),
        _ => (1, variant.workers),
    };
    let folder = tempfile::tempdir()?;
    let reports: Vec<PathBuf> = (0..processes).map(|k| folder.path().join(format!("{k}.json"))).collect();
    let start = |report: &PathBuf| -> Result<Child> {
        let scene = &variant.scene;
        let mut command = program.command();
        command.args(["run", scene.name, "--quiet", "--steps", &scene.steps.to_string()]);
        command.args(["--report-from", &scene.from.to_string(), "--executor", variant.executor]);
        command.args(["--threads", &threads.to_string()]);
        command.args(["--partitioner", variant.partitioner.unwrap_or("metis")]);
        for parameter in &scene.set {
            command.args(["--set", parameter]);
        }
        command.arg("--report").arg(report).stdout(Stdio::null()).stderr(Stdio::null());
        // What the environment says of executors is not what is measured here.
        command.env_remove("WEFT_EXECUTOR").env_remove("WEFT_SUMS");
        command.spawn().context("cannot start weft")
    };
    let children: Vec<Child> = reports.iter().map(start).collect::<Result<_>>()?;
    let statuses: Vec<_> = children.into_iter().map(|mut c| c.wait()).collect::<std::io::Result<_>>()?;
    if let Some(status) = statuses.into_iter().find(|s| !s.success()) {
        bail!("weft ended with {status}");
    }
    let mut slowest = Times::default();
    let mut hash = String::new();
    for report in &reports {
        let report: Value = serde_json::from_slice(&std::fs::read(report)?)?;
        let figure = |path: &str| {
            report.pointer(path).and_then(Value::as_f64).with_context(|| format!("no {path} in the report"))
        };
        slowest.step = slowest.step.max(figure("/step_ms/median")?);
        slowest.integrate = slowest.integrate.max(figure("/phase_ms/integrate")?);
        slowest.collision = slowest.collision.max(figure("/phase_ms/collision")?);
        slowest.graph = slowest.graph.max(figure("/phase_ms/graph")?);
        report["state_hash"].as_str().context("the report has no state_hash")?.clone_into(&mut hash);
    }
    Ok((slowest, hash))
}
