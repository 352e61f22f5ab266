//! What takes most of a step, where steps are slower than the clock on the wall.

use std::time::{Duration, Instant};

use engine::exec::Deed;
use viewer::snapshot::Busiest;

use crate::record::{Names, StepRecord};

/// Between two steps that are looked at.
const PERIOD: Duration = Duration::from_secs(2);
/// How much of the last mean a mean keeps with each step.
const KEEP: f64 = 0.9;

/// Notes whether steps fall behind, and why.
pub(super) struct Behind {
    /// A mean over the last steps: their time by the time that they simulate.
    load: f64,
    /// When the next step is to be looked at.
    due: Instant,
    busiest: Option<Busiest>,
}

impl Behind {
    pub(super) fn new() -> Self {
        Self { load: 0.0, due: Instant::now(), busiest: None }
    }

    /// Takes note of a step that took so long [s] and simulates a time [s]; `is_held` where it is held to the clock.
    pub(super) fn add(&mut self, seconds: f64, dt: f64, is_held: bool) {
        self.load = KEEP * self.load + (1.0 - KEEP) * seconds / dt;
        if !is_held || self.load <= 1.0 {
            self.busiest = None;
        }
    }

    /// Whether the next step is to be observed.
    pub(super) fn wants(&self, is_held: bool) -> bool {
        is_held && self.load > 1.0 && Instant::now() >= self.due
    }

    /// Looks at a step.
    pub(super) fn look(&mut self, record: &StepRecord, names: &Names) {
        self.due = Instant::now() + PERIOD;
        self.busiest = busiest(record, names);
    }

    /// What takes most, while steps fall behind.
    pub(super) fn busiest(&self) -> Option<&Busiest> {
        self.busiest.as_ref()
    }
}

/// The class of components whose tasks took most of a step.
fn busiest(record: &StepRecord, names: &Names) -> Option<Busiest> {
    let mut classes: Vec<(&str, u64)> = Vec::new();
    let mut total = 0;
    for run in &record.runs {
        for activity in &run.activities {
            let Deed::Task { task, .. } = activity.deed else { continue };
            let (_, class) = names.component(run.graph.tasks[task.0 as usize].component);
            total += activity.duration_ns;
            match classes.iter_mut().find(|(name, _)| *name == class) {
                Some((_, sum)) => *sum += activity.duration_ns,
                None => classes.push((class, activity.duration_ns)),
            }
        }
    }
    let (class, most) = classes.into_iter().max_by_key(|(_, sum)| *sum)?;
    (total > 0).then(|| Busiest { class: class.to_owned(), share: most as f64 / total as f64 })
}
