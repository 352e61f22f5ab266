//! Amdahl's bound of an event graph: what brings events from level to level is done by one worker.
//!
//! **Source:** G. M. Amdahl, AFIPS 1967; *MCEE*, Web3D 2013, section 5.2, where p is the share of all but the cascading step.

use animation::event::runtime::amdahl;
use engine::exec::Deed;
use serde::{Deserialize, Serialize};

use crate::record::StepRecord;

/// The name of the tasks that bring events from level to level.
const CASCADE: &str = "cascade";

/// Time of tasks \[ns\].
#[derive(Clone, Copy, Debug, Default)]
pub struct Cascade {
    cascade_ns: u64,
    all_ns: u64,
}

impl Cascade {
    /// Adds a step.
    pub fn add(&mut self, record: &StepRecord) {
        for run in &record.runs {
            for activity in &run.activities {
                let Deed::Task { task, .. } = activity.deed else { continue };
                self.all_ns += activity.duration_ns;
                if run.graph.tasks[task.0 as usize].name == CASCADE {
                    self.cascade_ns += activity.duration_ns;
                }
            }
        }
    }

    /// The bound with so many workers.
    pub fn bound(&self, workers: usize) -> Amdahl {
        let cascade_share = self.cascade_ns as f64 / self.all_ns.max(1) as f64;
        Amdahl { cascade_share, workers, bound: amdahl(1.0 - cascade_share, workers as f64) }
    }
}

/// What the speedup cannot exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amdahl {
    /// The share of the time of tasks that went into bringing events from level to level.
    pub cascade_share: f64,
    /// Number of workers.
    pub workers: usize,
    /// The bound.
    pub bound: f64,
}

impl Amdahl {
    /// What a person reads.
    pub fn text(&self) -> String {
        let Self { cascade_share, workers, bound } = self;
        let plural = if *workers == 1 { "" } else { "s" };
        match self.cascade_ns_is_none() {
            true => {
                format!("{bound:.2} with {workers} worker{plural}: no step brings events from level to level")
            }
            false => format!(
                "{bound:.2} with {workers} worker{plural}: {:.1} % of the time brings events from level to level",
                100.0 * cascade_share
            ),
        }
    }

    fn cascade_ns_is_none(&self) -> bool {
        self.cascade_share == 0.0
    }
}
