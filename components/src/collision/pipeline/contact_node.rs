//! `PenalityContactForceField` as a joint component: its points are data that each detection fills anew, and so is the
//! friction of each where the response has friction.

use std::marker::PhantomData;

use engine::data::{Adder, Data, ObjectId, Scalar, Store, grow, read, update, val};
use sim_core::component::collision::FormerContact;
use sim_core::component::matrix::{End, JointBlock};
use sim_core::math::{Rigid3Type, Vec3Type};
use sim_core::record_pair;
use sim_core::visitor::direct::DirectInteraction;
use sim_core::visitor::interaction_node::{Between, InteractionNode};
use sim_core::visitor::matrix::JointBlocks;
use sim_core::visitor::vectors::{VecDerivId, VectorsAccess};
use sim_core::visitor::visit::Visit;

use super::contact_direct::direct;
use super::model::{PositionData, RunningModel};
use super::pair_buffers::PairBuffers;
use crate::collision::ModelKind;
use crate::collision::narrow_phase::DetectionOutput;
use crate::collision::response::{
    Anchored, ContactLaw, ContactPoint, Contacts, FrictionParameters, FrictionPoint, Penalty,
    PenaltyWithFriction, RollingPoint, Stick,
};

/// SOFA's class name, with friction or without.
const NAME: &str = "PenalityContactForceField";

/// The contacts of two models, as data.
#[derive(Clone, Copy)]
struct ContactData {
    points: Data<ContactPoint>,
    pushing: Data<u32>,
    friction: Data<FrictionPoint>,
    rolling: Data<RollingPoint>,
    outputs: Data<DetectionOutput>,
    parameters: Option<FrictionParameters>,
    sticks: bool,
    has_points: [bool; 2],
}

impl ContactData {
    fn direct<A: Anchored, B: Anchored>(&self, store: &Store) -> Box<dyn DirectInteraction> {
        let outputs = store.read(self.outputs).iter();
        let between = outputs.map(|o| FormerContact { id: o.id, elements: o.elements });
        if self.sticks {
            return direct::<Stick, A, B>(store.read(self.points), between, None, self.has_points);
        }
        let parameters = self.parameters.as_ref();
        direct::<Penalty, A, B>(store.read(self.points), between, parameters, self.has_points)
    }

    /// Both ends may lie on one state, which is read twice then.
    fn record_add_to_matrix<L: ContactLaw, A, B>(
        self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        [k, b]: [Scalar<f64>; 2],
        blocks: Data<JointBlock>,
    ) where
        A: Anchored + VectorsAccess,
        B: Anchored + VectorsAccess,
    {
        let Between { tag, first: s1, second: s2, x, .. } = between;
        let (x1, x2) = (visit.coord::<A>(s1, x[0]), visit.coord::<B>(s2, x[1]));
        let ends = [End::First, if s1 == s2 { End::First } else { End::Second }];
        let object = visit.rec.store().info(blocks.id()).object;
        let Self { points, friction, rolling, .. } = self;
        visit.rec.own(
            NAME,
            tag,
            object,
            (grow(blocks), read(points), read(friction), read(rolling), read(x1), read(x2), val(k), val(b)),
            move |(blocks, points, friction, rolling, x1, x2, k, b)| {
                let contacts = Contacts { points, friction, rolling };
                let matrix = &mut JointBlocks::new(blocks);
                L::add_to_matrix::<A, B>([k, b], contacts, (x1, x2), ends, matrix);
            },
        );
    }
}

/// Types of which a node has no value.
type Types<T> = PhantomData<fn() -> T>;

/// The contacts of two models on two states.
struct ContactNode<L, A, B> {
    contacts: ContactData,
    types: Types<(L, A, B)>,
}

/// The contacts of two models on one state.
struct ContactNodeWithin<L, S> {
    contacts: ContactData,
    types: Types<(L, S)>,
}

/// The joint component of a pair of models, whose contacts have friction if there are parameters of it.
pub(super) fn node(
    pair: &PairBuffers,
    parameters: Option<FrictionParameters>,
    first: &RunningModel,
    second: &RunningModel,
) -> Box<dyn InteractionNode> {
    let PairBuffers { points, pushing, friction_points: friction, rolling_points: rolling, outputs, .. } =
        *pair;
    let has_points = [first.kind, second.kind].map(ModelKind::has_contact_points);
    let contacts = ContactData {
        points,
        pushing,
        friction,
        rolling,
        outputs,
        parameters,
        sticks: pair.sticks,
        has_points,
    };
    match parameters {
        _ if pair.sticks => node_of::<Stick>(contacts, first, second),
        Some(_) => node_of::<PenaltyWithFriction>(contacts, first, second),
        None => node_of::<Penalty>(contacts, first, second),
    }
}

fn node_of<L: ContactLaw>(
    contacts: ContactData,
    first: &RunningModel,
    second: &RunningModel,
) -> Box<dyn InteractionNode> {
    use PositionData::{Frames, Points};
    let (a, b) = (first.data().positions, second.data().positions);
    if first.state == second.state {
        return match a {
            Points(_) => within::<L, Vec3Type>(contacts),
            Frames(_) => within::<L, Rigid3Type>(contacts),
        };
    }
    match (a, b) {
        (Points(_), Points(_)) => between::<L, Vec3Type, Vec3Type>(contacts),
        (Points(_), Frames(_)) => between::<L, Vec3Type, Rigid3Type>(contacts),
        (Frames(_), Points(_)) => between::<L, Rigid3Type, Vec3Type>(contacts),
        (Frames(_), Frames(_)) => between::<L, Rigid3Type, Rigid3Type>(contacts),
    }
}

fn between<L: ContactLaw, A, B>(contacts: ContactData) -> Box<dyn InteractionNode>
where
    A: Anchored + VectorsAccess,
    B: Anchored + VectorsAccess,
{
    Box::new(ContactNode::<L, A, B> { contacts, types: PhantomData })
}

fn within<L: ContactLaw, S: Anchored + VectorsAccess>(contacts: ContactData) -> Box<dyn InteractionNode> {
    Box::new(ContactNodeWithin::<L, S> { contacts, types: PhantomData })
}

impl<L: ContactLaw, A, B> InteractionNode for ContactNode<L, A, B>
where
    A: Anchored + VectorsAccess,
    B: Anchored + VectorsAccess,
{
    fn class(&self) -> &'static str {
        NAME
    }

    fn freeze(&mut self, _store: &mut Store, _object: ObjectId, _name: &str) {}

    fn free(&mut self, _store: &mut Store) {}

    fn has_contact_points(&self) -> [bool; 2] {
        self.contacts.has_points
    }

    fn direct(&self, store: &Store) -> Box<dyn DirectInteraction> {
        self.contacts.direct::<A, B>(store)
    }

    fn record_add_force(&self, visit: &mut Visit<'_, '_>, between: Between, f: VecDerivId) {
        let Between { first: a, second: b, x, v, .. } = between;
        let (f1, f2) = (visit.deriv::<A>(a, f), visit.deriv::<B>(b, f));
        let (x1, x2) = (visit.coord::<A>(a, x[0]), visit.coord::<B>(b, x[1]));
        let (v1, v2) = (visit.deriv::<A>(a, v[0]), visit.deriv::<B>(b, v[1]));
        let ContactData { points, friction, rolling, .. } = self.contacts;
        record_pair!(
            visit,
            between,
            NAME,
            f1,
            f2,
            (read(points), read(friction), read(rolling), read(x1), read(x2), read(v1), read(v2)),
            (points, friction, rolling, x1, x2, v1, v2),
            move |mut f1: Adder<'_, A::Deriv>,
                  mut f2: Adder<'_, B::Deriv>,
                  points: &[ContactPoint],
                  friction: &[FrictionPoint],
                  rolling: &[RollingPoint],
                  x1: &[A::Coord],
                  x2: &[B::Coord],
                  v1: &[A::Deriv],
                  v2: &[B::Deriv]| {
                let add_1 = |i: u32, v| f1.add(i as usize, v);
                let add_2 = |i: u32, v| f2.add(i as usize, v);
                L::add_force::<A, B>(
                    Contacts { points, friction, rolling },
                    (x1, x2),
                    (v1, v2),
                    add_1,
                    add_2,
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
        let ContactData { points, pushing, friction, rolling, .. } = self.contacts;
        let lists = (read(points), read(pushing), read(friction), read(rolling));
        record_pair!(
            visit,
            between,
            NAME,
            df1,
            df2,
            (lists.0, lists.1, lists.2, lists.3, read(x1), read(x2), read(dx1), read(dx2), val(k), val(b)),
            (points, pushing, friction, rolling, x1, x2, dx1, dx2, k, b),
            move |mut f1: Adder<'_, A::Deriv>,
                  mut f2: Adder<'_, B::Deriv>,
                  points: &[ContactPoint],
                  pushing: &[u32],
                  friction: &[FrictionPoint],
                  rolling: &[RollingPoint],
                  x1: &[A::Coord],
                  x2: &[B::Coord],
                  dx1: &[A::Deriv],
                  dx2: &[B::Deriv],
                  k: f64,
                  b: f64| {
                let contacts = (Contacts { points, friction, rolling }, at_detection.then_some(pushing));
                let add_1 = |i: u32, v| f1.add(i as usize, v);
                let add_2 = |i: u32, v| f2.add(i as usize, v);
                L::add_d_force::<A, B>([k, b], contacts, (x1, x2), (dx1, dx2), add_1, add_2);
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
        self.contacts.record_add_to_matrix::<L, A, B>(visit, between, [k, b], blocks);
    }
}

impl<L: ContactLaw, S: Anchored + VectorsAccess> InteractionNode for ContactNodeWithin<L, S> {
    fn class(&self) -> &'static str {
        NAME
    }

    fn freeze(&mut self, _store: &mut Store, _object: ObjectId, _name: &str) {}

    fn free(&mut self, _store: &mut Store) {}

    fn has_contact_points(&self) -> [bool; 2] {
        self.contacts.has_points
    }

    fn direct(&self, store: &Store) -> Box<dyn DirectInteraction> {
        self.contacts.direct::<S, S>(store)
    }

    fn record_add_force(&self, visit: &mut Visit<'_, '_>, between: Between, f: VecDerivId) {
        let state = between.first;
        let f = visit.deriv::<S>(state, f);
        let (x, v) = (visit.coord::<S>(state, between.x[0]), visit.deriv::<S>(state, between.v[0]));
        let object = visit.object(state);
        let ContactData { points, friction, rolling, .. } = self.contacts;
        visit.rec.own(
            NAME,
            between.tag,
            object,
            (update(f), read(points), read(friction), read(rolling), read(x), read(v)),
            |(f, points, friction, rolling, x, v)| {
                L::add_force_within::<S>(Contacts { points, friction, rolling }, x, v, |i, v| {
                    f[i as usize] += v
                });
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
        let ContactData { points, friction, rolling, .. } = self.contacts;
        visit.rec.own(
            NAME,
            between.tag,
            object,
            (update(df), read(points), read(friction), read(rolling), read(x), read(dx), val(k), val(b)),
            |(df, points, friction, rolling, x, dx, k, b)| {
                let contacts = Contacts { points, friction, rolling };
                L::add_d_force_within::<S>([k, b], contacts, x, dx, |i, v| df[i as usize] += v);
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
        self.contacts.record_add_to_matrix::<L, S, S>(visit, between, [k, b], blocks);
    }
}
