//! What moves without a solver: objects that constraints move, and how multipliers feel them and those that follow a file.

use std::sync::Arc;
use std::time::Instant;

use engine::data::ObjectId;
use engine::exec::PlanId;
use sim_core::step::{prescribed_objects, record_prescribed};

use super::{Simulation, StepFailure};
use crate::execution::clock::{Clock, since};
use crate::execution::planned_executor::Phase;

/// Objects without a solver that constraints move, and the graph that does so.
#[derive(Default)]
pub(super) struct Prescribed {
    objects: Vec<ObjectId>,
    plan: Option<PlanId>,
    /// Whether these are the objects that are there, and the graph is theirs.
    is_current: bool,
}

impl Prescribed {
    /// Something comes, goes or is built again: nothing of what was recorded runs again.
    pub(super) fn outdate(&mut self) {
        self.is_current = false;
    }

    /// The graph has gone with its executor.
    pub(super) fn forget_plan(&mut self) {
        self.plan = None;
        self.is_current = false;
    }
}

impl Simulation {
    /// At the beginning of a step: finds out what moves without a solver.
    pub(super) fn find_prescribed(&mut self, clock: &mut Clock) -> Result<(), StepFailure> {
        if !self.prescribed.is_current {
            let begin = Instant::now();
            let objects = prescribed_objects(&self.world);
            if !objects.is_empty() {
                let recording = Arc::new(record_prescribed(&mut self.world, &objects));
                let (before, store) = (self.prescribed.plan, &mut self.world.store);
                let loaded = self.engine.load(Phase::Integration, before, recording, store);
                self.prescribed.plan = Some(loaded.map_err(|e| self.not_loaded(&e))?);
                clock.add_plan(begin);
            }
            self.prescribed.objects = objects;
            self.prescribed.is_current = true;
        }
        if !self.prescribed.objects.is_empty() {
            // What moves by itself may touch what rests.
            self.wake_all().map_err(|e| self.not_loaded(&e))?;
        }
        Ok(())
    }

    /// After the solvers of a step: constraints move what no solver does.
    pub(super) fn move_prescribed(&mut self, clock: &mut Clock) -> Result<(), StepFailure> {
        let Some(plan) = self.prescribed.plan.filter(|_| !self.prescribed.objects.is_empty()) else {
            return Ok(());
        };
        let begin = Instant::now();
        let run = self.engine.run(plan, &mut self.world.store);
        let run = run.map_err(|f| self.blame(plan, Some(f)))?;
        clock.add_run(plan, begin, run, self.engine.workers());
        clock.integrate_ns += since(begin);
        Ok(())
    }

    /// The objects without a solver that multipliers feel ahead of where they stand by their free velocity: those that constraints
    /// move, and those that follow a file.
    pub(super) fn unsolved(&self) -> Vec<ObjectId> {
        let of_files = self.readers.states(&self.world.scene).map(|s| self.world.object_of(s));
        let of_files = of_files.filter(|o| o.solver.is_none()).map(|o| o.id);
        let mut objects: Vec<ObjectId> = self.prescribed.objects.iter().copied().chain(of_files).collect();
        objects.sort_unstable();
        objects.dedup();
        objects
    }
}
