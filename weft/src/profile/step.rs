//! The analysis of one step.

use super::critical_path::{Chain, critical_path};
use super::waiting::{Split, Waiting, splits, waiting};
use crate::record::{Section, StepRecord};

/// What is known of one step.
#[derive(Clone, Debug, Default)]
pub struct StepAnalysis {
    /// The step.
    pub step: u64,
    /// Its length [ns].
    pub wall_ns: u64,
    /// The longest chain of each run.
    pub chains: Vec<Chain>,
    /// All waiting.
    pub waiting: Vec<Waiting>,
    /// How each worker spent the step.
    pub splits: Vec<Split>,
    /// Serial work [ns].
    pub serial_ns: u64,
    /// Sum over the runs of the load of the worker with the most work in it [ns].
    pub largest_loads_ns: u64,
}

impl StepAnalysis {
    /// Analyzes a step.
    pub fn of(record: &StepRecord) -> Self {
        let waiting = waiting(record);
        let mut loads = vec![0; record.n_workers];
        let mut largest_loads_ns = 0;
        for run in &record.runs {
            loads.fill(0);
            for a in run.activities.iter().filter(|a| !matches!(a.deed, engine::exec::Deed::Wait(_))) {
                if let Some(load) = loads.get_mut(a.worker as usize) {
                    *load += a.duration_ns;
                }
            }
            largest_loads_ns += loads.iter().max().copied().unwrap_or(0);
        }
        Self {
            step: record.step,
            wall_ns: record.wall_ns,
            chains: record.runs.iter().map(critical_path).collect(),
            splits: splits(record, &waiting),
            waiting,
            serial_ns: record.sections.iter().map(|s: &Section| s.duration_ns).sum(),
            largest_loads_ns,
        }
    }

    /// All tasks, each execution once, and the serial work [ns].
    pub fn work_ns(&self) -> u64 {
        self.serial_ns + self.chains.iter().map(|c| c.work_ns).sum::<u64>()
    }

    /// The longest chain: those of the runs, which follow each other, and the serial work between them [ns].
    pub fn critical_path_ns(&self) -> u64 {
        self.serial_ns + self.chains.iter().map(|c| c.length_ns).sum::<u64>()
    }

    /// Workers that worked at the same time, on average over the step.
    pub fn concurrency(&self) -> f64 {
        let busy: u64 = self.splits.iter().map(|s| s.tasks_ns + s.reducers_ns + s.serial_ns).sum();
        ratio(busy, self.wall_ns)
    }

    /// What no number of workers can beat: work / critical path.
    pub fn dependence_bound(&self) -> f64 {
        ratio(self.work_ns(), self.critical_path_ns())
    }

    /// What this placement cannot beat: work / largest load.
    pub fn placement_bound(&self) -> f64 {
        ratio(self.work_ns(), self.serial_ns + self.largest_loads_ns)
    }
}

fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { 1.0 } else { a as f64 / b as f64 }
}
