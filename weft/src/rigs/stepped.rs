//! A rig, as a profile and a prediction see it.

use std::borrow::Cow;

use engine::data::Store;
use engine::exec::{Executor, PlanId};

use super::RigSimulation;
use crate::execution::Stepped;
use crate::execution::observer::{Observer, Plans, Seen};
use crate::predict::{GraphSample, StepTiming};
use crate::record::{Names, Phase, StepRecord};

/// Why tasks were made anew: so many of the last reasons.
const REASONS: usize = 5;

impl Plans for RigSimulation {
    fn executor(&self) -> &dyn Executor {
        self.evaluator.executor()
    }
    fn n_workers(&self) -> usize {
        self.workers
    }
    fn version(&self, _: PlanId) -> u64 {
        self.loads
    }
}

impl RigSimulation {
    fn seen(&self) -> Seen<'_> {
        Seen { engine: self, marks: &self.clock.marks, phase: &|_| Phase::Rig }
    }
}

impl Stepped for RigSimulation {
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
        self.evaluator.backend().executor.observe(on);
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
        let tasks = 0..self.evaluator.structure().n_blocks() as u32;
        let objects: Vec<String> = tasks.clone().map(|task| self.evaluator.task_name(task)).collect();
        let class = |task: u32| match self.evaluator.task_component(task) {
            "" => Cow::Borrowed("Rig"),
            part => Cow::Owned(part.to_owned()),
        };
        let components = tasks.map(|task| (objects[task as usize].clone(), class(task))).collect();
        Names { components, objects }
    }
    fn notes(&self) -> Vec<String> {
        let warnings = self.evaluator.warnings();
        self.notes.iter().cloned().chain(warnings).collect()
    }
    fn further_table(&self) -> Option<String> {
        super::loops::table(self.rig())
    }
    fn why(&self, name: &str) -> Result<Vec<String>, String> {
        let node = self.rig().find(name).map_err(|e| {
            let meant = e.suggestion().map_or_else(String::new, |meant| format!("; {meant}"));
            format!("{e}{meant}")
        })?;
        let serial = self.evaluator.why_serial(node);
        let mut lines: Vec<String> = serial.iter().map(|reason| format!("serial: {reason}")).collect();
        if lines.is_empty() {
            lines.push("parallel: nothing keeps it from running beside others".to_owned());
        }
        let rebuilt = self.evaluator.why_rebuilt();
        let first = rebuilt.len().saturating_sub(REASONS);
        if first > 0 {
            lines.push(format!("made anew {first} times before"));
        }
        lines.extend(rebuilt[first..].iter().map(|reason| format!("made anew: {reason}")));
        Ok(lines)
    }
    fn workers(&self) -> usize {
        self.workers
    }
    fn threads_started(&self) -> usize {
        self.threads
    }
    fn n_objects(&self) -> usize {
        self.evaluator.structure().n_blocks()
    }
    fn store(&self) -> &Store {
        self.evaluator.store()
    }
}
