//! Characters, as a profile and a prediction see them.

use engine::data::Store;
use engine::exec::{Executor, PlanId};

use super::CharacterSimulation;
use crate::execution::Stepped;
use crate::execution::observer::{Observer, Plans, Seen};
use crate::predict::{GraphSample, StepTiming};
use crate::record::{Names, Phase, StepRecord};

impl Plans for CharacterSimulation {
    fn executor(&self) -> &dyn Executor {
        self.crowd.executor()
    }
    fn n_workers(&self) -> usize {
        CharacterSimulation::n_workers(self)
    }
    fn version(&self, _: PlanId) -> u64 {
        self.crowd.version()
    }
}

impl CharacterSimulation {
    fn seen(&self) -> Seen<'_> {
        Seen { engine: self, marks: &self.clock.marks, phase: &|_| Phase::Characters }
    }
}

impl Stepped for CharacterSimulation {
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
        self.crowd.executor_mut().observe(on);
        self.observer = on.then(|| Box::new(Observer::begin()));
    }
    fn record(&mut self) -> Option<StepRecord> {
        let mut observer = self.observer.take()?;
        let record = observer.record(self.frames().saturating_sub(1), &self.seen());
        self.observer = Some(observer);
        record
    }
    fn graph_samples(&self) -> Vec<GraphSample> {
        self.seen().graph_samples(self.store())
    }
    fn names(&self) -> Names {
        // As the crowd numbers them: what moves joints, then what moves vertices.
        let components =
            vec![("/joints".to_owned(), "Skeleton".into()), ("/vertices".to_owned(), "Skin".into())];
        // Names of objects that have gone, and of parts of meshes, are empty.
        let mut objects = Vec::new();
        for model in 0..self.n_models() {
            let object = self.crowd.object(model).0 as usize;
            objects.resize(objects.len().max(object + 1), String::new());
            objects[object] = format!("/model {model}");
        }
        Names { components, objects }
    }
    fn draws(&self) -> bool {
        self.painter().is_some()
    }
    fn drawing(&self) -> Option<(u64, u64)> {
        let (drawing, since) = (self.drawing?, self.observer.as_ref()?.last_start()?);
        Some((drawing.start.duration_since(since).as_nanos() as u64, drawing.duration_ns))
    }
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
    fn workers(&self) -> usize {
        self.n_workers()
    }
    fn threads_started(&self) -> usize {
        self.threads
    }
    fn n_objects(&self) -> usize {
        self.n_models()
    }
    fn store(&self) -> &Store {
        self.crowd.store()
    }
}
