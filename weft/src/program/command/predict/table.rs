//! Predictions as a table, and as CSV.

use std::fmt::Write;

use crate::predict::{Prediction, median};

use super::Answer;
use super::measure::{Measurements, PHASES};

/// What a person reads.
pub fn table(answer: &Answer, measured: &Measurements) -> String {
    let Answer { scene, machine, one, .. } = answer;
    let mut t = String::new();
    let (nodes, cores) = (machine.nodes, machine.cores);
    let source = if machine.source.is_empty() { String::new() } else { format!(" ({})", machine.source) };
    let _ = writeln!(t, "{scene} on {}: {nodes} x {cores} cores{source}", machine.name);
    // Each is the step before one that the predictions are of.
    let walls: Vec<f64> = measured.series[0].observed().map(|r| r.timing.wall_ns).collect();
    let n = walls.len();
    let here_ms = median(walls) * 1e-6;
    let serial = one.serial_ns / one.ns * 100.0;
    let _ = writeln!(t, "one worker here: {here_ms:.3} ms per step (median of {n}), {serial:.1} % serial");
    let _ = writeln!(t, "\nworkers  ms/step  speedup  efficiency  waiting");
    for p in &answer.all {
        let (speedup, waiting) = (answer.speedup(p), p.waiting() * 100.0);
        let efficiency = speedup / f64::from(p.workers);
        let _ = writeln!(
            t,
            "{:7} {:8.3} {speedup:8.2} {efficiency:11.2} {waiting:6.1} %",
            p.workers,
            p.ns * 1e-6
        );
    }
    let path = answer.critical_path_ns * 1e-6;
    let _ = write!(t, "\ncritical path {path:.3} ms: no speedup above {:.1}", answer.bound());
    if answer.all.iter().any(|p| p.workers as usize > machine.n_cores()) {
        let _ = write!(t, "\nmore than {} workers share cores", machine.n_cores());
    }
    t
}

/// A line per number of workers.
pub fn csv(answer: &Answer) -> String {
    let mut t = String::from("workers,ms_per_step,speedup,efficiency,waiting,serial_ms");
    for phase in PHASES {
        let _ = write!(t, ",{}_ms", phase.name().replace(' ', "_"));
    }
    t.push_str(",bound\n");
    for p in &answer.all {
        let speedup = answer.speedup(p);
        let efficiency = speedup / f64::from(p.workers);
        let (ms, serial) = (p.ns * 1e-6, p.serial_ns * 1e-6);
        let _ = write!(t, "{},{ms},{speedup},{efficiency},{},{serial}", p.workers, p.waiting());
        for phase in PHASES {
            let _ = write!(t, ",{}", phase_ms(p, phase));
        }
        let _ = writeln!(t, ",{}", answer.bound());
    }
    t
}

fn phase_ms(p: &Prediction, phase: crate::record::Phase) -> f64 {
    // An empty sum is -0.
    p.graphs.iter().filter(|g| g.0 == phase).map(|g| g.1).sum::<f64>() * 1e-6 + 0.0
}
