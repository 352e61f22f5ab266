//! The last steps' measurements, for plots.

use std::collections::VecDeque;

use sim_core::visitor::energy::Energy;

use crate::snapshot::Sample;

/// Steps that are kept.
const KEPT: usize = 400;
/// Steps that means are of.
const RECENT: usize = 40;

/// The last steps.
#[derive(Clone, Debug, Default)]
pub struct History {
    samples: VecDeque<Sample>,
}

impl History {
    /// Adds a step; a step that is no later than the last one begins a new history.
    pub fn push(&mut self, sample: Sample) {
        if self.samples.back().is_some_and(|last| sample.step <= last.step) {
            self.samples.clear();
        }
        if self.samples.len() == KEPT {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// The steps, oldest first.
    pub fn samples(&self) -> impl ExactSizeIterator<Item = &Sample> + Clone {
        self.samples.iter()
    }

    /// The last step.
    pub fn last(&self) -> Option<&Sample> {
        self.samples.back()
    }

    /// The energy that was measured last.
    pub fn energy(&self) -> Option<Energy> {
        self.samples.iter().rev().find_map(|s| s.energy)
    }

    fn recent(&self) -> impl Iterator<Item = &Sample> {
        self.samples.iter().rev().take(RECENT)
    }

    /// What recent steps took on average [s].
    pub fn step_seconds(&self) -> Option<f64> {
        let n = self.recent().count();
        (n > 0).then(|| self.recent().map(|s| s.seconds).sum::<f64>() / n as f64)
    }

    /// How fast simulated time goes by, beside the clock on the wall: 1 is real time. Single steps do not count.
    pub fn real_time_factor(&self, dt: f64) -> Option<f64> {
        let running = || self.recent().map(|s| s.wall).filter(|wall| *wall > 0.0);
        let wall: f64 = running().sum();
        (wall > 0.0).then(|| running().count() as f64 * dt / wall)
    }

    /// Forgets all, as the simulation begins anew.
    pub fn clear(&mut self) {
        self.samples.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(step: u64, seconds: f64) -> Sample {
        Sample { step, seconds, wall: 2.0 * seconds, ..Sample::default() }
    }

    #[test]
    fn it_keeps_the_last_steps_and_begins_anew_with_the_simulation() {
        let mut history = History::default();
        assert_eq!((history.step_seconds(), history.real_time_factor(0.01)), (None, None));
        (1..1000).for_each(|step| history.push(sample(step, 0.005)));
        assert_eq!(history.samples().len(), KEPT);
        assert_eq!(history.last().map(|s| s.step), Some(999));
        assert!((history.step_seconds().expect("steps") - 0.005).abs() < 1e-12);
        assert!((history.real_time_factor(0.01).expect("steps") - 1.0).abs() < 1e-9);
        let energy = Energy { kinetic: 1.0, potential: -3.0 };
        history.push(Sample { energy: Some(energy), ..sample(1000, 0.1) });
        history.push(sample(1001, 0.1));
        assert_eq!(history.energy(), Some(energy));
        history.push(sample(1, 0.1));
        assert_eq!((history.samples().len(), history.energy()), (1, None));
        history.push(Sample { wall: 0.0, ..sample(2, 0.001) });
        assert!(
            (history.real_time_factor(0.1).expect("a step") - 0.5).abs() < 1e-9,
            "single steps do not count"
        );
        history.clear();
        assert_eq!(history.real_time_factor(0.1), None);
    }
}
