//! An event graph, as a profile and a prediction see it.

use engine::data::Store;

use super::EventSimulation;
use crate::execution::Stepped;
use crate::execution::observer::{Observer, Seen};
use crate::predict::{GraphSample, StepTiming};
use crate::record::{Names, Phase, StepRecord};

impl EventSimulation {
    fn seen(&self) -> Seen<'_> {
        Seen { engine: &self.engine.engine, marks: &self.engine.clock.marks, phase: &|_| Phase::Events }
    }
}

impl Stepped for EventSimulation {
    fn step_timed(&mut self) -> Result<StepTiming, String> {
        let report = self.step().map_err(|e| e.to_string())?;
        Ok(self.seen().timing(report.total_ns))
    }
    fn steps_done(&self) -> u64 {
        self.frames()
    }
    fn time_step(&self) -> f64 {
        self.dt()
    }
    fn observe(&mut self, on: bool) {
        self.engine.engine.observe(on);
        self.engine.observer = on.then(|| Box::new(Observer::begin()));
    }
    fn record(&mut self) -> Option<StepRecord> {
        let mut observer = self.engine.observer.take()?;
        let record = observer.record(self.frames().saturating_sub(1), &self.seen());
        self.engine.observer = Some(observer);
        record
    }
    fn graph_samples(&self) -> Vec<GraphSample> {
        self.seen().graph_samples(&self.store)
    }
    fn names(&self) -> Names {
        let objects = self.graph.task_names();
        Names {
            components: objects.iter().map(|name| (name.clone(), "EventGraph".into())).collect(),
            objects,
        }
    }
    fn notes(&self) -> Vec<String> {
        self.engine.engine.notes().to_vec()
    }
    fn has_cascade(&self) -> bool {
        true
    }
    fn workers(&self) -> usize {
        self.engine.engine.n_workers()
    }
    fn threads_started(&self) -> usize {
        self.engine.engine.n_threads()
    }
    fn n_objects(&self) -> usize {
        self.graph.n_tasks()
    }
    fn store(&self) -> &Store {
        &self.store
    }
}
