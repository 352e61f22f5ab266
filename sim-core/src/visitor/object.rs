//! An independent object: what a solver walks over.

use super::mass_node::MassNode;
use crate::scene::StateId;
use crate::scene::parts::{OnState, Parts};
use engine::data::ObjectId;
use engine::graph::ComponentTag;

/// A force on an object's state, in scene order: SOFA's masses are force fields too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceRef {
    /// Index in `Parts::force_fields`.
    ForceField(usize),
    /// Index in `Parts::masses`.
    Mass(usize),
}

/// Numbers of objects that have no states: with these are placed the tasks of one large object that can run side by side.
///
/// A state keeps them under [`ObjectsBeside::KEPT`] where its solver has such tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectsBeside {
    /// The first.
    pub first: ObjectId,
    /// How many there are for each phase.
    pub n: u32,
}

impl ObjectsBeside {
    /// The name under which a state keeps them.
    pub const KEPT: &str = "objects beside";
    /// Points of a state from which on it has some: less is done sooner than shared.
    pub const LEAST_POINTS: usize = 200;
    /// The phases of a step in which they have tasks: the factors of a matrix, and what is computed with these. Phase 0 is that of all
    /// other objects. What is balanced over the whole step may well be one worker's alone in one of them.
    pub const PHASES: [u32; 2] = [1, 2];

    /// Their numbers in the first of the phases, or the second.
    pub fn of_phase(self, phase: usize) -> impl Iterator<Item = ObjectId> {
        let first = self.first.0 + phase as u32 * self.n;
        (first..first + self.n).map(ObjectId)
    }
}

/// An independent state and everything mapped from it: the unit of placement.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its number: its place among the independent states in depth-first scene order.
    pub id: ObjectId,
    /// The independent state.
    pub root: StateId,
    /// All its states, the root first, inputs of mappings before outputs.
    pub states: Vec<StateId>,
    /// Force fields and masses in scene order.
    pub forces: Vec<ForceRef>,
    /// Force fields that stand above the solver: evaluated once per step into external forces; indices in
    /// `Parts::force_fields`, in scene order.
    pub external_forces: Vec<usize>,
    /// Projective constraints in scene order: indices in `Parts::constraints`.
    pub constraints: Vec<usize>,
    /// Mappings, inputs before outputs: indices in `Parts::mappings`.
    pub mappings: Vec<usize>,
    /// The solver that moves it: index in `World::solvers`.
    pub solver: Option<usize>,
    /// Identity of that solver in errors and traces: the object keeps it when solvers are merged.
    pub solver_tag: Option<ComponentTag>,
}

impl Object {
    /// Whether forces are divided by its mass: every one is diagonal and stands on its independent state, and there are not two.
    pub fn is_divided_by_its_mass(&self, masses: &[OnState<dyn MassNode>]) -> bool {
        let mut own = self.forces.iter().filter_map(|f| match *f {
            ForceRef::Mass(k) => Some(&masses[k]),
            ForceRef::ForceField(_) => None,
        });
        let is_divided_by = own.next().is_none_or(|m| m.node.is_diagonal() && m.state == self.root);
        is_divided_by && own.next().is_none()
    }

    /// Whether forces or constraints act on it that change with time alone, so that at rest it may not stay there.
    pub fn moves_by_time(&self, parts: &Parts) -> bool {
        let within = self.forces.iter().filter_map(|f| match f {
            ForceRef::ForceField(k) => Some(k),
            ForceRef::Mass(_) => None,
        });
        let mut forces = within.chain(&self.external_forces);
        let mut constraints = self.constraints.iter();
        forces.any(|k| parts.force_fields[*k].node.changes_by_time())
            || constraints.any(|k| parts.constraints[*k].node.moves_by_time())
    }

    /// Whether constraints project the positions or velocities of the independent state after the solvers.
    pub fn is_projected(&self, parts: &Parts) -> bool {
        let mut constraints = self.constraints.iter().map(|k| &parts.constraints[*k]);
        constraints.any(|c| c.state == self.root && c.node.projects_state())
    }
}
