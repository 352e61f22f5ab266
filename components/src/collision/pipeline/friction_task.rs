//! The friction of a pair's contacts, as a task after that of its narrow phase.

use engine::data::{ObjectId, grow, read, val};
use sim_core::math::{Rigid3Type, Vec3Type};
use sim_core::visitor::vectors::{VecCoordId, VecDerivId, VectorsAccess};
use sim_core::visitor::visit::{Visit, tag_of};

use super::friction_buffers::FrictionBuffers;
use super::model::{PositionData, RunningModel};
use super::pair_buffers::PairBuffers;
use crate::collision::response::{Anchored, Detected, FrictionLists, FrictionParameters, friction_points};

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
