//! An executor whose runs are noted: which plan, when, for how long.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use engine::data::Store;
use engine::exec::{Costs, Executor, LoadError, Observation, PlanId, RunFailure, RunReport, WorkerReport};
use engine::graph::{Delta, GroupId, Recording, Schedule};

use crate::execution::clock::Stretch;

/// What was noted since it was last asked for.
#[derive(Default)]
pub(crate) struct Noted {
    /// Runs in order.
    pub runs: Vec<Stretch>,
    /// How often plans were loaded, all together.
    pub loads: u64,
}

/// An executor that notes what it runs. Its notes are taken between runs only.
pub(crate) struct Timed {
    inner: Box<dyn Executor>,
    noted: Arc<Mutex<Noted>>,
}

impl Timed {
    /// Of an executor, with where its notes are.
    pub fn new(inner: Box<dyn Executor>) -> (Self, Arc<Mutex<Noted>>) {
        let noted = Arc::<Mutex<Noted>>::default();
        (Self { inner, noted: noted.clone() }, noted)
    }

    fn note(&self, note: impl FnOnce(&mut Noted)) {
        note(&mut self.noted.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Executor for Timed {
    fn name(&self) -> &'static str {
        self.inner.name()
    }
    fn load_plan(
        &mut self,
        replaced: Option<PlanId>,
        recording: Arc<Recording>,
        schedule: Arc<Schedule>,
        store: &mut Store,
    ) -> Result<PlanId, LoadError> {
        self.note(|n| n.loads += 1);
        self.inner.load_plan(replaced, recording, schedule, store)
    }
    fn update_plan(
        &mut self,
        plan: PlanId,
        store: &mut Store,
        edit: &mut dyn FnMut(&mut Recording, &mut Schedule, &mut Delta),
    ) -> Result<(), LoadError> {
        self.inner.update_plan(plan, store, edit)
    }
    fn unload(&mut self, plan: PlanId) {
        self.inner.unload(plan);
    }
    fn run(&mut self, plan: PlanId, store: &mut Store) -> Result<RunReport, RunFailure> {
        let start = Instant::now();
        let report = self.inner.run(plan, store)?;
        self.note(|n| n.runs.push(Stretch { run: Some(plan), start, duration_ns: report.wall_ns }));
        Ok(report)
    }
    fn recording(&self, plan: PlanId) -> &Arc<Recording> {
        self.inner.recording(plan)
    }
    fn schedule(&self, plan: PlanId) -> &Arc<Schedule> {
        self.inner.schedule(plan)
    }
    fn workers(&self) -> &[WorkerReport] {
        self.inner.workers()
    }
    fn on_workers(&mut self, job: &(dyn Fn(u32) + Sync)) {
        self.inner.on_workers(job);
    }
    fn costs(&self, plan: PlanId) -> Costs {
        self.inner.costs(plan)
    }
    fn observe(&mut self, on: bool) {
        self.inner.observe(on);
    }
    fn observation(&self, plan: PlanId, into: &mut Observation) {
        self.inner.observation(plan, into);
    }
    fn word(&self, plan: PlanId, group: GroupId, index: u32) -> u64 {
        self.inner.word(plan, group, index)
    }
}
