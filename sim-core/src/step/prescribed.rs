//! Objects that constraints move without a solver: an obstacle with a prescribed motion, a target that joints follow.

use crate::visitor::mechanical::{Group, MechanicalVisitor};
use crate::visitor::vectors::{VecCoordId, VecDerivId};
use crate::visitor::visit::Visit;
use crate::visitor::world::World;
use engine::data::ObjectId;
use engine::graph::{ComponentTag, Recorder, Recording};

/// The objects without a solver whose constraints project positions or velocities.
pub fn prescribed_objects(world: &World) -> Vec<ObjectId> {
    let unsolved = world.objects.iter().filter(|o| o.solver.is_none());
    unsolved.filter(|o| o.is_projected(&world.scene.parts)).map(|o| o.id).collect()
}

/// Records the end of a step of these objects: constraints project their positions and velocities, mappings follow. The next ones
/// are written, so that a step that fails leaves them where they were.
///
/// **Source:** as SOFA's animation loops, which project all states after the solvers, also those that none moves. The time is that
/// of the step's beginning, as where there is a solver.
pub fn record_prescribed(world: &mut World, members: &[ObjectId]) -> Recording {
    let World { scene, store, vectors, objects, parameters, .. } = world;
    let mut rec = Recorder::new(store);
    let external = vec![false; vectors.len()];
    let visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
    let tag = ComponentTag(u32::MAX);
    let group =
        Group { objects: members, joints: Vec::new(), external: &external, tag, follows_detection: false };
    let mut visitor = MechanicalVisitor::new(visit, group, &scene.parts, objects);
    let (x, v) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
    visitor.each_root("prescribed", |visit, at| {
        visit.x_copy(at, x, VecCoordId::POSITION);
        visit.v_copy(at, v, VecDerivId::VELOCITY);
    });
    visitor.project_position_and_velocity(x, v);
    visitor.propagate(x, v);
    rec.finish()
}
