//! Where loads can be on mapped states while a linear system is solved.
//!
//! A collision mesh of a thousand points has some forty that contacts push. Where contacts are all that acts on a mapped state,
//! the products of a linear solver need its other points neither as input nor as output: displacements are mapped down, and
//! forces up, at the points that [`StateVectors::loaded_points`](super::vectors::StateVectors::loaded_points) lists. The list is data
//! which the collision detection writes in each step, so that plans stay as contacts move over a surface.
//!
//! What is left out are additions of zero; so the bits stay.

use super::mechanical::MechanicalVisitor;
use super::object::ForceRef;
use crate::scene::StateId;
use engine::data::Data;

/// Which points of mapped states may carry forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loads {
    /// Any.
    Anywhere,
    /// Of states that have [`MechanicalVisitor::loaded_points`], only those.
    Listed,
}

impl MechanicalVisitor<'_, '_, '_> {
    /// The points of a mapped state that anything can act on in a product with the system's matrix; `None` if that is all of them.
    ///
    /// It depends on the scene and the solver alone, not on the contacts of the step: the state is the output of one mapping that
    /// can be evaluated by points, the input of none, and no force field, mass or interaction force field stands on it; and
    /// tangents are taken where contacts were detected, so that those which push are known.
    pub fn loaded_points(&self, state: StateId) -> Option<Data<u32>> {
        let vectors = &self.visit.vectors[state.0 as usize];
        let parts = self.parts();
        let is_on = |force: &ForceRef| match *force {
            ForceRef::ForceField(k) => parts.force_fields[k].state == state,
            ForceRef::Mass(k) => parts.masses[k].state == state,
        };
        let is_listed = self.is_at_detection()
            && vectors.loads_are_listed()
            && !self.objects[vectors.object().0 as usize].forces.iter().any(is_on);
        vectors.loaded_points().filter(|_| is_listed)
    }
}
