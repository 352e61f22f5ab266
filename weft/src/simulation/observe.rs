//! Observed steps of a simulation.

use engine::exec::PlanId;

use super::Simulation;
use super::report::StepReport;
use crate::execution::observer::{Observer, Seen};
use crate::predict::{GraphSample, StepTiming};
use crate::record::{Names, Phase, StepRecord};

impl Simulation {
    /// Observes steps from now on, or no longer. No bit of the state depends on it.
    pub fn observe(&mut self, on: bool) {
        self.engine.observe(on);
        self.observer = on.then(|| Box::new(Observer::begin()));
    }

    /// The last step, if it was observed.
    pub fn record(&mut self) -> Option<StepRecord> {
        let mut observer = self.observer.take()?;
        let phase = |plan| self.phase(plan);
        let seen = Seen { engine: &self.engine, marks: &self.marks, phase: &phase };
        let record = observer.record(self.step.saturating_sub(1), &seen);
        let beside = observer.beside(&self.world.store);
        let record = record.map(|record| StepRecord { beside, ..record });
        self.observer = Some(observer);
        record
    }

    fn phase(&self, plan: PlanId) -> Phase {
        if self.animated.plan == Some(plan) {
            Phase::Events
        } else if self.links.has_plan(plan) {
            Phase::Links
        } else if self.bounds == Some(plan) {
            Phase::Bounds
        } else if self.narrow == Some(plan) {
            Phase::NarrowPhase
        } else {
            Phase::Integration
        }
    }

    /// When the graphs of the last step ran, which `report` is of.
    pub fn timing(&self, report: &StepReport) -> StepTiming {
        let phase = |plan| self.phase(plan);
        Seen { engine: &self.engine, marks: &self.marks, phase: &phase }.timing(report.total_ns)
    }

    /// The graphs of the last step, which must have been observed, in order; those that were not seen whole are left out.
    pub fn graph_samples(&self) -> Vec<GraphSample> {
        let phase = |plan| self.phase(plan);
        let seen = Seen { engine: &self.engine, marks: &self.marks, phase: &phase };
        seen.graph_samples(&self.world.store)
    }

    /// What the numbers in records are called.
    pub fn names(&self) -> Names {
        let scene = &self.world.scene;
        let node_of = |path: String| path.rsplit_once('/').map_or(String::new(), |p| p.0.to_owned());
        let objects = self.world.objects.iter();
        let paths = objects.map(|o| {
            let path = node_of(scene.path(scene.component_of_state(o.root)));
            // Tasks of a large object that run side by side, see `ObjectsBeside`.
            if o.states.is_empty() { path + " (side by side)" } else { path }
        });
        let mut names = Names {
            components: scene
                .all_components()
                .map(|c| (scene.path(c), scene.component(c).class.into()))
                .collect(),
            objects: paths.map(|path| if path.is_empty() { "/".to_owned() } else { path }).collect(),
        };
        self.animated.name_objects(scene, &mut names.objects);
        self.links.name_objects(scene, &mut names.objects);
        names
    }
}
