//! What moves without a solver: objects that constraints move, and how multipliers feel them and those that follow a file.

use engine::data::ObjectId;
use sim_core::step::{prescribed_objects, record_prescribed};

use super::object_graph::ObjectSweep;
use super::{Simulation, StepFailure};
use crate::execution::clock::Clock;
use crate::execution::planned_executor::Phase;

const PRESCRIBED: ObjectSweep = ObjectSweep {
    graph: |s| &mut s.prescribed,
    phase: Phase::Integration,
    find: prescribed_objects,
    record: record_prescribed,
};

impl Simulation {
    /// At the beginning of a step: finds out what moves without a solver.
    pub(super) fn find_prescribed(&mut self, clock: &mut Clock) -> Result<(), StepFailure> {
        self.renew_object_graph(&PRESCRIBED, clock)?;
        if !self.prescribed.objects().is_empty() {
            // What moves by itself may touch what rests.
            self.wake_all().map_err(|e| self.not_loaded(&e))?;
        }
        Ok(())
    }

    /// After the solvers of a step: constraints move what no solver does.
    pub(super) fn move_prescribed(&mut self, clock: &mut Clock) -> Result<(), StepFailure> {
        self.run_object_graph(&PRESCRIBED, clock)
    }

    /// The objects without a solver that multipliers feel ahead of where they stand by their free velocity: those that constraints
    /// move, and those that follow a file.
    pub(super) fn unsolved(&self) -> Vec<ObjectId> {
        let of_files = self.readers.states(&self.world.scene).map(|s| self.world.object_of(s));
        let of_files = of_files.filter(|o| o.solver.is_none()).map(|o| o.id);
        let mut objects: Vec<ObjectId> = self.prescribed.objects().iter().copied().chain(of_files).collect();
        objects.sort_unstable();
        objects.dedup();
        objects
    }
}
