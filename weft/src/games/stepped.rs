//! A flocking game as what runs step by step. It records no tasks on the engine: what its workers did is in its own profile.

use engine::data::Store;

use super::FlockSimulation;
use crate::execution::Stepped;
use crate::predict::{GraphSample, StepTiming};
use crate::record::{Names, StepRecord};

impl Stepped for FlockSimulation {
    fn step_timed(&mut self) -> Result<StepTiming, String> {
        let report = self.step().map_err(|e| e.to_string())?;
        Ok(StepTiming { wall_ns: report.total_ns as f64, ..StepTiming::default() })
    }
    fn steps_done(&self) -> u64 {
        self.flock().frame()
    }
    fn time_step(&self) -> f64 {
        self.flock().options().dt
    }
    fn observe(&mut self, _: bool) {}
    fn record(&mut self) -> Option<StepRecord> {
        None
    }
    fn graph_samples(&self) -> Vec<GraphSample> {
        Vec::new()
    }
    fn names(&self) -> Names {
        Names { components: Vec::new(), objects: Vec::new() }
    }
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
    fn workers(&self) -> usize {
        self.n_workers()
    }
    fn threads_started(&self) -> usize {
        self.n_workers()
    }
    fn n_objects(&self) -> usize {
        self.flock().len()
    }
    fn store(&self) -> &Store {
        &self.store
    }
}
