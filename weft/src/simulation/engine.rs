//! The executors behind one face.

use std::sync::Arc;

use sim_core::data::{Scalar, ScalarValue, Store};
use sim_core::exec::{Executor, PlanId, RunFailure, RunReport, Sequential, WorkerReport};
use sim_core::graph::Recording;

use super::options::SimulationOptions;

/// An executor, loaded with the graphs of a step.
pub(super) enum Engine {
    /// The reference.
    Sequential(Sequential),
}

impl Engine {
    pub(super) fn new(_options: &SimulationOptions) -> Self {
        Self::Sequential(Sequential::new())
    }

    /// Loads a program, in place of `replaced` if given.
    pub(super) fn load(
        &mut self,
        replaced: Option<PlanId>,
        recording: Recording,
        store: &mut Store,
    ) -> PlanId {
        match self {
            Self::Sequential(e) => e.load(replaced, Arc::new(recording), store),
        }
    }

    pub(super) fn run(&mut self, plan: PlanId, store: &mut Store) -> Result<RunReport, RunFailure> {
        match self {
            Self::Sequential(e) => e.run(plan, store),
        }
    }

    pub(super) fn workers(&self) -> &[WorkerReport] {
        match self {
            Self::Sequential(e) => e.workers(),
        }
    }

    pub(super) fn scalar<T: ScalarValue>(&self, plan: PlanId, scalar: Scalar<T>) -> T {
        match self {
            Self::Sequential(e) => e.scalar(plan, scalar),
        }
    }

    pub(super) fn recording(&self, plan: PlanId) -> Arc<Recording> {
        match self {
            Self::Sequential(e) => e.recording(plan).clone(),
        }
    }
}
