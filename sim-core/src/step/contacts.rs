//! Where a contact acts.

use super::groups::can_merge;
use crate::component::collision::Attachment;
use crate::scene::{NodeId, StateId};
use crate::visitor::interaction_node::Sides;
use crate::visitor::world::World;
use engine::data::ObjectId;
use engine::graph::Place;

/// What decides where contacts act.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The pipeline's node is below a solver.
    pub below_solver: bool,
    /// Nothing outside the solvers is evaluated.
    pub in_free_motion: bool,
    /// A group manager merges what touches.
    pub merge: bool,
}

/// Where a contact acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Acts {
    /// In the matrix of this solver's group, on these sides.
    Implicitly {
        /// The solver.
        solver: usize,
        /// Its neighbor through this contact, which its group takes in.
        joins: Option<usize>,
        /// Who receives forces.
        sides: Sides,
    },
    /// Evaluated once per step, outside all solvers.
    Explicitly,
    /// In the matrix of the group of the side that it is attached to; on the other side too, as long as both sides' solvers
    /// are in one group.
    Attached {
        /// The solver of the side that it is attached to.
        solver: usize,
        /// That of the other side.
        other: usize,
        /// Whether it is attached to the first.
        to_first: bool,
    },
    /// Nowhere: neither side is simulated.
    Nowhere,
}

impl Rules {
    pub fn new(world: &World, pipeline_node: Option<NodeId>, merge: bool) -> Self {
        let below_solver = pipeline_node.and_then(|n| world.solver_above(n)).is_some();
        Self { below_solver, in_free_motion: world.free_motion.is_some(), merge }
    }

    /// Where a contact between two states acts, whatever other contacts there are.
    ///
    /// **Source:** SOFA_COLLISION section 5.2 as its facts stand: with an obstacle the response hangs below the simulated
    /// object's solver and is implicit; between two simulated objects it hangs at the pipeline's node and is implicit only
    /// under a common solver, by its place or by a group manager.
    pub fn of(self, world: &World, first: StateId, second: StateId, attachment: Attachment) -> Acts {
        let solver_of = |s: StateId| world.object_of(s).solver;
        let common = self.merge || self.below_solver;
        let on =
            |solver, first, second| Acts::Implicitly { solver, joins: None, sides: Sides { first, second } };
        match (attachment, solver_of(first), solver_of(second)) {
            (Attachment::First, Some(s), None) => on(s, true, false),
            (Attachment::Second, None, Some(s)) => on(s, false, true),
            // Both sides may still be one solver's: then the other side moves too, and feels the force.
            (Attachment::First | Attachment::Second, Some(a), Some(b)) if a == b => on(a, true, true),
            (Attachment::First, Some(solver), Some(other)) => {
                Acts::Attached { solver, other, to_first: true }
            }
            (Attachment::Second, Some(other), Some(solver)) => {
                Acts::Attached { solver, other, to_first: false }
            }
            (Attachment::Both, Some(a), Some(b)) if a == b && common => on(a, true, true),
            (Attachment::Both, Some(a), Some(b)) if self.merge && can_merge(world, a, b) => {
                let sides = Sides { first: true, second: true };
                Acts::Implicitly { solver: a, joins: Some(b), sides }
            }
            (Attachment::Both, Some(s), None) if common => on(s, true, false),
            (Attachment::Both, None, Some(s)) if common => on(s, false, true),
            (Attachment::Both, None, None) | (Attachment::First, None, _) | (Attachment::Second, _, None) => {
                Acts::Nowhere
            }
            (Attachment::Both, ..) if self.in_free_motion => Acts::Nowhere,
            (Attachment::Both, ..) => Acts::Explicitly,
        }
    }
}

/// The unit that tasks between two objects belong to.
pub(super) fn place_of(first: ObjectId, second: ObjectId, sides: Sides) -> Place {
    if first == second && sides.first && sides.second {
        Place::Own(first)
    } else {
        Place::Joint(first, second)
    }
}
