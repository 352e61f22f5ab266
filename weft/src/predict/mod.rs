//! What-if: the time of a step on machines that are not here, from a step that was observed on one worker.
//!
//! All three graphs of the step are planned for each number of workers, by the same planner and measured costs as the
//! executor's, and walked by [`partition::simulate`]; what lies between them runs on one thread and stays as it is. Work
//! stealing and threads that lose their core are not predicted.

mod machine;
mod plans;
mod sample;
mod settle;

use engine::data::Store;
use partition::simulate::{Machine, Stuck};
use partition::{Accumulation, Partitioner};

pub use machine::machine;
pub use plans::{Walked, walk};
use plans::{critical_paths, planned};
pub use sample::{GraphSample, StepTiming};
pub use settle::{calibrate, median, settle};

use crate::record::Phase;

/// How plans are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanChoices {
    /// How objects are placed.
    pub partitioner: Partitioner,
    /// What becomes of tasks whose objects are on several workers.
    pub accumulation: Accumulation,
}

/// A step on one worker: its graphs in order, and how long the rest takes.
#[derive(Clone)]
pub struct StepSample {
    /// The graphs.
    pub graphs: Vec<GraphSample>,
    /// Serial time before each graph [ns].
    pub gaps_ns: Vec<f64>,
    /// All serial time of the step [ns].
    pub serial_ns: f64,
}

/// A predicted step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Number of workers.
    pub workers: u32,
    /// The step [ns].
    pub ns: f64,
    /// What of it is serial: between the graphs, and going in and out of them [ns].
    pub serial_ns: f64,
    /// Time of all workers in tasks and control [ns].
    pub busy_ns: f64,
    /// Each graph [ns].
    pub graphs: Vec<(Phase, f64)>,
}

impl Prediction {
    /// Share of all workers' time in which they neither compute nor are needed: waiting for each other, or for what is
    /// serial.
    pub fn waiting(&self) -> f64 {
        let all = self.ns * f64::from(self.workers);
        if all > 0.0 { (1.0 - (self.busy_ns + self.serial_ns) / all).max(0.0) } else { 0.0 }
    }

    /// The mean of predictions for several steps.
    pub fn mean(of: &[Self]) -> Option<Self> {
        let n = of.len() as f64;
        let mean = |f: fn(&Self) -> f64| of.iter().map(f).sum::<f64>() / n;
        let graphs = of.first()?.graphs.iter().map(|&(phase, _)| {
            let all = of.iter().flat_map(|p| &p.graphs).filter(|g| g.0 == phase);
            (phase, all.map(|g| g.1).sum::<f64>() / n + 0.0)
        });
        Some(Self {
            workers: of[0].workers,
            ns: mean(|p| p.ns),
            serial_ns: mean(|p| p.serial_ns),
            busy_ns: mean(|p| p.busy_ns),
            graphs: graphs.collect(),
        })
    }
}

/// Predicts a step on some workers of a machine.
///
/// # Errors
/// If a plan does not end, which would be a bug of the planner.
pub fn predict(
    step: &StepSample,
    store: &Store,
    workers: u32,
    machine: &Machine,
    choices: PlanChoices,
) -> Result<Prediction, Stuck> {
    let mut prediction =
        Prediction { workers, serial_ns: step.serial_ns / machine.core_speed, ..Prediction::default() };
    prediction.ns = prediction.serial_ns;
    let schedules = planned(&step.graphs, store, workers, machine, choices);
    for ((graph, schedule), gap) in step.graphs.iter().zip(schedules).zip(&step.gaps_ns) {
        let outcome = walk(graph, &schedule, machine)?.outcome;
        prediction.serial_ns += graph.beside_ns / machine.core_speed;
        let sleeps = workers > 1 && gap / machine.core_speed > machine.spin_ns;
        let ns = outcome.ns + if sleeps { machine.wake_ns } else { 0.0 };
        prediction.ns += ns;
        prediction.busy_ns += outcome.workers.iter().map(|w| w.busy_ns).sum::<f64>();
        prediction.graphs.push((graph.phase, ns));
    }
    Ok(prediction)
}

/// The step on a worker per object without latencies [ns]: no number of workers is faster on such cores.
///
/// # Errors
/// As [`predict`].
pub fn critical_path(step: &StepSample, core_speed: f64) -> Result<f64, Stuck> {
    Ok(step.serial_ns / core_speed + critical_paths(&step.graphs, core_speed)?)
}
