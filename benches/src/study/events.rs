//! The study of event graphs: what MCEE reports of its scenes, redone on the machine at hand.
//!
//! Times are of `weft run` in processes of their own, as those of the other studies: each variant once a round, in an order that turns.
//! What needs more cores than there are is predicted by `weft predict` from costs measured on one.
//!
//! **Source:** *Many-Core Event Evaluation*, Web3D 2013, section 5.

use std::fmt::Write;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Arguments;
use super::machine::Machine;
use super::measure::Program;

/// Frames of a run, and the first that counts.
const FRAMES: [u64; 2] = [120, 20];
/// The numbers of cores that speedups are predicted for.
const PREDICTED: &str = "1,2,4,6,16,32";

/// The paper's Table 1, scene 3: way, and speedups on 2, 4 and 6 cores.
const TABLE_1: &[(&str, &[&str], [f64; 3])] = &[
    ("pool-static", &["--events", "levels", "--strategy", "pool-static"], [1.75, 3.04, 3.89]),
    ("pool-dynamic", &["--events", "levels", "--strategy", "pool-dynamic"], [1.61, 2.50, 3.18]),
    ("loop-static", &["--events", "levels", "--strategy", "loop-static"], [1.84, 3.04, 4.00]),
    ("loop-guided", &["--events", "levels", "--strategy", "loop-guided"], [1.79, 3.11, 4.00]),
    ("loop-dynamic", &["--events", "levels", "--strategy", "loop-dynamic"], [1.59, 2.50, 3.18]),
];
/// What the paper's speedups cannot exceed, by the share of its step that brings events.
const AMDAHL: [f64; 3] = [1.85, 3.21, 4.25];
/// A frame of scene 3 on one core of the paper's machine, as its figures imply \[ms\].
const PAPER_ONE_CORE: f64 = 142.0;

/// A way to run a scene.
struct Variant {
    name: String,
    scene: &'static str,
    options: Vec<String>,
    workers: u32,
    /// A frame, by round \[ms\].
    times: Vec<f64>,
}

impl Variant {
    fn new(name: &str, scene: &'static str, options: &[&str], workers: u32) -> Self {
        let options = options.iter().map(|o| (*o).to_owned()).collect();
        Self { name: name.to_owned(), scene, options, workers, times: Vec::new() }
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
    let size = if quick { "20" } else { "1000" };
    let out = arguments.out.clone().unwrap_or_else(|| "target/study/events".into());
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let mut text = String::from("# Study `events`\n\n");
    if quick {
        text.push_str("Tried with `--quick`: these figures mean nothing.\n\n");
    }
    let _ = writeln!(
        text,
        "Made by `cargo run --release -p benches -- study events --rounds {rounds}`. Times are medians of frames, then of rounds; \
         speedups are against the same way on one worker in the same round.\n\n| machine | |\n|---|---|"
    );
    for (name, value) in &machine.facts {
        let _ = writeln!(text, "| {name} | {value} |");
    }
    counts(&mut text, program, &out, quick)?;
    table_1(&mut text, program, &out, rounds, size)?;
    borders(&mut text, program, &out, rounds, size)?;
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
    text.push_str("\n## What the scenes are\n\n| scene | deliveries a frame | the paper | levels | nodes | tasks | one worker, ms |\n|---|---|---|---|---|---|---|\n");
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

/// Scene 3 in all ways, on one worker and two; the rest predicted.
fn table_1(text: &mut String, program: &Program, out: &Path, rounds: u32, size: &str) -> Result<()> {
    let set = format!("humanoids={size}");
    let mut variants = Vec::new();
    for workers in [1, 2] {
        variants.push(Variant::new("dataflow", "parade", &["--set", &set], workers));
        for (name, options, _) in TABLE_1 {
            variants.push(Variant::new(
                name,
                "parade",
                &[options, &["--set", set.as_str()][..]].concat(),
                workers,
            ));
        }
    }
    measure(program, out, rounds, &mut variants)?;
    let one_core = &variants[0];
    let n = variants.len() / 2;
    text.push_str("\n## Table 1: scene 3\n\n| way | one worker, ms | two, ms | speedup | the paper's, 2 cores | 4 | 6 |\n|---|---|---|---|---|---|---|\n");
    let [two, four, six] = AMDAHL;
    let _ = writeln!(text, "| the paper's bound (Amdahl) | | | | {two} | {four} | {six} |");
    for (one, two) in variants[..n].iter().zip(&variants[n..]) {
        let paper = TABLE_1.iter().find(|(name, ..)| *name == one.name);
        let paper =
            paper.map_or_else(|| "| | ".to_owned(), |(.., p)| format!("{} | {} | {}", p[0], p[1], p[2]));
        let _ = writeln!(
            text,
            "| {} | {:.3} | {:.3} | {:.2} | {paper} |",
            one.name,
            one.median(),
            two.median(),
            ratio(one, two)
        );
    }
    let _ = writeln!(
        text,
        "\nOn one core of the paper's machine a frame takes some {PAPER_ONE_CORE} ms, as its figures imply; here {:.2} ms in `dataflow`, {:.0} ns a delivery.",
        one_core.median(),
        one_core.median() * 1e6 / (110.0 * size.parse::<f64>().unwrap_or(1000.0))
    );
    let csv = out.join("predicted.csv");
    let mut command = program.command();
    command
        .args(["predict", "parade", "--set", &set, "--workers", PREDICTED, "--steps", "20", "--csv"])
        .arg(&csv);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().context("cannot start weft")?;
    if !status.success() {
        bail!("weft predict ended with {status}");
    }
    text.push_str("\nPredicted from costs measured on one worker (`dataflow`, machine `server-2x64`):\n\n| workers | ms | speedup |\n|---|---|---|\n");
    for line in std::fs::read_to_string(&csv)?.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if let [workers, ms, speedup, ..] = cells[..] {
            let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
            let _ = writeln!(text, "| {workers} | {:.3} | {:.2} |", number(ms), number(speedup));
        }
    }
    Ok(())
}

/// The same nodes in prototypes, and in prototypes within prototypes.
fn borders(text: &mut String, program: &Program, out: &Path, rounds: u32, size: &str) -> Result<()> {
    let set = format!("humanoids={size}");
    let mut variants = Vec::new();
    for workers in [1, 2] {
        for borders in ["flat", "protos", "nested"] {
            let borders_set = format!("borders={borders}");
            variants.push(Variant::new(borders, "parade", &["--set", &set, "--set", &borders_set], workers));
        }
    }
    measure(program, out, rounds, &mut variants)?;
    text.push_str("\n## Borders\n\n| scene 3 | workers | ms | times flat |\n|---|---|---|---|\n");
    for (k, variant) in variants.iter().enumerate() {
        let flat = &variants[k / 3 * 3];
        let _ = writeln!(
            text,
            "| {} | {} | {:.3} | {:.3} |",
            variant.name,
            variant.workers,
            variant.median(),
            ratio(variant, flat)
        );
    }
    Ok(())
}

/// Runs all variants once a round, in an order that turns.
fn measure(program: &Program, out: &Path, rounds: u32, variants: &mut [Variant]) -> Result<()> {
    let n = variants.len();
    for round in 0..rounds {
        for k in 0..n {
            let variant = &mut variants[(k + round as usize) % n];
            let report = report(program, out, variant.scene, &variant.options, variant.workers)?;
            variant.times.push(figure(&report, "/step_ms/median")?);
        }
        eprintln!("round {} of {rounds}", round + 1);
    }
    Ok(())
}
