//! `PenalityContactForceField` as a joint component: its points are data that each detection fills anew.

use engine::data::{Adder, Data, ObjectId, Scalar, Store, grow, read, update, val};
use sim_core::component::matrix::{End, JointBlock};
use sim_core::math::{Rigid3Type, Vec3Type};
use sim_core::record_pair;
use sim_core::visitor::direct::DirectInteraction;
use sim_core::visitor::interaction_node::{Between, InteractionNode};
use sim_core::visitor::matrix::JointBlocks;
use sim_core::visitor::vectors::{VecDerivId, VectorsAccess};
use sim_core::visitor::visit::Visit;

use super::model::{PositionData, RunningModel};
use super::narrow_task::PairBuffers;
use super::penalty_direct::direct;
use crate::collision::response::penalty::{
    add_d_force, add_d_force_of, add_d_force_within, add_force, add_force_within, add_k_to_matrix,
};
use crate::collision::response::{Anchored, ContactPoint};

/// SOFA's class name, with friction or without.
pub(super) const NAME: &str = "PenalityContactForceField";

/// The contacts of two models on two states.
struct Penalty<A, B> {
    points: Data<ContactPoint>,
    pushing: Data<u32>,
    types: std::marker::PhantomData<fn() -> (A, B)>,
}

/// The contacts of two models on one state.
struct PenaltyWithin<S> {
    points: Data<ContactPoint>,
    types: std::marker::PhantomData<fn() -> S>,
}

/// The joint component of a pair of models.
pub(super) fn node(
    pair: &PairBuffers,
    first: &RunningModel,
    second: &RunningModel,
) -> Box<dyn InteractionNode> {
    use PositionData::{Frames, Points};
    let PairBuffers { points, .. } = *pair;
    let (a, b) = (first.data().positions, second.data().positions);
    if first.state == second.state {
        return match a {
            Points(_) => Box::new(PenaltyWithin::<Vec3Type> { points, types: std::marker::PhantomData }),
            Frames(_) => Box::new(PenaltyWithin::<Rigid3Type> { points, types: std::marker::PhantomData }),
        };
    }
    match (a, b) {
        (Points(_), Points(_)) => between::<Vec3Type, Vec3Type>(pair),
        (Points(_), Frames(_)) => between::<Vec3Type, Rigid3Type>(pair),
        (Frames(_), Points(_)) => between::<Rigid3Type, Vec3Type>(pair),
        (Frames(_), Frames(_)) => between::<Rigid3Type, Rigid3Type>(pair),
    }
}

fn between<A: Anchored + VectorsAccess, B: Anchored + VectorsAccess>(
    pair: &PairBuffers,
) -> Box<dyn InteractionNode> {
    let PairBuffers { points, pushing, .. } = *pair;
    Box::new(Penalty::<A, B> { points, pushing, types: std::marker::PhantomData })
}

impl<A: Anchored + VectorsAccess, B: Anchored + VectorsAccess> InteractionNode for Penalty<A, B> {
    fn class(&self) -> &'static str {
        NAME
    }

    fn freeze(&mut self, _store: &mut Store, _object: ObjectId, _name: &str) {}

    fn free(&mut self, _store: &mut Store) {}

    fn direct(&self, store: &Store) -> Box<dyn DirectInteraction> {
        direct::<A, B>(store.read(self.points))
    }

    fn record_add_force(&self, visit: &mut Visit<'_, '_>, between: Between, f: VecDerivId) {
        let Between { first: a, second: b, x, .. } = between;
        let (f1, f2) = (visit.deriv::<A>(a, f), visit.deriv::<B>(b, f));
        let (x1, x2) = (visit.coord::<A>(a, x[0]), visit.coord::<B>(b, x[1]));
        record_pair!(
            visit,
            between,
            NAME,
            f1,
            f2,
            (read(self.points), read(x1), read(x2)),
            (points, x1, x2),
            move |mut f1: Adder<'_, A::Deriv>,
                  mut f2: Adder<'_, B::Deriv>,
                  points: &[ContactPoint],
                  x1: &[A::Coord],
                  x2: &[B::Coord]| {
                add_force::<A, B>(points, x1, x2, |i, v| f1.add(i as usize, v), |i, v| f2.add(i as usize, v));
            }
        );
    }

    fn record_add_d_force(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        _b: Scalar<f64>,
        df: VecDerivId,
        dx: [VecDerivId; 2],
    ) {
        let Between { first: a, second: b, x, at_detection, .. } = between;
        let (df1, df2) = (visit.deriv::<A>(a, df), visit.deriv::<B>(b, df));
        let (dx1, dx2) = (visit.deriv::<A>(a, dx[0]), visit.deriv::<B>(b, dx[1]));
        let (x1, x2) = (visit.coord::<A>(a, x[0]), visit.coord::<B>(b, x[1]));
        record_pair!(
            visit,
            between,
            NAME,
            df1,
            df2,
            (read(self.points), read(self.pushing), read(x1), read(x2), read(dx1), read(dx2), val(k)),
            (points, pushing, x1, x2, dx1, dx2, k),
            move |mut f1: Adder<'_, A::Deriv>,
                  mut f2: Adder<'_, B::Deriv>,
                  points: &[ContactPoint],
                  pushing: &[u32],
                  x1: &[A::Coord],
                  x2: &[B::Coord],
                  dx1: &[A::Deriv],
                  dx2: &[B::Deriv],
                  k: f64| {
                let add_1 = |i: u32, v| f1.add(i as usize, v);
                let add_2 = |i: u32, v| f2.add(i as usize, v);
                if at_detection {
                    add_d_force_of::<A, B>(k, (points, pushing), (x1, x2), (dx1, dx2), add_1, add_2);
                } else {
                    add_d_force::<A, B>(k, points, (x1, x2), (dx1, dx2), add_1, add_2);
                }
            }
        );
    }

    fn record_add_to_matrix(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        _b: Scalar<f64>,
        blocks: Data<JointBlock>,
    ) {
        let Between { tag, first: a, second: b, x, .. } = between;
        let (x1, x2) = (visit.coord::<A>(a, x[0]), visit.coord::<B>(b, x[1]));
        let object = visit.rec.store().info(blocks.id()).object;
        visit.rec.own(
            NAME,
            tag,
            object,
            (grow(blocks), read(self.points), read(x1), read(x2), val(k)),
            |(mut blocks, points, x1, x2, k)| {
                blocks.clear();
                let ends = [End::First, End::Second];
                add_k_to_matrix::<A, B>(k, points, (x1, x2), ends, &mut JointBlocks(blocks));
            },
        );
    }
}

impl<S: Anchored + VectorsAccess> InteractionNode for PenaltyWithin<S> {
    fn class(&self) -> &'static str {
        NAME
    }

    fn freeze(&mut self, _store: &mut Store, _object: ObjectId, _name: &str) {}

    fn free(&mut self, _store: &mut Store) {}

    fn direct(&self, store: &Store) -> Box<dyn DirectInteraction> {
        direct::<S, S>(store.read(self.points))
    }

    fn record_add_force(&self, visit: &mut Visit<'_, '_>, between: Between, f: VecDerivId) {
        let state = between.first;
        let f = visit.deriv::<S>(state, f);
        let x = visit.coord::<S>(state, between.x[0]);
        let object = visit.object(state);
        visit.rec.own(
            NAME,
            between.tag,
            object,
            (update(f), read(self.points), read(x)),
            |(f, points, x)| {
                add_force_within::<S>(points, x, |i, v| f[i as usize] += v);
            },
        );
    }

    fn record_add_d_force(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        _b: Scalar<f64>,
        df: VecDerivId,
        dx: [VecDerivId; 2],
    ) {
        let state = between.first;
        let (df, dx) = (visit.deriv::<S>(state, df), visit.deriv::<S>(state, dx[0]));
        let x = visit.coord::<S>(state, between.x[0]);
        let object = visit.object(state);
        visit.rec.own(
            NAME,
            between.tag,
            object,
            (update(df), read(self.points), read(x), read(dx), val(k)),
            |(df, points, x, dx, k)| add_d_force_within::<S>(k, points, x, dx, |i, v| df[i as usize] += v),
        );
    }

    fn record_add_to_matrix(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        _b: Scalar<f64>,
        blocks: Data<JointBlock>,
    ) {
        let x = visit.coord::<S>(between.first, between.x[0]);
        let object = visit.rec.store().info(blocks.id()).object;
        visit.rec.own(
            NAME,
            between.tag,
            object,
            (grow(blocks), read(self.points), read(x), val(k)),
            |(mut blocks, points, x, k)| {
                blocks.clear();
                let ends = [End::First, End::First];
                add_k_to_matrix::<S, S>(k, points, (x, x), ends, &mut JointBlocks(blocks));
            },
        );
    }
}
