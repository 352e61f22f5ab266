//! The free motion of a step with Lagrangian constraints: its vectors, and how it ends.

use crate::component::lagrangian_constraint::ConstraintOrder;
use crate::math::Coord;
use crate::visitor::mechanical::{Group, MechanicalVisitor};
use crate::visitor::vectors::{VecCoordId, VecDerivId, VectorsAccess};
use crate::visitor::visit::{At, Visit};
use crate::visitor::world::World;
use crate::with_state_type;
use engine::data::{ObjectId, read, val, write};
use engine::graph::{ComponentTag, Recorder, Recording};

/// Gives every state the vectors of the free motion, and those that nothing moves their values, once.
///
/// **Source:** as SOFA's FreeMotionAnimationLoop: what is not moved keeps the velocity of the first step for ever.
pub fn make_free_vectors(world: &mut World) {
    let World { store, vectors, .. } = world;
    for v in vectors.iter_mut().filter(|v| !v.has_free_motion()) {
        crate::for_vectors!(v, _S, v => {
            let (x, free_x) = (v.position(), v.coord(store, VecCoordId::FREE_POSITION));
            let now = store.read(x).to_vec();
            store.write(free_x).copy_from_slice(&now);
            let (v_now, free_v) = (v.velocity(), v.deriv(store, VecDerivId::FREE_VELOCITY));
            let now = store.read(v_now).to_vec();
            store.write(free_v).copy_from_slice(&now);
        });
    }
}

/// Records the end of a group's free motion: what its solver left in the next position and velocity becomes the free one, mapped
/// states follow, nothing else moves.
///
/// **Source:** as SOFA's FreeMotionAnimationLoop: free positions are x moved by h v_free, whatever the solver wrote, and mapped
/// ones too, linearised; where velocities are solved for, they stay what the solver wrote.
pub(super) fn record_end_of_free_motion(visitor: &mut MechanicalVisitor<'_, '_, '_>, order: ConstraintOrder) {
    visitor.each_root("free_velocity", |visit, at| {
        visit.v_copy(at, VecDerivId::FREE_VELOCITY, VecDerivId::VELOCITY_NEXT);
    });
    record_free_positions(visitor, order, true);
}

/// Records the free motion of objects that no solver moves, in every step: constraints project the free velocity, which stays what
/// it is otherwise, and positions are ahead by it. So multipliers feel such an object where it stands.
///
/// **Source:** as SOFA's FreeMotionAnimationLoop.
pub(super) fn record_unsolved_free_motion(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    order: ConstraintOrder,
) {
    record_free_positions(visitor, order, false);
}

/// Records the same by itself, for who has to know where such objects go before they are corrected.
pub fn record_ahead(world: &mut World, unsolved: &[ObjectId], order: ConstraintOrder) -> Recording {
    let World { scene, store, vectors, objects, parameters, .. } = world;
    let mut rec = Recorder::new(store);
    let external = vec![false; vectors.len()];
    let visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
    let group = Group {
        objects: unsolved,
        joints: Vec::new(),
        external: &external,
        tag: ComponentTag(u32::MAX),
        follows_detection: false,
    };
    let mut visitor = MechanicalVisitor::new(visit, group, &scene.parts, objects);
    record_unsolved_free_motion(&mut visitor, order);
    rec.finish()
}

/// Records that constraints project the free velocity, mapped states follow, and positions are ahead by it; where velocities are
/// solved for, they are what a solver wrote.
fn record_free_positions(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    order: ConstraintOrder,
    is_solved: bool,
) {
    let (x, v) = (VecCoordId::FREE_POSITION, VecDerivId::FREE_VELOCITY);
    visitor.project_response(v);
    visitor.propagate_all(v);
    visitor.visit.rec.sweep("free_position");
    for object in visitor.group_objects() {
        for &state in &object.states {
            let at = visitor.at(state);
            match order {
                ConstraintOrder::Position => visitor.visit.x_ahead(at, x, v),
                ConstraintOrder::Velocity if is_solved && state == object.root => {
                    visitor.visit.x_copy(at, x, VecCoordId::POSITION_NEXT);
                }
                ConstraintOrder::Velocity => {}
            }
        }
    }
}

impl Visit<'_, '_> {
    /// x_out := the position at the beginning of the step moved by v h.
    pub(super) fn x_ahead(&mut self, at: At, x_out: VecCoordId, v: VecDerivId) {
        with_state_type!(self, at.state, S => self.ahead_of::<S>(at, x_out, v));
    }
    fn ahead_of<S: VectorsAccess>(&mut self, at: At, x_out: VecCoordId, v: VecDerivId) {
        let (out, x) = (self.coord::<S>(at.state, x_out), self.coord::<S>(at.state, VecCoordId::POSITION));
        let (v, dt) = (self.deriv::<S>(at.state, v), self.parameters.dt);
        let accesses = (write(out), read(x), read(v), val(dt));
        self.rec.own("x_ahead", at.tag, at.object, accesses, |(out, x, v, dt)| {
            for ((out, x), v) in out.iter_mut().zip(x).zip(v) {
                *out = x.moved(&(*v * dt));
            }
        });
    }
}
