//! `PenalityContactForceField` with friction as a joint component: as `penalty_node`, and the friction of each point beside it.

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
use super::penalty_direct::{Outputs, direct_with_friction};
use super::penalty_node::NAME;
use crate::collision::response::friction::{
    add_d_force, add_d_force_of, add_d_force_within, add_force, add_force_within, add_k_to_matrix,
};
use crate::collision::response::{
    Anchored, ContactPoint, FrictionParameters, FrictionPoint, FrictionalContacts,
};

/// The contacts of two models, as data.
#[derive(Clone, Copy)]
struct Contacts {
    points: Data<ContactPoint>,
    pushing: Data<u32>,
    friction: Data<FrictionPoint>,
    outputs: Outputs,
    parameters: FrictionParameters,
}

/// The contacts of two models on two states.
struct Frictional<A, B> {
    contacts: Contacts,
    types: std::marker::PhantomData<fn() -> (A, B)>,
}

/// The contacts of two models on one state.
struct FrictionalWithin<S> {
    contacts: Contacts,
    types: std::marker::PhantomData<fn() -> S>,
}

/// The joint component of a pair of models.
pub(super) fn node(
    pair: &PairBuffers,
    friction: Data<FrictionPoint>,
    parameters: FrictionParameters,
    first: &RunningModel,
    second: &RunningModel,
) -> Box<dyn InteractionNode> {
    use PositionData::{Frames, Points};
    let PairBuffers { points, pushing, outputs, .. } = *pair;
    let contacts = Contacts { points, pushing, friction, outputs: Outputs(outputs), parameters };
    let (a, b) = (first.data().positions, second.data().positions);
    let types = std::marker::PhantomData;
    if first.state == second.state {
        return match a {
            Points(_) => Box::new(FrictionalWithin::<Vec3Type> { contacts, types }),
            Frames(_) => {
                Box::new(FrictionalWithin::<Rigid3Type> { contacts, types: std::marker::PhantomData })
            }
        };
    }
    match (a, b) {
        (Points(_), Points(_)) => between::<Vec3Type, Vec3Type>(contacts),
        (Points(_), Frames(_)) => between::<Vec3Type, Rigid3Type>(contacts),
        (Frames(_), Points(_)) => between::<Rigid3Type, Vec3Type>(contacts),
        (Frames(_), Frames(_)) => between::<Rigid3Type, Rigid3Type>(contacts),
    }
}

fn between<A: Anchored + VectorsAccess, B: Anchored + VectorsAccess>(
    contacts: Contacts,
) -> Box<dyn InteractionNode> {
    Box::new(Frictional::<A, B> { contacts, types: std::marker::PhantomData })
}

impl<A: Anchored + VectorsAccess, B: Anchored + VectorsAccess> InteractionNode for Frictional<A, B> {
    fn class(&self) -> &'static str {
        NAME
    }

    fn freeze(&mut self, _store: &mut Store, _object: ObjectId, _name: &str) {}

    fn free(&mut self, _store: &mut Store) {}

    fn direct(&self, store: &Store) -> Box<dyn DirectInteraction> {
        let Contacts { points, outputs, parameters, .. } = self.contacts;
        direct_with_friction::<A, B>(store.read(points), outputs.between(store), &parameters)
    }

    fn record_add_force(&self, visit: &mut Visit<'_, '_>, between: Between, f: VecDerivId) {
        let Between { first: a, second: b, x, v, .. } = between;
        let (f1, f2) = (visit.deriv::<A>(a, f), visit.deriv::<B>(b, f));
        let (x1, x2) = (visit.coord::<A>(a, x[0]), visit.coord::<B>(b, x[1]));
        let (v1, v2) = (visit.deriv::<A>(a, v[0]), visit.deriv::<B>(b, v[1]));
        let Contacts { points, friction, .. } = self.contacts;
        record_pair!(
            visit,
            between,
            NAME,
            f1,
            f2,
            (read(points), read(friction), read(x1), read(x2), read(v1), read(v2)),
            (points, friction, x1, x2, v1, v2),
            move |mut f1: Adder<'_, A::Deriv>,
                  mut f2: Adder<'_, B::Deriv>,
                  points: &[ContactPoint],
                  friction: &[FrictionPoint],
                  x1: &[A::Coord],
                  x2: &[B::Coord],
                  v1: &[A::Deriv],
                  v2: &[B::Deriv]| {
                add_force::<A, B>(
                    FrictionalContacts { points, friction },
                    (x1, x2),
                    (v1, v2),
                    |i, v| f1.add(i as usize, v),
                    |i, v| f2.add(i as usize, v),
                );
            }
        );
    }

    fn record_add_d_force(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        b: Scalar<f64>,
        df: VecDerivId,
        dx: [VecDerivId; 2],
    ) {
        let Between { first: s1, second: s2, x, at_detection, .. } = between;
        let (df1, df2) = (visit.deriv::<A>(s1, df), visit.deriv::<B>(s2, df));
        let (dx1, dx2) = (visit.deriv::<A>(s1, dx[0]), visit.deriv::<B>(s2, dx[1]));
        let (x1, x2) = (visit.coord::<A>(s1, x[0]), visit.coord::<B>(s2, x[1]));
        let Contacts { points, pushing, friction, .. } = self.contacts;
        let lists = (read(points), read(pushing), read(friction));
        record_pair!(
            visit,
            between,
            NAME,
            df1,
            df2,
            (lists.0, lists.1, lists.2, read(x1), read(x2), read(dx1), read(dx2), val(k), val(b)),
            (points, pushing, friction, x1, x2, dx1, dx2, k, b),
            move |mut f1: Adder<'_, A::Deriv>,
                  mut f2: Adder<'_, B::Deriv>,
                  points: &[ContactPoint],
                  pushing: &[u32],
                  friction: &[FrictionPoint],
                  x1: &[A::Coord],
                  x2: &[B::Coord],
                  dx1: &[A::Deriv],
                  dx2: &[B::Deriv],
                  k: f64,
                  b: f64| {
                let contacts = FrictionalContacts { points, friction };
                let add_1 = |i: u32, v| f1.add(i as usize, v);
                let add_2 = |i: u32, v| f2.add(i as usize, v);
                if at_detection {
                    let contacts = (contacts, pushing);
                    add_d_force_of::<A, B>([k, b], contacts, (x1, x2), (dx1, dx2), add_1, add_2);
                } else {
                    add_d_force::<A, B>([k, b], contacts, (x1, x2), (dx1, dx2), add_1, add_2);
                }
            }
        );
    }

    fn record_add_to_matrix(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        b: Scalar<f64>,
        blocks: Data<JointBlock>,
    ) {
        let Between { tag, first: s1, second: s2, x, .. } = between;
        let (x1, x2) = (visit.coord::<A>(s1, x[0]), visit.coord::<B>(s2, x[1]));
        let object = visit.rec.store().info(blocks.id()).object;
        let Contacts { points, friction, .. } = self.contacts;
        visit.rec.own(
            NAME,
            tag,
            object,
            (grow(blocks), read(points), read(friction), read(x1), read(x2), val(k), val(b)),
            |(mut blocks, points, friction, x1, x2, k, b)| {
                blocks.clear();
                let contacts = FrictionalContacts { points, friction };
                let ends = [End::First, End::Second];
                add_k_to_matrix::<A, B>([k, b], contacts, (x1, x2), ends, &mut JointBlocks(blocks));
            },
        );
    }
}

impl<S: Anchored + VectorsAccess> InteractionNode for FrictionalWithin<S> {
    fn class(&self) -> &'static str {
        NAME
    }

    fn freeze(&mut self, _store: &mut Store, _object: ObjectId, _name: &str) {}

    fn free(&mut self, _store: &mut Store) {}

    fn direct(&self, store: &Store) -> Box<dyn DirectInteraction> {
        let Contacts { points, outputs, parameters, .. } = self.contacts;
        direct_with_friction::<S, S>(store.read(points), outputs.between(store), &parameters)
    }

    fn record_add_force(&self, visit: &mut Visit<'_, '_>, between: Between, f: VecDerivId) {
        let state = between.first;
        let f = visit.deriv::<S>(state, f);
        let (x, v) = (visit.coord::<S>(state, between.x[0]), visit.deriv::<S>(state, between.v[0]));
        let object = visit.object(state);
        let Contacts { points, friction, .. } = self.contacts;
        visit.rec.own(
            NAME,
            between.tag,
            object,
            (update(f), read(points), read(friction), read(x), read(v)),
            |(f, points, friction, x, v)| {
                let contacts = FrictionalContacts { points, friction };
                add_force_within::<S>(contacts, x, v, |i, v| f[i as usize] += v);
            },
        );
    }

    fn record_add_d_force(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        b: Scalar<f64>,
        df: VecDerivId,
        dx: [VecDerivId; 2],
    ) {
        let state = between.first;
        let (df, dx) = (visit.deriv::<S>(state, df), visit.deriv::<S>(state, dx[0]));
        let x = visit.coord::<S>(state, between.x[0]);
        let object = visit.object(state);
        let Contacts { points, friction, .. } = self.contacts;
        visit.rec.own(
            NAME,
            between.tag,
            object,
            (update(df), read(points), read(friction), read(x), read(dx), val(k), val(b)),
            |(df, points, friction, x, dx, k, b)| {
                let contacts = FrictionalContacts { points, friction };
                add_d_force_within::<S>([k, b], contacts, x, dx, |i, v| df[i as usize] += v);
            },
        );
    }

    fn record_add_to_matrix(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        b: Scalar<f64>,
        blocks: Data<JointBlock>,
    ) {
        let x = visit.coord::<S>(between.first, between.x[0]);
        let object = visit.rec.store().info(blocks.id()).object;
        let Contacts { points, friction, .. } = self.contacts;
        visit.rec.own(
            NAME,
            between.tag,
            object,
            (grow(blocks), read(points), read(friction), read(x), val(k), val(b)),
            |(mut blocks, points, friction, x, k, b)| {
                blocks.clear();
                let contacts = FrictionalContacts { points, friction };
                let ends = [End::First, End::First];
                add_k_to_matrix::<S, S>([k, b], contacts, (x, x), ends, &mut JointBlocks(blocks));
            },
        );
    }
}
