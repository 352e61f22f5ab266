//! Objects whose states constraints project where a step begins, too: those below a `MechanicalStateController`.

use components::animation_loop::MechanicalStateController;
use engine::data::ObjectId;
use sim_core::scene::NodeId;
use sim_core::step::record_projection;
use sim_core::visitor::world::World;

use super::object_graph::ObjectSweep;
use super::{Simulation, StepFailure};
use crate::execution::clock::Clock;
use crate::execution::planned_executor::Phase;

const CONTROLLED: ObjectSweep = ObjectSweep {
    graph: |s| &mut s.controlled,
    phase: Phase::Collision,
    find: controlled_objects,
    record: record_projection,
};

impl Simulation {
    /// At the beginning of a step: constraints project what a controller stands above.
    pub(super) fn project_controlled(&mut self, clock: &mut Clock) -> Result<(), StepFailure> {
        self.renew_object_graph(&CONTROLLED, clock)?;
        self.run_object_graph(&CONTROLLED, clock)
    }
}

/// The objects with constraints that project states, in nodes with such a controller or below.
fn controlled_objects(world: &World) -> Vec<ObjectId> {
    let scene = &world.scene;
    let present = scene.all_components().filter(|c| scene.has_component(*c)).map(|c| scene.component(c));
    let controllers = present.filter(|c| c.extension::<MechanicalStateController>().is_some());
    let nodes: Vec<NodeId> = controllers.map(|c| c.node).collect();
    let is_below = |node: NodeId| scene.upward(node).any(|n| nodes.contains(&n));
    let projected = world.objects.iter().filter(|o| o.is_projected(&scene.parts));
    let controlled = projected.filter(|o| is_below(scene.component(scene.component_of_state(o.root)).node));
    controlled.map(|o| o.id).collect()
}
