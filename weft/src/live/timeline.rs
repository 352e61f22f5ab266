//! From an observed step to what a window shows of it.

use sim_core::exec::Deed;
use viewer::timeline::{Cell, Collector, Timeline};

use crate::record::StepRecord;

const NS: f64 = 1e-9;

/// What the workers did in a step.
pub(super) fn timeline(record: &StepRecord) -> Timeline {
    let mut collector = Collector::new(record.n_workers, record.wall_ns as f64 * NS);
    for run in &record.runs {
        for a in &run.activities {
            let cell = match a.deed {
                Deed::Task { .. } => Cell::Task,
                Deed::Reducer { .. } => Cell::Reduction,
                Deed::Wait(_) => Cell::Wait,
            };
            let start = (run.start_ns + a.start_ns) as f64 * NS;
            collector.add(a.worker as usize, cell, start, a.duration_ns as f64 * NS);
        }
    }
    collector.finish(record.step)
}
