//! The steps that are kept whole, to be drawn.

use super::step::StepAnalysis;
use crate::record::StepRecord;

/// Activities that are kept at most; more would neither fit a page nor be read.
const MOST_ACTIVITIES: usize = 2_000_000;

/// Some of the steps: all, as long as there is room; then every second, fourth, and so on.
#[derive(Debug)]
pub struct Kept {
    steps: Vec<(StepRecord, StepAnalysis)>,
    n_activities: usize,
    most: usize,
    offered: usize,
    every: usize,
}

impl Default for Kept {
    fn default() -> Self {
        Self::with_room(MOST_ACTIVITIES)
    }
}

impl Kept {
    /// With room for so many activities.
    pub fn with_room(most: usize) -> Self {
        Self { steps: Vec::new(), n_activities: 0, most, offered: 0, every: 1 }
    }

    /// Keeps a step, or not.
    pub fn offer(&mut self, record: StepRecord, analysis: StepAnalysis) {
        let number = self.offered;
        self.offered += 1;
        if !number.is_multiple_of(self.every) {
            return;
        }
        self.n_activities += record.n_activities();
        self.steps.push((record, analysis));
        while self.n_activities > self.most && self.steps.len() > 1 {
            let mut k = 0;
            self.steps.retain(|_| {
                k += 1;
                k % 2 == 1
            });
            self.every *= 2;
            self.n_activities = self.steps.iter().map(|s| s.0.n_activities()).sum();
        }
    }

    /// The step whose critical path is in the middle of all that are kept.
    pub fn middle(&self) -> Option<&(StepRecord, StepAnalysis)> {
        let mut order: Vec<&(StepRecord, StepAnalysis)> = self.steps.iter().collect();
        order.sort_by_key(|s| (s.1.critical_path_ns(), s.1.step));
        order.get(order.len().saturating_sub(1) / 2).copied()
    }

    /// The step that took longest.
    pub fn slowest(&self) -> Option<&(StepRecord, StepAnalysis)> {
        self.steps.iter().max_by_key(|s| (s.1.wall_ns, s.1.step))
    }

    /// The step that took least.
    pub fn fastest(&self) -> Option<&(StepRecord, StepAnalysis)> {
        self.steps.iter().min_by_key(|s| (s.1.wall_ns, s.1.step))
    }
}
