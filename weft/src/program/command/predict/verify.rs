//! Predictions beside what this machine does: the very plans that were replayed, with one worker's costs.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::predict::{machine, median, walk};
use partition::simulate::Machine;

use super::measure::{Measurements, PHASES, Series};
use super::stuck;
use crate::program::failure::Failure;

/// One worker whose steps take so many times what its undisturbed tasks do was interrupted in most of them.
const BUSY: f64 = 1.05;

/// Sweeps below this share of the step are summed up.
const SHOWN: f64 = 0.01;

/// A sweep, over all workers and iterations [ns].
#[derive(Clone, Copy, Default)]
struct Sweep {
    predicted: (f64, f64),
    measured: (f64, f64),
}

/// One number of workers.
struct Check {
    workers: u32,
    /// Predicted and measured, the whole step [ns].
    step: (f64, f64),
    graphs: Vec<(&'static str, f64, f64)>,
    sweeps: BTreeMap<&'static str, Sweep>,
}

/// Compares all numbers of workers that were run.
pub fn verify(measured: &Measurements, counts: &[u32]) -> Result<String, Failure> {
    let here = machine("this").map_err(|e| Failure::Usage(e.to_string()))?;
    let mut t = format!("\nverified on this machine, without work on plans ({})\n", here.source);
    for series in &measured.series {
        let check = check(measured, series, &here)?;
        write_check(&mut t, &check);
        if check.workers == 1 && measured.slower > BUSY {
            let _ = writeln!(
                t,
                "  the machine is busy with something else: what follows says little of predictions"
            );
        }
    }
    if counts.len() == 1 {
        let _ = writeln!(t, "this machine has no more cores, or --workers names none of them");
    }
    t.truncate(t.trim_end().len());
    Ok(t)
}

fn check(measured: &Measurements, series: &Series, here: &Machine) -> Result<Check, Failure> {
    let one = &measured.series[0];
    let serial_ns = median(one.rounds.iter().map(|r| r.timing.serial_ns()).collect());
    // Predicted and measured, by round.
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut graphs = PHASES.map(|_| Vec::<(f64, f64)>::new());
    let mut sweeps: BTreeMap<&'static str, Sweep> = BTreeMap::new();
    let mut waits: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    let mut n = 0.0;
    for (round, with_one) in series.rounds.iter().zip(&one.rounds) {
        if round.graphs.is_empty() || round.graphs.len() != with_one.graphs.len() {
            continue;
        }
        n += 1.0;
        let mut step = serial_ns;
        for (graph, plan) in with_one.graphs.iter().zip(&round.graphs) {
            let at = graph.phase as usize;
            let walked = walk(&graph.with_tasks_of(plan), &plan.schedule, here).map_err(stuck)?;
            step += walked.outcome.ns;
            graphs[at].push((walked.outcome.ns, round.timing.of(graph.phase)));
            for (info, time) in walked.plan.stages.iter().zip(&walked.outcome.stages) {
                let sweep = sweeps.entry(info.name).or_default();
                sweep.predicted.0 += time.busy_ns;
                sweep.predicted.1 += time.wait_ns;
            }
            for (name, busy) in plan.busy() {
                sweeps.entry(name).or_default().measured.0 += busy;
            }
            for (name, wait) in &plan.waits {
                waits.entry(name).or_default().push(*wait);
            }
        }
        let measured_ns = round.timing.wall_ns - round.timing.plan_ns;
        let in_tasks: f64 = round.graphs.iter().flat_map(|g| g.busy().into_values()).sum();
        log::debug!(
            "{} workers: predicted {:.0}, measured {:.0}, observed {:.0}, in tasks {:.0} us",
            series.workers,
            step * 1e-3,
            measured_ns * 1e-3,
            (round.observed.wall_ns - round.observed.plan_ns) * 1e-3,
            in_tasks * 1e-3
        );
        steps.push((step, measured_ns));
    }
    for sweep in sweeps.values_mut() {
        for value in [&mut sweep.predicted.0, &mut sweep.predicted.1, &mut sweep.measured.0] {
            *value /= f64::max(n, 1.0);
        }
    }
    for (name, mut waits) in waits {
        // In the other rounds nobody waited there.
        waits.resize(n as usize, 0.0);
        sweeps.entry(name).or_default().measured.1 = median(waits);
    }
    let both = |pairs: &[(f64, f64)]| {
        let of = |f: fn(&(f64, f64)) -> f64| median(pairs.iter().map(f).collect());
        (of(|p| p.0), of(|p| p.1))
    };
    let named = |(pairs, phase): (&Vec<(f64, f64)>, crate::record::Phase)| {
        let (predicted, measured) = both(pairs);
        (!pairs.is_empty()).then_some((phase.name(), predicted, measured))
    };
    Ok(Check {
        workers: series.workers,
        step: both(&steps),
        graphs: graphs.iter().zip(PHASES).filter_map(named).collect(),
        sweeps,
    })
}

fn write_check(t: &mut String, check: &Check) {
    let (predicted, measured) = check.step;
    let residual = |p: f64, m: f64| if m > 0.0 { (p / m - 1.0) * 100.0 } else { 0.0 };
    let plural = if check.workers == 1 { "" } else { "s" };
    let _ = writeln!(
        t,
        "\n{} worker{plural}: predicted {:.3} ms, measured {:.3} ms per step, {:+.1} %",
        check.workers,
        predicted * 1e-6,
        measured * 1e-6,
        residual(predicted, measured)
    );
    for (name, p, m) in &check.graphs {
        let line = (p * 1e-6, m * 1e-6, residual(*p, *m));
        let _ = writeln!(t, "  {name:24} {:9.3} {:9.3} ms  {:+6.1} %", line.0, line.1, line.2);
    }
    let _ = writeln!(
        t,
        "  sweep                    us in tasks: predicted, measured; waiting: predicted, measured; share"
    );
    let all = measured * f64::from(check.workers);
    let mut rest = Sweep::default();
    let mut line = |name: &str, s: &Sweep| {
        let [a, b, c, d] = [s.predicted.0, s.measured.0, s.predicted.1, s.measured.1].map(|ns| ns * 1e-3);
        // What the sweep is off by, as a share of all workers' time.
        let off = (s.predicted.0 + s.predicted.1 - s.measured.0 - s.measured.1) / all * 100.0;
        let _ = writeln!(t, "  {name:24} {a:9.1} {b:9.1} {c:9.1} {d:9.1}  {off:+6.1} %");
    };
    for (name, sweep) in &check.sweeps {
        let largest = sweep.predicted.0.max(sweep.measured.0).max(sweep.predicted.1).max(sweep.measured.1);
        if largest >= SHOWN * all {
            line(name, sweep);
        } else {
            rest.predicted.0 += sweep.predicted.0;
            rest.predicted.1 += sweep.predicted.1;
            rest.measured.0 += sweep.measured.0;
            rest.measured.1 += sweep.measured.1;
        }
    }
    line("(others)", &rest);
}
