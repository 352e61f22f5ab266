//! Putting what a constructor has built into the scene, with a check that it fits its state.

use std::sync::Arc;

use super::attributes::{
    Attributes, ConstraintAttributes, ForceFieldAttributes, MappingAttributes, MassAttributes,
};
use super::build::{BuildError, Builder};
use super::force_field::{ForceField, ForceFieldParts};
use super::interaction_force_field::{InteractionForceField, InteractionForceFieldParts};
use super::mapping::{Mapping, MappingParts};
use super::mass::{Mass, MassParts};
use super::projective_constraint::{EndTime, ProjectiveConstraint, ProjectiveConstraintParts};
use super::projective_constraint_between::ProjectiveConstraintBetween;
use crate::math::{Deriv, StateType};
use crate::scene::StateId;
use crate::visitor::force_field_node::reach;
use crate::visitor::vectors::VectorsAccess;

impl Builder<'_> {
    /// Number of degrees of freedom of a state (points or frames).
    pub fn size(&self, state: StateId) -> usize {
        self.scene.initial(state).len()
    }

    /// Puts a force field on a state, with the attributes of its family.
    ///
    /// # Errors
    /// A state of another template than the force field's, or blocks beyond the state's matrix.
    pub fn add_force_field<F: ForceField>(
        &mut self,
        state: StateId,
        mut parts: ForceFieldParts<F>,
    ) -> Result<(), BuildError>
    where
        F::State: VectorsAccess,
    {
        self.check_template::<F::State>(state)?;
        parts.rayleigh_stiffness = ForceFieldAttributes::read(self)?.rayleigh_stiffness;
        let reach = reach::<F>(&parts.constants, &parts.elements, &parts.stored);
        let rows = self.size(state) * <F::State as StateType>::Deriv::BLOCKS;
        if reach.any && reach.last as usize >= rows {
            let wrong = format!(
                "its `add_k_to_matrix` writes a block in row or column {}, and its state has {rows} of them: a mistake of {}",
                reach.last,
                F::NAME
            );
            return Err(BuildError::new(wrong));
        }
        self.scene.add_force_field(self.component, state, parts);
        Ok(())
    }

    /// Puts a force field between two states, with the attributes of its family.
    ///
    /// # Errors
    /// States of other templates than the force field's.
    pub fn add_interaction_force_field<F: InteractionForceField>(
        &mut self,
        first: StateId,
        second: StateId,
        mut parts: InteractionForceFieldParts<F>,
    ) -> Result<(), BuildError>
    where
        F::State1: VectorsAccess,
        F::State2: VectorsAccess,
    {
        self.check_template::<F::State1>(first)?;
        self.check_template::<F::State2>(second)?;
        parts.rayleigh_stiffness = ForceFieldAttributes::read(self)?.rayleigh_stiffness;
        self.scene.add_interaction_force_field(self.component, first, second, parts);
        Ok(())
    }

    /// Puts a mass on a state, with the attributes of its family. A component that is a force field, too, adds that first.
    ///
    /// # Errors
    /// A state of another template than the mass's.
    pub fn add_mass<M: Mass>(&mut self, state: StateId, mut parts: MassParts<M>) -> Result<(), BuildError>
    where
        M::State: VectorsAccess,
    {
        self.check_template::<M::State>(state)?;
        let shared = MassAttributes::read(self)?;
        parts.separate_gravity = shared.separate_gravity;
        parts.rayleigh_mass = shared.rayleigh_mass;
        let is_force_field = |c| self.scene.parts.force_fields.iter().any(|f| f.component == c);
        if shared.rayleigh_stiffness != 0.0 && !is_force_field(self.component) {
            let text = "a mass has no stiffness, so that `rayleighStiffness` has no effect";
            self.warn(Some("rayleighStiffness"), text);
        }
        self.scene.add_mass(self.component, state, parts);
        Ok(())
    }

    /// Puts a projective constraint on a state.
    ///
    /// # Errors
    /// A state of another template than the constraint's.
    pub fn add_projective_constraint<P: ProjectiveConstraint>(
        &mut self,
        state: StateId,
        mut parts: ProjectiveConstraintParts<P>,
    ) -> Result<(), BuildError>
    where
        P::State: VectorsAccess,
    {
        self.check_template::<P::State>(state)?;
        parts.end = EndTime(ConstraintAttributes::read(self)?.end_time);
        self.scene.add_projective_constraint(self.component, state, parts);
        Ok(())
    }

    /// Puts a projective constraint between points of two states, which may be the same.
    ///
    /// # Errors
    /// A state of another template than the constraint's.
    pub fn add_projective_constraint_between<P: ProjectiveConstraintBetween>(
        &mut self,
        states: [StateId; 2],
        constants: P::Constants,
        pairs: &[P::Element],
    ) -> Result<(), BuildError>
    where
        P::State: VectorsAccess,
    {
        for state in states {
            self.check_template::<P::State>(state)?;
        }
        let end = EndTime(ConstraintAttributes::read(self)?.end_time);
        self.scene.add_projective_constraint_between::<P>(self.component, states, (constants, end), pairs);
        Ok(())
    }

    /// Puts a mapping between two states, with the attributes of its family.
    ///
    /// # Errors
    /// States of other templates than the mapping's, one state as both, or an output that another component moves.
    pub fn add_mapping<M: Mapping>(
        &mut self,
        input: StateId,
        output: StateId,
        mut parts: MappingParts<M>,
    ) -> Result<(), BuildError>
    where
        M::Input: VectorsAccess,
        M::Output: VectorsAccess,
    {
        self.check_template::<M::Input>(input)?;
        self.check_template::<M::Output>(output)?;
        if input == output {
            return Err(BuildError::attribute("output", "`input` and `output` are the same state"));
        }
        self.check_mapped_once(output)?;
        let shared = MappingAttributes::read(self)?;
        parts.map_forces = shared.map_forces && shared.is_mechanical;
        if !shared.map_constraints && parts.map_forces {
            let text =
                "has no effect where forces go back, as in SOFA; `isMechanical=\"0\"` lets nothing go back";
            self.warn(Some("mapConstraints"), text);
        }
        parts.map_constraints = (shared.map_constraints || shared.map_forces) && shared.is_mechanical;
        if shared.apply_rest_position && !M::MAPS_REST_POSITIONS {
            self.warn(Some("applyRestPosition"), "has no effect here, as in SOFA: the rest positions stay");
        }
        parts.apply_rest_position = shared.apply_rest_position && M::MAPS_REST_POSITIONS;
        self.scene.add_mapping(self.component, input, output, parts);
        Ok(())
    }

    /// Keeps something with the component, for those that ask for its type, in place of what was kept before.
    pub fn keep<T: Send + Sync + 'static>(&mut self, what: Option<T>) {
        self.scene.keep(self.component, what.map(|what| Arc::new(what) as _));
    }

    /// An error unless the state is of this type.
    ///
    /// # Errors
    /// Names both templates.
    pub fn check_template<S: VectorsAccess>(&self, state: StateId) -> Result<(), BuildError> {
        if self.scene.initial_as::<S>(state).is_some() {
            return Ok(());
        }
        Err(self.wrong_template(state, &[<S as StateType>::NAME]))
    }

    /// The error of a component that exists for some templates, and not for that of its state.
    pub fn wrong_template(&self, state: StateId, templates: &[&str]) -> BuildError {
        let (class, templates) = (self.scene.component(self.component).class, templates.join(" or "));
        let found = self.scene.initial(state).template();
        BuildError::new(format!("a {class} acts on a {templates} state; this one is {found}"))
    }
}
