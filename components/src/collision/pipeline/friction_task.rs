//! The friction of a pair's contacts, as a task after that of its narrow phase.

use engine::data::{Data, ObjectId, Store, grow, read, val};
use sim_core::component::collision::FormerContact;
use sim_core::math::{Rigid3Type, Vec3, Vec3Type};
use sim_core::visitor::vectors::{VecCoordId, VecDerivId, VectorsAccess};
use sim_core::visitor::visit::{Visit, tag_of};

use super::model::{PositionData, RunningModel};
use super::narrow_task::PairBuffers;
use crate::collision::response::{
    Anchor, Anchored, Detected, FrictionLists, FrictionParameters, KeptContact, friction_points,
};

/// What is kept of the contacts of a pair of models that have friction.
///
/// What is kept from step to step is state, as positions are: a step that fails leaves that of before.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrictionBuffers {
    /// What is kept of the step before, in ascending order of ids.
    pub(super) kept: Data<KeptContact>,
    kept_next: Data<KeptContact>,
}

impl FrictionBuffers {
    pub(super) fn new(store: &mut Store, object: ObjectId) -> Self {
        let (kept, kept_next) = store.create_state("contact.kept", object, Vec::new());
        Self { kept, kept_next }
    }

    /// Frees them: no task names them any more.
    pub(super) fn free(&self, store: &mut Store) {
        for id in [self.kept.id(), self.kept_next.id()] {
            store.free(id);
        }
    }

    /// Keeps these contacts, each without elongation, as the step before would have.
    pub(super) fn recall(&self, store: &mut Store, contacts: &[FormerContact]) {
        let kept = |c: &FormerContact| {
            let (end, zero) = (Anchor::point(0), Vec3::zeros());
            let FormerContact { id, elements } = *c;
            KeptContact { id, elements, n_a: 1, n_b: 1, a: end, b: end, normal: zero, rest: zero, turn: zero }
        };
        store.replace(self.kept, contacts.iter().map(kept).collect());
    }

    /// Forgets what was kept of the pair's contacts.
    pub(super) fn clear(&self, store: &mut Store) {
        store.replace(self.kept, Vec::new());
    }
}

/// Records the task of a pair, if its contacts have friction.
pub(super) fn record(
    visit: &mut Visit<'_, '_>,
    object: ObjectId,
    parameters: FrictionParameters,
    first: &RunningModel,
    second: &RunningModel,
    pair: &PairBuffers,
) {
    use PositionData::{Frames, Points};
    let Some(buffers) = pair.friction else { return };
    let task = Task { object, parameters, first, second, pair, buffers };
    let kinds = (first.data().positions, second.data().positions);
    if first.state == second.state {
        return match kinds.0 {
            Points(_) => task.record::<Vec3Type, Vec3Type>(visit),
            Frames(_) => task.record::<Rigid3Type, Rigid3Type>(visit),
        };
    }
    match kinds {
        (Points(_), Points(_)) => task.record::<Vec3Type, Vec3Type>(visit),
        (Points(_), Frames(_)) => task.record::<Vec3Type, Rigid3Type>(visit),
        (Frames(_), Points(_)) => task.record::<Rigid3Type, Vec3Type>(visit),
        (Frames(_), Frames(_)) => task.record::<Rigid3Type, Rigid3Type>(visit),
    }
}

/// What the task of a pair is recorded of.
#[derive(Clone, Copy)]
struct Task<'a> {
    object: ObjectId,
    parameters: FrictionParameters,
    first: &'a RunningModel,
    second: &'a RunningModel,
    pair: &'a PairBuffers,
    buffers: FrictionBuffers,
}

impl Task<'_> {
    /// Both ends may lie on one state, which is read twice then.
    fn record<A: Anchored + VectorsAccess, B: Anchored + VectorsAccess>(self, visit: &mut Visit<'_, '_>) {
        let Self { object, parameters, first, second, pair, buffers } = self;
        let FrictionBuffers { kept, kept_next } = buffers;
        let (a, b) = (first.state, second.state);
        let (x, y) = (visit.coord::<A>(a, VecCoordId::POSITION), visit.coord::<B>(b, VecCoordId::POSITION));
        let (v, w) = (visit.deriv::<A>(a, VecDerivId::VELOCITY), visit.deriv::<B>(b, VecDerivId::VELOCITY));
        let dt = visit.parameters.dt;
        visit.rec.own(
            "friction",
            tag_of(first.component),
            object,
            (
                grow(pair.friction_points),
                grow(pair.rolling_points),
                grow(kept_next),
                grow(pair.keys),
                read(kept),
                read(pair.outputs),
                read(pair.points),
                read(x),
                read(y),
                read(v),
                read(w),
                val(dt),
            ),
            move |(mut friction, mut rolling, mut next, mut keys, kept, outputs, points, x, y, v, w, dt)| {
                let detected = Detected::<A, B> { outputs, points, x: (x, y), v: (v, w), dt };
                let lists = FrictionLists {
                    friction: &mut friction,
                    rolling: &mut rolling,
                    next: &mut next,
                    keys: &mut keys,
                };
                friction_points(&parameters, &detected, kept, lists);
            },
        );
    }
}
