//! The face of a collision pipeline: what the step asks of it.
//!
//! A step is three graphs: bounds per object, narrow phase per pair, integration. Between them, on the caller's thread,
//! the pipeline compares lists: which pairs of models are near, which pairs are in contact.

use std::collections::BTreeSet;

use crate::math::Vec3;
use crate::scene::{ComponentId, NodeId, Scene, StateId};
use crate::visitor::interaction_node::InteractionNode;
use crate::visitor::lagrangian_node::LagrangianNode;
use crate::visitor::vectors::StateVectors;
use crate::visitor::visit::Visit;
use crate::visitor::world::FreezeError;
use engine::data::{ObjectId, Store};
use engine::graph::ComponentTag;

/// Which sides of a contact are simulated: it decides where the response is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// To the first: the second is an obstacle.
    First,
    /// To the second: the first is an obstacle.
    Second,
    /// Both are simulated.
    Both,
}

/// A pair of collision models that began or ceased to touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactChange {
    /// Which contact, see [`Contact::key`].
    pub key: (u32, u32),
    /// The state under the first model.
    pub first: StateId,
    /// The state under the second model.
    pub second: StateId,
    /// Which sides are simulated.
    pub attachment: Attachment,
    /// Whether it came.
    pub came: bool,
}

/// A pair of collision models in contact: one joint task per stage.
pub struct Contact {
    /// Its place among all contacts: the ranks of its models.
    pub key: (u32, u32),
    /// Its identity in errors and traces: the first model's.
    pub tag: ComponentTag,
    /// The state under the first model.
    pub first: StateId,
    /// The state under the second model.
    pub second: StateId,
    /// Which sides are simulated.
    pub attachment: Attachment,
    /// Its forces.
    pub node: Box<dyn InteractionNode>,
}

/// A pair of collision models in contact, whose response is a constraint with multipliers.
pub struct ConstraintContact {
    /// Its identity in errors and traces.
    pub tag: ComponentTag,
    /// The node that it is attached to.
    pub at: NodeId,
    /// The state under the first model.
    pub first: StateId,
    /// The state under the second model.
    pub second: StateId,
    /// Its rows.
    pub node: Box<dyn LagrangianNode>,
}

/// A contact with friction that a step has left: while it lasts, the next narrow phase prefers it to others with its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormerContact {
    /// Which contact of the two models it is.
    pub id: u32,
    /// Index of the element in the first and in the second model.
    pub elements: [u32; 2],
}

/// Two elements that a detection has found near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearElements {
    /// The models.
    pub models: [ComponentId; 2],
    /// The closest points [m].
    pub points: [Vec3; 2],
    /// From the first to the second, of length one.
    pub normal: Vec3,
    /// How much farther than the contact distance they are apart [m].
    pub distance: f64,
}

/// Figures of the contacts found last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactStatistics {
    /// Number of contact points.
    pub points: usize,
    /// Greatest penetration below the contact distance [m]; 0 without contacts.
    pub max_penetration: f64,
}

/// A collision pipeline with its phases, intersection method and response.
pub trait CollisionPipeline: Send {
    /// Puts the geometry of all models into the store.
    fn freeze(&mut self, store: &mut Store, vectors: &[StateVectors]);

    /// Takes in the models of nodes that have come to the scene, after what it has; gives back their objects.
    ///
    /// # Errors
    /// A model whose elements do not fit its state; then none is taken in.
    fn add_models(
        &mut self,
        scene: &Scene,
        nodes: &[NodeId],
        store: &mut Store,
        vectors: &[StateVectors],
    ) -> Result<Vec<ObjectId>, FreezeError>;

    /// Lets models go, with their pairs and contacts; gives back their objects. Contacts that they were in are among the
    /// changes then, objects that carried the work of their pairs among those of the narrow phase.
    fn remove_models(&mut self, components: &BTreeSet<ComponentId>, store: &mut Store) -> Vec<ObjectId>;

    /// Makes models anew whose elements, or the points of whose states, have changed, after [`Self::remove_models`]: each has the
    /// place among the others that it had. Gives back their objects.
    ///
    /// # Errors
    /// A model whose elements do not fit its state; then none is made.
    fn renew_models(
        &mut self,
        scene: &Scene,
        components: &BTreeSet<ComponentId>,
        store: &mut Store,
        vectors: &[StateVectors],
    ) -> Result<Vec<ObjectId>, FreezeError>;

    /// The models that it has, with the states that they lie on.
    fn models(&self) -> Vec<(ComponentId, StateId)>;

    /// Records the bounds of all models, or of those of some objects: one task each.
    fn record_bounds(&self, visit: &mut Visit<'_, '_>, objects: Option<&[ObjectId]>);

    /// Compares bounds; returns how many pairs of models came or went.
    fn broad_phase(&mut self, store: &mut Store) -> usize;

    /// Records the narrow phase of the pairs that are near, one task each: of all, or of those that belong to some objects.
    ///
    /// Tasks after those list, for each mapped state, the points that contacts push where they are detected, ascending, in
    /// [`StateVectors::loaded_points`]: linear solvers leave out the others as long as all stands where it was detected. Of
    /// contacts that act after one of their ends was moved, all points are listed.
    fn record_narrow_phase(&self, visit: &mut Visit<'_, '_>, objects: Option<&[ObjectId]>);

    /// The objects whose tasks of the narrow phase changed in the last broad phase, ascending.
    fn narrow_phase_changes(&self) -> &[ObjectId];

    /// Leaves out the work that objects which do not move need not have: the bounds of those that are `asleep`, and the narrow
    /// phase of pairs of which both are `still` (asleep, or moved by no solver). Contacts of such pairs stay as they are.
    /// Gives back the objects whose tasks of the narrow phase that changes, ascending.
    fn let_rest(&mut self, asleep: &BTreeSet<ObjectId>, still: &BTreeSet<ObjectId>) -> Vec<ObjectId>;

    /// Makes the next narrow phase find contacts as if the step before had left these between two states, in ascending order of
    /// ids. A step leaves its own; this is for who computes steps by itself. What friction makes of the contacts then counts for
    /// nothing.
    fn recall(&self, store: &mut Store, states: [StateId; 2], contacts: &[FormerContact]);

    /// Compares what the narrow phase found with the contacts of the previous step; returns how many came or went.
    fn update_contacts(&mut self, store: &mut Store) -> usize;

    /// The present contacts, sorted by key.
    fn contacts(&self) -> &[Contact];

    /// Which contacts came or went in the last comparison.
    fn contact_changes(&self) -> &[ContactChange];

    /// The present contacts whose response is a constraint, in the order in which they are attached, and whether any came or
    /// went in the last comparison.
    fn constraint_contacts(&self) -> (&[ConstraintContact], bool) {
        (&[], false)
    }

    /// Whether a collision group manager merges what touches under one solver.
    fn merges_groups(&self) -> bool;

    /// Whether contacts depend on where the free motion of a step ends, besides where it begins.
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Number of present contact points and the greatest penetration.
    fn statistics(&self, store: &Store) -> ContactStatistics;

    /// The two closest points of every pair of elements that the last detection found near [m], written over `out`, for who
    /// looks at them.
    fn nearest_points(&self, store: &Store, out: &mut Vec<[Vec3; 2]>);

    /// Appends every pair of elements that the last detection found near, in the order of the models.
    fn near_elements(&self, store: &Store, out: &mut Vec<NearElements>);

    /// The node that contacts between simulated objects are attached to: the pipeline's.
    fn node(&self) -> NodeId;
}
