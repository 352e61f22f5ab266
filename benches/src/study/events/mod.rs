//! The study of event graphs: what MCEE reports of its scenes, redone on the machine at hand.
//!
//! Times are of `weft run` in processes of their own, as those of the other studies: each variant once a round, in an order that turns.
//! What needs more cores than there are is predicted by `weft predict` from costs measured on one.
//!
//! **Source:** *Many-Core Event Evaluation*, Web3D 2013, section 5.

mod borders;
mod chart;
mod edits;
mod files;
mod graphs;
mod imbalance;
mod levels;
mod loading;
mod loops;
mod table;

use std::fmt::Write;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Arguments;
use super::machine::Machine;
use super::measure::Program;
use super::page;

/// Frames of a run, and the first that counts.
const FRAMES: [u64; 2] = [120, 20];
/// What all parts of the study share.
struct Setting<'a> {
    program: &'a Program,
    out: &'a Path,
    rounds: u32,
    /// Humanoids of scene 3.
    humanoids: usize,
}

/// A way to run a scene.
struct Variant {
    name: String,
    scene: String,
    options: Vec<String>,
    workers: u32,
    /// A frame, by round \[ms\].
    times: Vec<f64>,
}

impl Variant {
    fn new(name: &str, scene: &str, options: &[&str], workers: u32) -> Self {
        let options = options.iter().map(|o| (*o).to_owned()).collect();
        Self { name: name.to_owned(), scene: scene.to_owned(), options, workers, times: Vec::new() }
    }

    fn median(&self) -> f64 {
        middle(self.times.clone())
    }
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The middle of the ratios of two variants, round by round.
fn ratio(a: &Variant, b: &Variant) -> f64 {
    middle(a.times.iter().zip(&b.times).map(|(a, b)| a / b).collect())
}

/// Does the study and writes its report.
///
/// # Errors
/// A run fails, or ends otherwise than the paper says.
pub fn run(arguments: &Arguments, program: &Program, machine: &Machine) -> Result<()> {
    let quick = arguments.quick;
    let rounds = arguments.rounds.unwrap_or(if quick { 1 } else { 7 });
    let out = arguments.folder();
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let mut text = page::heading("Event graphs", arguments, machine);
    let _ = writeln!(
        text,
        "\nTimes are medians of frames, then of {rounds} rounds; speedups are against the same way on one worker in the same round."
    );
    counts(&mut text, program, &out, quick)?;
    let humanoids = if quick { 20 } else { 1000 };
    let setting = Setting { program, out: &out, rounds, humanoids };
    table::page(&mut text, &setting)?;
    borders::page(&mut text, &setting)?;
    edits::page(&mut text, &setting)?;
    loops::page(&mut text)?;
    imbalance::page(&mut text, &setting)?;
    loading::page(&mut text, &setting)?;
    chart::page(&mut text, &setting)?;
    files::page(&mut text, &setting, arguments.assets.as_deref())?;
    let path = out.join("report.md");
    std::fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    print!("{text}");
    println!("written to {}", path.display());
    Ok(())
}

/// Runs `weft run` and reads its report.
fn report(program: &Program, out: &Path, scene: &str, options: &[String], workers: u32) -> Result<Value> {
    let file = out.join("run.json");
    let [frames, from] = FRAMES.map(|n| n.to_string());
    let mut command = program.command();
    command.args(["run", scene, "--quiet", "--steps", &frames, "--report-from", &from]);
    command.args(["--threads", &workers.to_string()]).args(options).arg("--report").arg(&file);
    command.env_remove("WEFT_EXECUTOR").stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().context("cannot start weft")?;
    if !status.success() {
        bail!("weft run {scene} {} ended with {status}", options.join(" "));
    }
    Ok(serde_json::from_slice(&std::fs::read(&file)?)?)
}

fn figure(report: &Value, path: &str) -> Result<f64> {
    report.pointer(path).and_then(Value::as_f64).with_context(|| format!("no {path} in the report"))
}

/// Deliveries and levels of the paper's scenes.
fn counts(text: &mut String, program: &Program, out: &Path, quick: bool) -> Result<()> {
    text.push_str("\n## What the scenes are\n\n| scene | deliveries a frame | the paper | size of the event flow vector (the paper: 3) | nodes | tasks | one worker, ms |\n|---|---|---|---|---|---|---|\n");
    for (scene, name, expected, paper) in [
        ("tumbling", "1", 8_896.0, "5,708"),
        ("flags", "2", 252.0, "252"),
        ("parade", "3", 110_000.0, "110,000"),
    ] {
        let set: Vec<String> = match (quick, scene) {
            (true, "parade") => vec!["--set".to_owned(), "humanoids=20".to_owned()],
            _ => Vec::new(),
        };
        let report = report(program, out, scene, &set, 1)?;
        let events = figure(&report, "/events")?;
        if set.is_empty() && events != expected {
            bail!("{scene}: {events} deliveries a frame, {expected} expected");
        }
        // The event flow vector of all three has three elements.
        if figure(&report, "/levels")? != 3.0 {
            bail!("{scene}: an event flow vector of another size than 3");
        }
        let [levels, nodes, tasks] = ["/levels", "/nodes", "/tasks"].map(|path| figure(&report, path));
        let ms = figure(&report, "/step_ms/median")?;
        let _ = writeln!(
            text,
            "| {name} (`{scene}`) | {events} | {paper} | {} | {} | {} | {ms:.3} |",
            levels?, nodes?, tasks?
        );
    }
    text.push_str(
        "\nA delivery is one event along one route. Scene 1 has 3,200 + 1,248 interpolators, each fed by one route and feeding one: 8,896. The paper's \
         5,708 does not fit what it says of the scene.\n",
    );
    Ok(())
}

/// Runs all variants once a round, in an order that turns.
fn measure(setting: &Setting<'_>, variants: &mut [Variant]) -> Result<()> {
    let Setting { program, out, rounds, .. } = *setting;
    let n = variants.len();
    for round in 0..rounds {
        for k in 0..n {
            let variant = &mut variants[(k + round as usize) % n];
            let report = report(program, out, &variant.scene, &variant.options, variant.workers)?;
            variant.times.push(figure(&report, "/step_ms/median")?);
        }
        eprintln!("round {} of {rounds}", round + 1);
    }
    Ok(())
}
