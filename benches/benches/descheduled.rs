//! What a descheduled worker costs: scenes by every executor, without and with another program on one of the cores.
//!
//! `cargo bench -p benches --bench descheduled [-- ROUNDS SCENE ...]`; the other program is a shell's empty loop, bound to
//! the last core by `taskset`. All variants are stepped in turns, so that all see the same machine. Figures are of single
//! steps; means tell most, since the time that is lost is lost in few steps.

use std::process::{Child, Command, Stdio};
use std::time::Instant;

use scenes::gallery;
use weft::prelude::*;

/// Steps of a variant in one turn, enough for hundreds of time slices of the system, so that what is found out at first
/// weighs little.
const STEPS: usize = 2000;

struct Variant {
    name: &'static str,
    options: SimulationOptions,
    /// Duration of each step, without and with the other program [us].
    times: [Vec<f64>; 2],
}

/// A program that uses a core until it is dropped.
struct Hog(Child);

impl Hog {
    fn start(core: usize) -> std::io::Result<Self> {
        let mut command = Command::new("taskset");
        command.args(["-c", &core.to_string(), "sh", "-c", "while :; do :; done"]);
        command.stdin(Stdio::null()).spawn().map(Self)
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn simulation(scene: &str, options: &SimulationOptions) -> Simulation {
    let scene = gallery::find(scene).expect("a gallery scene").elements(&[]).expect("default parameters");
    let loaded = load_elements(scene, &LoadOptions::default()).expect("a scene without errors");
    Simulation::new(loaded.scene, options.clone()).expect("a scene that runs")
}

fn variants() -> Vec<Variant> {
    let of = |executor, threads| SimulationOptions { executor, threads, ..SimulationOptions::default() };
    let all_threads = |executor| SimulationOptions { adapt: false, ..of(executor, 2) };
    let list = [
        ("sequential", of(ExecutorKind::Sequential, 1)),
        ("replay, 1 worker", of(ExecutorKind::Replay, 1)),
        ("replay, 2 workers", of(ExecutorKind::Replay, 2)),
        ("replay, 2 workers, always 2 threads", all_threads(ExecutorKind::Replay)),
        ("the same, not pinned", SimulationOptions { pin: false, ..all_threads(ExecutorKind::Replay) }),
        ("the same, --spin 0", SimulationOptions { spin_us: 0, ..all_threads(ExecutorKind::Replay) }),
        ("stealing, 2 workers", of(ExecutorKind::Stealing, 2)),
        ("stealing, 2 workers, always 2 threads", all_threads(ExecutorKind::Stealing)),
        ("fork-join, 2 workers", of(ExecutorKind::ForkJoin, 2)),
    ];
    list.into_iter()
        .map(|(name, options)| Variant { name, options, times: [Vec::new(), Vec::new()] })
        .collect()
}

impl Variant {
    fn turn(&mut self, scene: &str, disturbed: usize) {
        // A simulation of its own for each turn: it binds threads to cores.
        let mut simulation = simulation(scene, &self.options);
        let mut report = StepReport::default();
        for step in 0..STEPS + 20 {
            let begin = Instant::now();
            simulation.step_into(&mut report).expect("no failure");
            if step >= 20 {
                self.times[disturbed].push(begin.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
}

fn row(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    format!("{mean:>9.0} {:>9.0} {:>9.0} {:>9.0}", at(0.5), at(0.95), at(1.0))
}

fn main() {
    // Cargo passes `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let rounds = words.first().and_then(|a| a.parse().ok()).unwrap_or(5);
    let scenes = words.get(1..).filter(|s| !s.is_empty()).map_or(vec!["cloth".to_owned()], <[_]>::to_vec);
    scenes.iter().for_each(|scene| study(scene, rounds));
}

fn study(scene: &str, rounds: usize) {
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut variants = variants();
    for round in 0..rounds {
        for disturbed in [0, 1] {
            let hog = (disturbed == 1).then(|| Hog::start(n_cores - 1).expect("taskset and sh"));
            for variant in &mut variants {
                variant.turn(scene, disturbed);
            }
            drop(hog);
        }
        eprintln!("{scene}: round {} of {rounds}", round + 1);
    }
    println!("{scene}, us a step{:<25} {:>9} {:>9} {:>9} {:>9}", "", "mean", "median", "95 %", "most");
    for disturbed in [0, 1] {
        println!("{}", ["no other program", "another program on one core"][disturbed]);
        for variant in &mut variants {
            println!("  {:<37} {}", variant.name, row(&mut variant.times[disturbed]));
        }
    }
}
