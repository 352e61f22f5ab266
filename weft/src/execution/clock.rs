//! Where the time of a step goes.

use std::time::Instant;

use engine::exec::{PlanId, RunReport, WorkerReport};

/// Something that a step's clock has seen.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    /// The graph that ran; none: plan work.
    pub run: Option<PlanId>,
    pub start: Instant,
    pub duration_ns: u64,
}

/// Time spent in a step so far, by phase.
#[derive(Default)]
pub(crate) struct Clock {
    pub collision_ns: u64,
    pub graph_ns: u64,
    pub integrate_ns: u64,
    pub workers: Vec<(u64, u64)>,
    pub marks: Vec<Stretch>,
}

impl Clock {
    /// Adds plan work from `start` until now.
    pub fn add_plan(&mut self, start: Instant) {
        let duration_ns = since(start);
        self.graph_ns += duration_ns;
        self.marks.push(Stretch { run: None, start, duration_ns });
    }

    /// Adds a run that began at `start`.
    pub fn add_run(&mut self, run: PlanId, start: Instant, report: RunReport, workers: &[WorkerReport]) {
        self.marks.push(Stretch { run: Some(run), start, duration_ns: report.wall_ns });
        self.workers.resize(self.workers.len().max(workers.len()), (0, 0));
        for (sum, w) in self.workers.iter_mut().zip(workers) {
            sum.0 += w.busy_ns;
            sum.1 += w.wait_ns;
        }
    }
}

/// Time since an instant [ns].
pub(crate) fn since(start: Instant) -> u64 {
    start.elapsed().as_nanos() as u64
}
