//! A graph of its own for some of the objects, recorded when they change, and run once in a step.

use std::sync::Arc;
use std::time::Instant;

use engine::data::ObjectId;
use engine::exec::PlanId;
use engine::graph::Recording;
use sim_core::visitor::world::World;

use super::{Simulation, StepFailure};
use crate::execution::clock::{Clock, since};
use crate::execution::planned_executor::Phase;

/// Some objects, and the graph that does something with them.
#[derive(Default)]
pub(super) struct ObjectGraph {
    objects: Vec<ObjectId>,
    plan: Option<PlanId>,
    /// Whether these are the objects that are there, and the graph is theirs.
    is_current: bool,
}

impl ObjectGraph {
    /// Which objects there are.
    pub(super) fn objects(&self) -> &[ObjectId] {
        &self.objects
    }

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

/// What one of these graphs is about.
pub(super) struct ObjectSweep {
    /// Where a simulation has it.
    pub graph: fn(&mut Simulation) -> &mut ObjectGraph,
    pub phase: Phase,
    /// Finds its objects.
    pub find: fn(&World) -> Vec<ObjectId>,
    pub record: fn(&mut World, &[ObjectId]) -> Recording,
}

impl Simulation {
    /// Records a graph anew, if its objects are not those that are there.
    pub(super) fn renew_object_graph(
        &mut self,
        sweep: &ObjectSweep,
        clock: &mut Clock,
    ) -> Result<(), StepFailure> {
        if (sweep.graph)(self).is_current {
            return Ok(());
        }
        let begin = Instant::now();
        let objects = (sweep.find)(&self.world);
        if !objects.is_empty() {
            let recording = Arc::new((sweep.record)(&mut self.world, &objects));
            let before = (sweep.graph)(self).plan;
            let loaded = self.engine.load(sweep.phase, before, recording, &mut self.world.store);
            let plan = loaded.map_err(|e| self.not_loaded(&e))?;
            (sweep.graph)(self).plan = Some(plan);
            clock.add_plan(begin);
        }
        let graph = (sweep.graph)(self);
        (graph.objects, graph.is_current) = (objects, true);
        Ok(())
    }

    /// Runs a graph, if it has objects.
    pub(super) fn run_object_graph(
        &mut self,
        sweep: &ObjectSweep,
        clock: &mut Clock,
    ) -> Result<(), StepFailure> {
        let graph = (sweep.graph)(self);
        let Some(plan) = graph.plan.filter(|_| !graph.objects.is_empty()) else { return Ok(()) };
        let begin = Instant::now();
        let run = self.engine.run(plan, &mut self.world.store);
        let run = run.map_err(|f| self.blame(plan, Some(f)))?;
        clock.add_run(plan, begin, run, self.engine.workers());
        clock.integrate_ns += since(begin);
        Ok(())
    }
}
