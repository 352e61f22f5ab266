//! A simulation, as a profile and a prediction see it.

use engine::data::Store;

use super::Simulation;
use crate::execution::Stepped;
use crate::predict::{GraphSample, StepTiming};
use crate::record::{Names, StepRecord};

impl Stepped for Simulation {
    fn step_timed(&mut self) -> Result<StepTiming, String> {
        let report = self.step().map_err(|e| e.to_string())?;
        Ok(self.timing(&report))
    }
    fn steps_done(&self) -> u64 {
        self.step_index()
    }
    fn time_step(&self) -> f64 {
        self.dt()
    }
    fn observe(&mut self, on: bool) {
        self.observe(on);
    }
    fn record(&mut self) -> Option<StepRecord> {
        self.record()
    }
    fn graph_samples(&self) -> Vec<GraphSample> {
        self.graph_samples()
    }
    fn sleepers(&self, out: &mut Vec<bool>) {
        self.sleepers(out);
    }
    fn names(&self) -> Names {
        self.names()
    }
    fn notes(&self) -> Vec<String> {
        self.notes()
    }
    fn workers(&self) -> usize {
        self.workers()
    }
    fn threads_started(&self) -> usize {
        self.threads_started()
    }
    fn n_objects(&self) -> usize {
        self.census().n_objects
    }
    fn store(&self) -> &Store {
        &self.world().store
    }
}
