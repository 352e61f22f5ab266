//! Objects whose states constraints project where a step begins, too: those below a `MechanicalStateController`.

use std::sync::Arc;
use std::time::Instant;

use components::animation_loop::MechanicalStateController;
use engine::data::ObjectId;
use engine::exec::PlanId;
use sim_core::scene::NodeId;
use sim_core::step::record_projection;

use super::{Simulation, StepFailure};
use crate::execution::clock::{Clock, since};
use crate::execution::planned_executor::Phase;

/// The graph that projects them.
#[derive(Default)]
pub(super) struct Controlled {
    plan: Option<PlanId>,
    /// Whether there are such objects.
    has_objects: bool,
    /// Whether the graph is that of the objects that are there.
    is_current: bool,
}

impl Controlled {
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
    /// At the beginning of a step: constraints project what a controller stands above.
    pub(super) fn project_controlled(&mut self, clock: &mut Clock) -> Result<(), StepFailure> {
        if !self.controlled.is_current {
            let begin = Instant::now();
            let objects = self.controlled_objects();
            if !objects.is_empty() {
                let recording = Arc::new(record_projection(&mut self.world, &objects));
                let (before, store) = (self.controlled.plan, &mut self.world.store);
                let loaded = self.engine.load(Phase::Collision, before, recording, store);
                self.controlled.plan = Some(loaded.map_err(|e| self.not_loaded(&e))?);
                clock.add_plan(begin);
            }
            self.controlled.has_objects = !objects.is_empty();
            self.controlled.is_current = true;
        }
        let Some(plan) = self.controlled.plan.filter(|_| self.controlled.has_objects) else { return Ok(()) };
        let begin = Instant::now();
        let run = self.engine.run(plan, &mut self.world.store);
        let run = run.map_err(|f| self.blame(plan, Some(f)))?;
        clock.add_run(plan, begin, run, self.engine.workers());
        clock.integrate_ns += since(begin);
        Ok(())
    }

    /// The objects with constraints that project states, in nodes with such a controller or below.
    fn controlled_objects(&self) -> Vec<ObjectId> {
        let scene = &self.world.scene;
        let present = scene.all_components().filter(|c| scene.has_component(*c)).map(|c| scene.component(c));
        let controllers = present.filter(|c| c.extension::<MechanicalStateController>().is_some());
        let nodes: Vec<NodeId> = controllers.map(|c| c.node).collect();
        let is_below = |node: NodeId| {
            std::iter::successors(Some(node), |n| scene.node(*n).parent).any(|n| nodes.contains(&n))
        };
        let projected = self.world.objects.iter().filter(|o| o.is_projected(&scene.parts));
        let controlled =
            projected.filter(|o| is_below(scene.component(scene.component_of_state(o.root)).node));
        controlled.map(|o| o.id).collect()
    }
}
