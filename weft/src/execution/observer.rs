//! Observed steps: from what the executor and the step's clock have noted to a record.

use std::sync::Arc;
use std::time::Instant;

use engine::data::{DataId, Store};
use engine::exec::{Executor, Observation, PlanId};
use engine::graph::Program;

use super::clock::Stretch;
use crate::predict::{GraphSample, StepTiming};
use crate::record::{BesideWork, Graph, Phase, RunRecord, Section, Serial, StepRecord};

/// The plans of an executor, as an observer asks for them.
pub(crate) trait Plans {
    /// The executor.
    fn executor(&self) -> &dyn Executor;
    /// Number of workers.
    fn n_workers(&self) -> usize;
    /// How often a plan was changed.
    fn version(&self, plan: PlanId) -> u64;
}

/// A step as its driver has it: the engine, what the clock has seen, and what the plans are.
pub(crate) struct Seen<'a> {
    /// Whose plans ran.
    pub engine: &'a dyn Plans,
    /// What ran, in order.
    pub marks: &'a [Stretch],
    /// Which graph a plan is of.
    pub phase: &'a dyn Fn(PlanId) -> Phase,
}

/// What is kept while steps are observed.
pub(crate) struct Observer {
    since: Instant,
    /// The last step: beginning and length.
    last: Option<(Instant, u64)>,
    /// The graphs that were asked for last: plan, how often it had been changed, graph.
    graphs: Vec<(PlanId, u64, Arc<Graph>)>,
    seen: Observation,
    /// Of each work beside the steps, when what was told of last began.
    beside: Vec<(DataId, Instant)>,
}

impl Observer {
    /// Of steps from now on.
    pub fn begin() -> Self {
        let (since, seen) = (Instant::now(), Observation::default());
        Self { since, last: None, graphs: Vec::new(), seen, beside: Vec::new() }
    }

    fn graph(&mut self, plan: PlanId, version: u64, program: &Program) -> Arc<Graph> {
        if let Some((.., graph)) = self.graphs.iter().find(|g| (g.0, g.1) == (plan, version)) {
            return graph.clone();
        }
        let graph = Arc::new(Graph::of(program));
        // A step has about as many graphs.
        self.graphs.truncate(8);
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

    /// When the last step began.
    pub fn last_start(&self) -> Option<Instant> {
        self.last.map(|(start, _)| start)
    }

    /// What threads beside the workers have done since this was asked for last.
    pub fn beside(&mut self, store: &Store) -> Vec<BesideWork> {
        let mut new = Vec::new();
        for done in store.done_beside().filter(|done| done.start >= self.since) {
            let known = self.beside.iter_mut().find(|(id, _)| *id == done.id);
            match known {
                Some((_, start)) if *start == done.start => continue,
                Some((_, start)) => *start = done.start,
                None => self.beside.push((done.id, done.start)),
            }
            let info = store.info(done.id);
            new.push(BesideWork {
                name: info.name.clone(),
                object: info.object.0,
                start_ns: done.start.duration_since(self.since).as_nanos() as u64,
                duration_ns: done.duration.as_nanos() as u64,
            });
        }
        new
    }

    /// The last step, `step` by number, if one has ended since.
    pub fn record(&mut self, step: u64, of: &Seen<'_>) -> Option<StepRecord> {
        let (start, wall_ns) = self.last?;
        let mut record = StepRecord {
            step,
            start_ns: start.duration_since(self.since).as_nanos() as u64,
            wall_ns,
            n_workers: of.engine.n_workers(),
            runs: Vec::new(),
            sections: Vec::new(),
            beside: Vec::new(),
        };
        for mark in of.marks {
            let start_ns = mark.start.duration_since(start).as_nanos() as u64;
            let duration_ns = mark.duration_ns;
            let Some(plan) = mark.run else {
                record.sections.push(Section { kind: Serial::PlanWork, start_ns, duration_ns });
                continue;
            };
            let executor = of.engine.executor();
            executor.observation(plan, &mut self.seen);
            record.runs.push(RunRecord {
                phase: (of.phase)(plan),
                start_ns,
                duration_ns,
                graph: self.graph(plan, of.engine.version(plan), &executor.recording(plan).program),
                activities: self.seen.activities.clone(),
                visits: self.seen.visits.clone(),
            });
        }
        record.fill_gaps();
        Some(record)
    }
}

impl Seen<'_> {
    /// When the graphs of the step ran, which took `wall_ns`.
    pub fn timing(&self, wall_ns: u64) -> StepTiming {
        let begin = self.marks.iter().map(|m| m.start).min();
        let runs = self.marks.iter().filter_map(|mark| {
            let start = mark.start.duration_since(begin?).as_nanos() as f64;
            Some(((self.phase)(mark.run?), start, mark.duration_ns as f64))
        });
        let plan_ns = self.marks.iter().filter(|m| m.run.is_none()).map(|m| m.duration_ns as f64);
        StepTiming { wall_ns: wall_ns as f64, runs: runs.collect(), plan_ns: plan_ns.sum() }
    }

    /// The graphs of the step, which must have been observed, in order; those that were not seen whole are left out.
    pub fn graph_samples(&self, store: &Store) -> Vec<GraphSample> {
        let mut seen = Observation::default();
        let mut samples = Vec::new();
        let executor = self.engine.executor();
        for mark in self.marks {
            let Some(plan) = mark.run else { continue };
            executor.observation(plan, &mut seen);
            // Copies: the plan itself may be updated in the next step.
            let program = Arc::new(executor.recording(plan).program.clone());
            let code = (program, Arc::new(executor.schedule(plan).as_ref().clone()));
            let word = |group, index| executor.word(plan, group, index);
            let wall_ns = mark.duration_ns as f64;
            let sample = GraphSample::new((self.phase)(plan), code, &seen, word, wall_ns, store);
            samples.extend(Some(sample).filter(GraphSample::is_complete));
        }
        samples
    }
}
