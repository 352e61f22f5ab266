//! Observed steps: from what the executor and the step's clock have noted to a record.

use std::sync::Arc;
use std::time::Instant;

use engine::exec::{Observation, PlanId};
use engine::graph::Program;

use super::Simulation;
use crate::record::{Graph, Names, Phase, RunRecord, Section, Serial, StepRecord};

/// Something that a step's clock has seen.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    /// The graph that ran; none: plan work.
    pub run: Option<PlanId>,
    pub start: Instant,
    pub duration_ns: u64,
}

/// What is kept while steps are observed.
pub(super) struct Observer {
    since: Instant,
    /// The last step: beginning and length.
    last: Option<(Instant, u64)>,
    /// The graphs that were asked for last: plan, how often it had been changed, graph.
    graphs: Vec<(PlanId, u64, Arc<Graph>)>,
    seen: Observation,
}

impl Observer {
    fn graph(&mut self, plan: PlanId, version: u64, program: &Program) -> Arc<Graph> {
        if let Some((.., graph)) = self.graphs.iter().find(|g| (g.0, g.1) == (plan, version)) {
            return graph.clone();
        }
        let graph = Arc::new(Graph::of(program));
        // A step has three graphs.
        self.graphs.truncate(5);
        self.graphs.insert(0, (plan, version, graph.clone()));
        graph
    }

    /// Nothing that was seen so far can be asked for any more: the plans are others.
    pub fn forget(&mut self) {
        self.graphs.clear();
        self.last = None;
    }

    /// After a step.
    pub fn end_step(&mut self, start: Instant, wall_ns: u64) {
        self.last = Some((start, wall_ns));
    }
}

impl Simulation {
    /// Observes steps from now on, or no longer. No bit of the state depends on it.
    pub fn observe(&mut self, on: bool) {
        self.engine.observe(on);
        self.observer = on.then(|| {
            let (since, seen) = (Instant::now(), Observation::default());
            Box::new(Observer { since, last: None, graphs: Vec::new(), seen })
        });
    }

    /// The last step, if it was observed.
    pub fn record(&mut self) -> Option<StepRecord> {
        let mut observer = self.observer.take()?;
        let record = observer.last.map(|(start, wall_ns)| self.record_with(&mut observer, start, wall_ns));
        self.observer = Some(observer);
        record
    }

    fn record_with(&self, observer: &mut Observer, start: Instant, wall_ns: u64) -> StepRecord {
        let mut record = StepRecord {
            step: self.step.saturating_sub(1),
            start_ns: start.duration_since(observer.since).as_nanos() as u64,
            wall_ns,
            n_workers: self.workers(),
            runs: Vec::new(),
            sections: Vec::new(),
        };
        for mark in &self.marks {
            let start_ns = mark.start.duration_since(start).as_nanos() as u64;
            let duration_ns = mark.duration_ns;
            let Some(plan) = mark.run else {
                record.sections.push(Section { kind: Serial::PlanWork, start_ns, duration_ns });
                continue;
            };
            self.engine.observation(plan, &mut observer.seen);
            record.runs.push(RunRecord {
                phase: self.phase(plan),
                start_ns,
                duration_ns,
                graph: observer.graph(plan, self.engine.version(plan), self.engine.program(plan)),
                activities: observer.seen.activities.clone(),
                visits: observer.seen.visits.clone(),
            });
        }
        record.fill_gaps();
        record
    }

    pub(super) fn phase(&self, plan: PlanId) -> Phase {
        if self.bounds == Some(plan) {
            Phase::Bounds
        } else if self.narrow == Some(plan) {
            Phase::NarrowPhase
        } else {
            Phase::Integration
        }
    }

    /// What the numbers in records are called.
    pub fn names(&self) -> Names {
        let scene = &self.world.scene;
        let node_of = |path: String| path.rsplit_once('/').map_or(String::new(), |p| p.0.to_owned());
        Names {
            components: scene.all_components().map(|c| (scene.path(c), scene.component(c).class)).collect(),
            objects: self
                .world
                .objects
                .iter()
                .map(|o| node_of(scene.path(scene.component_of_state(o.root))))
                .map(|path| if path.is_empty() { "/".to_owned() } else { path })
                .collect(),
        }
    }
}
