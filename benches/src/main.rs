//! Speedups as a share of the machine's own limit: `cargo run --release -p benches -- bars|falling`.
//!
//! A virtual machine with two cores may give two independent programs 1.4 or 2.0 times the work of one. So in the same
//! run, interleaved, the limit is measured too: two one-worker processes with half the bars each, side by side, against
//! one with all of them. All figures are medians over the rounds.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};
use serde_json::Value;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Study {
    /// Independent soft bars.
    Bars,
    /// The heap of `falling`, once it is one group.
    Falling,
}

/// Measures speedups as a share of the machine's own limit.
#[derive(Parser, Debug)]
#[command(version)]
struct Arguments {
    /// What is measured.
    study: Study,
    /// Numbers of workers.
    #[arg(long, value_delimiter = ',', default_value = "2")]
    workers: Vec<usize>,
    /// Rounds; in each, every variant runs once.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Steps of each run [default: 150 for bars, 700 for falling].
    #[arg(long)]
    steps: Option<usize>,
    /// First step that counts [default: 20 for bars, 600 for falling].
    #[arg(long)]
    from: Option<usize>,
    /// Partitioner of the runs with several workers.
    #[arg(long, default_value = "metis")]
    partitioner: String,
    /// The program to measure [default: `weft` beside this program].
    #[arg(long)]
    weft: Option<PathBuf>,
}

/// One way of running a scene.
#[derive(Clone, Debug)]
struct Variant {
    name: String,
    scene: &'static str,
    objects: Option<usize>,
    executor: &'static str,
    workers: usize,
    /// How many such processes run side by side.
    processes: usize,
}

/// Medians of one run [ms].
#[derive(Clone, Copy, Debug)]
struct Times {
    step: f64,
    integrate: f64,
    collision: f64,
    graph: f64,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let weft = match &arguments.weft {
        Some(path) => path.clone(),
        None => std::env::current_exe()?.with_file_name("weft"),
    };
    if !weft.exists() {
        bail!("{} is not there; build it first: cargo build --release -p weft", weft.display());
    }
    let variants = variants(&arguments);
    let mut times: Vec<Vec<Times>> = vec![Vec::new(); variants.len()];
    for round in 0..arguments.rounds {
        for offset in 0..variants.len() {
            // The order turns from round to round, so that no variant always runs after the same other one.
            let k = (offset + round) % variants.len();
            times[k].push(run(&weft, &variants[k], &arguments)?);
        }
        eprintln!("round {} of {}", round + 1, arguments.rounds);
    }
    print(&variants, &times);
    Ok(())
}

fn variants(arguments: &Arguments) -> Vec<Variant> {
    let variant = |name: &str, scene, objects, executor, workers, processes| Variant {
        name: name.to_owned(),
        scene,
        objects,
        executor,
        workers,
        processes,
    };
    let mut all = vec![
        variant("64 bars, 1 worker", "bars", Some(64), "replay", 1, 1),
        variant("32 bars, 1 worker, two side by side", "bars", Some(32), "replay", 1, 2),
    ];
    let (scene, objects) = match arguments.study {
        Study::Bars => ("bars", Some(64)),
        Study::Falling => ("falling", None),
    };
    all.push(variant("sequential", scene, objects, "sequential", 1, 1));
    all.push(variant("sequential again", scene, objects, "sequential", 1, 1));
    all.push(variant("replay, 1 worker", scene, objects, "replay", 1, 1));
    for workers in arguments.workers.iter().copied().filter(|w| *w > 1) {
        all.push(variant(&format!("replay, {workers} workers"), scene, objects, "replay", workers, 1));
        all.push(variant(&format!("stealing, {workers} workers"), scene, objects, "stealing", workers, 1));
    }
    all
}

fn run(weft: &Path, variant: &Variant, arguments: &Arguments) -> Result<Times> {
    let (steps, from) = match variant.scene {
        "bars" => (150, 20),
        _ => (700, 600),
    };
    let (steps, from) = if variant.scene == "bars" && arguments.study == Study::Falling {
        (steps, from)
    } else {
        (arguments.steps.unwrap_or(steps), arguments.from.unwrap_or(from))
    };
    let folder = tempfile::tempdir()?;
    let reports: Vec<PathBuf> =
        (0..variant.processes).map(|k| folder.path().join(format!("{k}.json"))).collect();
    let start = |report: &Path| -> Result<Child> {
        let mut command = Command::new(weft);
        command.args(["run", variant.scene, "--quiet", "--steps", &steps.to_string()]);
        command.args(["--report-from", &from.to_string(), "--executor", variant.executor]);
        command.args(["--threads", &variant.workers.to_string(), "--partitioner", &arguments.partitioner]);
        if let Some(objects) = variant.objects {
            command.args(["--set", &format!("objects={objects}")]);
        }
        command.arg("--report").arg(report).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().with_context(|| format!("cannot start {}", weft.display()))
    };
    let children: Vec<Child> = reports.iter().map(|r| start(r)).collect::<Result<_>>()?;
    for mut child in children {
        let status = child.wait()?;
        if !status.success() {
            bail!("{}: weft ended with {status}", variant.name);
        }
    }
    let mut slowest = Times { step: 0.0, integrate: 0.0, collision: 0.0, graph: 0.0 };
    for report in &reports {
        let report: Value = serde_json::from_slice(&std::fs::read(report)?)?;
        let figure = |path: &str| report.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN);
        slowest.step = slowest.step.max(figure("/step_ms/median"));
        slowest.integrate = slowest.integrate.max(figure("/phase_ms/integrate"));
        slowest.collision = slowest.collision.max(figure("/phase_ms/collision"));
        slowest.graph = slowest.graph.max(figure("/phase_ms/graph"));
    }
    Ok(slowest)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn print(variants: &[Variant], times: &[Vec<Times>]) {
    let of = |k: usize, figure: fn(&Times) -> f64| median(times[k].iter().map(figure).collect());
    println!("{:<38} {:>9} {:>11} {:>11} {:>9}", "median ms", "step", "integrate", "collision", "graph");
    for (k, v) in variants.iter().enumerate() {
        println!(
            "{:<38} {:>9.3} {:>11.3} {:>11.3} {:>9.3}",
            v.name,
            of(k, |t| t.step),
            of(k, |t| t.integrate),
            of(k, |t| t.collision),
            of(k, |t| t.graph)
        );
    }
    // Ratios pair by pair, round by round: the clock of a machine wanders, and both sides of a pair see the same clock.
    let ratio = |a: usize, b: usize, figure: fn(&Times) -> f64| {
        median(times[a].iter().zip(&times[b]).map(|(a, b)| figure(a) / figure(b)).collect())
    };
    let limit = ratio(0, 1, |t| t.step);
    println!("\nlimit of this machine, two independent halves: {limit:.3}");
    println!("sequential against itself: {:.3}", ratio(2, 3, |t| t.step));
    println!("replay with 1 worker / sequential: {:.3}", ratio(4, 2, |t| t.step));
    for (k, v) in variants.iter().enumerate().skip(5) {
        let (step, integrate) = (ratio(4, k, |t| t.step), ratio(4, k, |t| t.integrate));
        println!(
            "{}: step {step:.3} times faster ({:.3} of the limit), integration {integrate:.3} ({:.3} of the limit)",
            v.name,
            step / limit,
            integrate / limit
        );
    }
}
