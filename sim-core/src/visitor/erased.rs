//! Object-safe faces of the component traits.

use crate::component::force_field::{ForceField, ForceFieldParts};
use crate::component::mapping::{Mapping, MappingParts};
use crate::component::mass::{Mass, MassParts};
use crate::component::mechanical_state::{InitialState, StateAccess};
use crate::component::projective_constraint::{ProjectiveConstraint, ProjectiveConstraintParts};
use crate::scene::{Scene, StateId};

/// A force field behind its type.
pub trait ForceFieldNode: Send + Sync {}
/// A mass behind its type.
pub trait MassNode: Send + Sync {}
/// A constraint behind its type.
pub trait ConstraintNode: Send + Sync {}
/// A mapping behind its types.
pub trait MappingNode: Send + Sync {
    /// Resizes the output and maps the initial vectors.
    fn apply_initial(&mut self, scene: &mut Scene, input: StateId, output: StateId);
}

impl<F: ForceField> ForceFieldNode for ForceFieldParts<F> {}
impl<M: Mass> MassNode for MassParts<M> {}
impl<P: ProjectiveConstraint> ConstraintNode for ProjectiveConstraintParts<P> {}
impl<M: Mapping> MappingNode for MappingParts<M>
where
    M::Input: StateAccess,
    M::Output: StateAccess,
{
    fn apply_initial(&mut self, scene: &mut Scene, input: StateId, output: StateId) {
        let Some(from) = scene.initial_as::<M::Input>(input).cloned() else { return };
        let apply_rest = self.apply_rest_position;
        let n = self.n_out;
        let Some(to) = M::Output::of_mut(scene.initial_mut(output)) else { return };
        InitialState::resize(to, n);
        if apply_rest {
            M::apply(
                &self.constants,
                &self.elements,
                &mut self.stored,
                &mut to.rest_position,
                &from.rest_position,
            );
        }
        M::apply(&self.constants, &self.elements, &mut self.stored, &mut to.position, &from.position);
        M::apply_j(&self.constants, &self.elements, &self.stored, &mut to.velocity, &from.velocity);
    }
}

/// Hides the type of a force field.
pub fn erase_force_field<F: ForceField>(parts: ForceFieldParts<F>) -> Box<dyn ForceFieldNode> {
    Box::new(parts)
}
/// Hides the type of a mass.
pub fn erase_mass<M: Mass>(parts: MassParts<M>) -> Box<dyn MassNode> {
    Box::new(parts)
}
/// Hides the type of a constraint.
pub fn erase_constraint<P: ProjectiveConstraint>(
    parts: ProjectiveConstraintParts<P>,
) -> Box<dyn ConstraintNode> {
    Box::new(parts)
}
/// Hides the types of a mapping.
pub fn erase_mapping<M: Mapping>(parts: MappingParts<M>) -> Box<dyn MappingNode>
where
    M::Input: StateAccess,
    M::Output: StateAccess,
{
    Box::new(parts)
}
