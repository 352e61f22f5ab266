//! What a step shows to predictions: when its graphs ran, and what each task cost.

use std::sync::Arc;

use engine::exec::Observation;

use super::Simulation;
use super::report::StepReport;
use crate::predict::{GraphSample, StepTiming};

impl Simulation {
    /// When the graphs of the last step ran, which `report` is of.
    pub fn timing(&self, report: &StepReport) -> StepTiming {
        let begin = self.marks.iter().map(|m| m.start).min();
        let runs = self.marks.iter().filter_map(|mark| {
            let start = mark.start.duration_since(begin?).as_nanos() as f64;
            Some((self.phase(mark.run?), start, mark.duration_ns as f64))
        });
        let plan_ns = self.marks.iter().filter(|m| m.run.is_none()).map(|m| m.duration_ns as f64);
        StepTiming { wall_ns: report.total_ns as f64, runs: runs.collect(), plan_ns: plan_ns.sum() }
    }

    /// The graphs of the last step, which must have been observed, in order; those that were not seen whole are left out.
    pub fn graph_samples(&self) -> Vec<GraphSample> {
        let mut seen = Observation::default();
        let mut samples = Vec::new();
        for mark in &self.marks {
            let Some(plan) = mark.run else { continue };
            self.engine.observation(plan, &mut seen);
            // Copies: the plan itself may be updated in the next step.
            let program = Arc::new(self.engine.program(plan).clone());
            let code = (program, Arc::new(self.engine.schedule(plan).clone()));
            let word = |group, index| self.engine.word(plan, group, index);
            let wall_ns = mark.duration_ns as f64;
            let sample = GraphSample::new(self.phase(plan), code, &seen, word, wall_ns, &self.world.store);
            samples.extend(Some(sample).filter(GraphSample::is_complete));
        }
        samples
    }
}
