//! Another executor, partitioner or number of workers while a simulation runs: nothing of what it computes changes.

use std::sync::Arc;

use engine::exec::{LoadError, PlanId};
use engine::graph::Recording;

use super::{ChangeError, Simulation};
use crate::execution::planned_executor::{Phase, PlannedExecutor};
use crate::execution::{Execution, ExecutorKind, SimulationOptions};

/// The recordings of the graphs that were loaded: those that are not physics, bounds, narrow phase, integration.
type Recordings = [Option<Arc<Recording>>; 4];

impl Simulation {
    /// How the simulation is run at present.
    pub fn execution(&self) -> Execution {
        self.options.execution()
    }

    /// Runs it in another way from the next step on. The recorded graphs stay; they are placed on workers and loaded anew, and
    /// the threads of before end. Positions, velocities, contacts and what else steps leave for each other stay where they are,
    /// so all bits are those of a run without the change. To be called on the thread that steps: with several workers it is
    /// pinned to a core, with one it is not.
    ///
    /// # Errors
    /// No workers, or an executor that does not take a graph; it then goes on as before.
    pub fn set_execution(&mut self, execution: Execution) -> Result<(), ChangeError> {
        if execution.threads == 0 {
            return Err(ChangeError::NoWorkers);
        }
        if execution == self.execution() {
            return Ok(());
        }
        let loaded = [self.animated.plan, self.bounds, self.narrow, self.integration];
        let recordings = loaded.map(|plan| plan.map(|plan| self.engine.recording(plan)));
        let before = self.options.clone();
        self.options = SimulationOptions {
            executor: execution.executor,
            partitioner: execution.partitioner,
            threads: execution.threads,
            ..before.clone()
        };
        let changed = self.reload(&recordings);
        if changed.is_err() {
            self.options = before;
            self.reload(&recordings)?;
        }
        Ok(changed?)
    }

    /// Makes the engine anew, with the graphs of before.
    fn reload(&mut self, recordings: &Recordings) -> Result<(), LoadError> {
        // The old threads end, and leave the caller's to itself, before new ones begin: both pin it.
        let idle = SimulationOptions { executor: ExecutorKind::Sequential, ..self.options.clone() };
        drop(std::mem::replace(&mut self.engine, PlannedExecutor::new(&idle)));
        self.engine = PlannedExecutor::new(&self.options);
        (self.animated.plan, self.bounds, self.narrow, self.integration) = (None, None, None, None);
        self.correction.forget_plan();
        self.prescribed.forget_plan();
        self.controlled.forget_plan();
        self.links.forget_plans();
        let [animated, bounds, narrow, integration] = recordings;
        self.animated.plan = self.load_again(Phase::Collision, animated.as_ref())?;
        self.bounds = self.load_again(Phase::Collision, bounds.as_ref())?;
        self.narrow = self.load_again(Phase::Collision, narrow.as_ref())?;
        self.integration = self.load_again(Phase::Integration, integration.as_ref())?;
        self.is_changed = true;
        // What was seen of the last step was the old engine's.
        self.marks.clear();
        if let Some(observer) = &mut self.observer {
            observer.forget();
            self.engine.observe(true);
        }
        Ok(())
    }

    fn load_again(
        &mut self,
        phase: Phase,
        recording: Option<&Arc<Recording>>,
    ) -> Result<Option<PlanId>, LoadError> {
        let Some(recording) = recording else { return Ok(None) };
        self.engine.load(phase, None, recording.clone(), &mut self.world.store).map(Some)
    }
}
