//! The buffers that a pair of models has while it is near.

use engine::data::{Data, ObjectId, Role, Store};
use sim_core::component::constraint_solver::FormerForce;
use sim_core::visitor::lagrangian_node::RowBuffers;

use super::friction_buffers::FrictionBuffers;
use crate::collision::narrow_phase::{
    DetectionOutput, ElementPair, FeatureBlock, Hit, MadeFor, ParameterBox, Work,
};
use crate::collision::response::{ContactPoint, FrictionPoint, KeptContact, MultiplierLaw, RollingPoint};

/// The buffers of a pair of models.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairBuffers {
    /// Rank of the model that is tested as the first.
    pub(super) first: u32,
    /// Rank of the other.
    pub(super) second: u32,
    pub(super) points: Data<ContactPoint>,
    pub(super) penetration: Data<f64>,
    pub(super) outputs: Data<DetectionOutput>,
    /// The contact points that push where they were detected.
    pub(super) pushing: Data<u32>,
    pub(super) work: Data<Work>,
    pub(super) keys: Data<u64>,
    /// The friction of each contact point; empty where contacts have none.
    pub(super) friction_points: Data<FrictionPoint>,
    /// The moments of those with rolling friction.
    pub(super) rolling_points: Data<RollingPoint>,
    /// What is kept for friction, where contacts have it.
    pub(super) friction: Option<FrictionBuffers>,
    /// Whether contacts hold where they are, in place of pushing.
    pub(super) sticks: bool,
    /// What multipliers obey, where contacts are constraints.
    pub(super) law: Option<MultiplierLaw>,
    /// The rows of the constraint, once there was one, and the forces of the step before and of this one.
    pub(super) rows: Option<(RowBuffers, [Data<FormerForce>; 2])>,
    /// The contacts of the step before: those of friction, else none.
    pub(super) former: Data<KeptContact>,
    pub(super) made_for: Data<MadeFor>,
    pub(super) element_pairs: Data<ElementPair>,
    pub(super) features: Data<FeatureBlock>,
    pub(super) hits: Data<Hit>,
    /// Boxes of times and places that are still to be looked at, where the method looks ahead.
    pub(super) queue: Option<Data<ParameterBox>>,
}

impl PairBuffers {
    pub(super) fn new(store: &mut Store, object: ObjectId, has_friction: bool, looks_ahead: bool) -> Self {
        let friction = has_friction.then(|| FrictionBuffers::new(store, object));
        let none = |store: &mut Store| store.create("contact.former", object, Role::Scratch, Vec::new());
        let former = friction.map_or_else(|| none(store), |f| f.kept);
        Self {
            first: 0,
            second: 0,
            points: store.create("contact.points", object, Role::Scratch, Vec::new()),
            penetration: store.create("contact.penetration", object, Role::Scratch, vec![0.0]),
            pushing: store.create("contact.pushing", object, Role::Scratch, Vec::new()),
            outputs: store.create("contact.outputs", object, Role::Scratch, Vec::new()),
            work: store.create("contact.work", object, Role::Scratch, Vec::new()),
            keys: store.create("contact.keys", object, Role::Scratch, Vec::new()),
            friction_points: store.create("contact.friction", object, Role::Scratch, Vec::new()),
            rolling_points: store.create("contact.rolling", object, Role::Scratch, Vec::new()),
            friction,
            sticks: false,
            law: None,
            rows: None,
            former,
            made_for: store.create("contact.made_for", object, Role::Scratch, vec![MadeFor::NOTHING]),
            element_pairs: store.create("contact.element_pairs", object, Role::Scratch, Vec::new()),
            features: store.create("contact.features", object, Role::Scratch, Vec::new()),
            hits: store.create("contact.hits", object, Role::Scratch, Vec::new()),
            queue: looks_ahead.then(|| store.create("contact.queue", object, Role::Scratch, Vec::new())),
        }
    }

    /// Frees them: no task names them any more.
    pub(super) fn free(&self, store: &mut Store) {
        let Self { points, penetration, outputs, pushing, friction_points, .. } = self;
        for id in [points.id(), penetration.id(), outputs.id(), pushing.id(), friction_points.id()] {
            store.free(id);
        }
        let Self { work, keys, rolling_points, friction, .. } = self;
        for id in [work.id(), keys.id(), rolling_points.id()] {
            store.free(id);
        }
        if let Some(friction) = friction {
            friction.free(store);
        } else {
            store.free(self.former.id());
        }
        if let Some((rows, former)) = &self.rows {
            rows.free(store);
            former.iter().for_each(|data| store.free(data.id()));
        }
        let Self { made_for, element_pairs, features, hits, .. } = self;
        let queue = self.queue.map(|queue| queue.id());
        for id in [made_for.id(), element_pairs.id(), features.id(), hits.id()].into_iter().chain(queue) {
            store.free(id);
        }
    }

    /// Forgets the candidates: they were those of another pair.
    pub(super) fn forget_candidates(&self, store: &mut Store) {
        store.write(self.made_for)[0] = MadeFor::NOTHING;
    }

    /// Empties what others read of it.
    pub(super) fn clear(&self, store: &mut Store) {
        store.replace(self.points, Vec::new());
        store.replace(self.pushing, Vec::new());
        store.replace(self.friction_points, Vec::new());
        store.replace(self.rolling_points, Vec::new());
        store.write(self.penetration)[0] = 0.0;
        if let Some(friction) = &self.friction {
            friction.clear(store);
        }
        if let Some((rows, [now, _])) = self.rows {
            store.replace(rows.initial, Vec::new());
            store.replace(now, Vec::new());
        }
    }
}
