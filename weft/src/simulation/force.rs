//! Force fields that come to a running scene and go again, such as the spring by which a mouse pulls a body.

use components::force_field::mouse_spring_force_field::{
    self, Gripped, MouseSpring, MouseSpringForceField, Pull,
};
use engine::data::{Data, ObjectId};
use sim_core::component::force_field::{ForceField, ForceFieldParts};
use sim_core::math::{Rigid3Type, StateType, Vec3Type};
use sim_core::scene::{ComponentId, Location, StateId};
use sim_core::visitor::vectors::VectorsAccess;

use super::{ChangeError, Simulation};

impl Simulation {
    /// Puts a force field on a state, independent or mapped; it acts from the next step on. The component stands last in the
    /// state's node. Only the tasks of the state's object are recorded and planned anew.
    ///
    /// # Errors
    /// No such state, one of another template, one that no solver moves.
    pub fn add_force_field<F: ForceField>(
        &mut self,
        state: StateId,
        name: Option<&str>,
        parts: ForceFieldParts<F>,
    ) -> Result<ComponentId, ChangeError>
    where
        F::State: VectorsAccess,
    {
        let path = self.check_state(state)?;
        let vectors = &self.world.vectors[state.0 as usize];
        if F::State::vectors(vectors).is_none() {
            let found = vectors.template();
            return Err(ChangeError::Template { path, found, wanted: <F::State as StateType>::NAME });
        }
        if self.world.object_of(state).solver.is_none() {
            return Err(ChangeError::NotSimulated(path));
        }
        let scene = &mut self.world.scene;
        let node = scene.component(scene.component_of_state(state)).node;
        let component = scene.add_component(node, F::NAME, name, Location::default());
        let object = self.world.add_force_field(component, state, parts);
        self.renew_object(object)?;
        Ok(component)
    }

    /// Takes a force field away, one of the scene or one that was added, with all parts of it; from the next step on it is not there.
    ///
    /// # Errors
    /// The component is not a force field on one state, is something else too (a mass, a joint), or is not in the scene any more.
    pub fn remove_force_field(&mut self, component: ComponentId) -> Result<(), ChangeError> {
        let Some(departure) = self.world.remove_force_field(component) else {
            return Err(ChangeError::NotAForceField(self.component_path(component)));
        };
        self.wake_all()?;
        self.groups.depart(&self.world, &departure);
        self.update_integration(false)?;
        self.is_changed = true;
        Ok(())
    }

    /// The elements of a force field, to be changed between steps: the next step sees them, and no plan changes. None if the
    /// component is no force field of this type in the scene. Only for who keeps the indices in them as they are: kernels
    /// trust those that the component was built with.
    fn elements_mut<F: ForceField>(&mut self, component: ComponentId) -> Option<&mut [F::Element]> {
        let fields = &self.world.scene.parts.force_fields;
        // Another force field may have elements of the same type.
        let mut parts = fields.iter().filter(|f| f.component == component && f.node.class() == F::NAME);
        let elements: Data<F::Element> = parts.find_map(|f| f.node.elements()?.downcast_ref().copied())?;
        Some(self.world.store.write(elements))
    }

    /// Lets a spring pull a point of a body, as SOFA's mouse does: [`Self::mouse_spring_mut`] moves its target,
    /// [`Self::remove_force_field`] lets go.
    ///
    /// # Errors
    /// As [`Self::add_force_field`]; a point that is not there, numbers out of range.
    pub fn attach_body(&mut self, state: StateId, spring: MouseSpring) -> Result<ComponentId, ChangeError> {
        let path = self.check_state(state)?;
        let vectors = &self.world.vectors[state.0 as usize];
        let (n, index) = (vectors.len(), spring.index);
        if index as usize >= n {
            return Err(ChangeError::NoSuchPoint { path, n, index });
        }
        let is_finite = |v: &sim_core::math::Vec3| v.iter().all(|c| c.is_finite());
        let numbers = [("stiffness", spring.stiffness), ("damping", spring.damping)];
        let wrong = numbers.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0));
        let places = [("local", &spring.local), ("target", &spring.target)];
        let wrong = wrong
            .or_else(|| places.into_iter().find(|(_, v)| !is_finite(v)).map(|(name, v)| (name, v.norm())));
        if let Some((name, value)) = wrong {
            return Err(ChangeError::OutOfRange { name, value });
        }
        if Rigid3Type::vectors(vectors).is_some() {
            self.attach::<Rigid3Type>(state, spring)
        } else if Vec3Type::vectors(vectors).is_some() {
            self.attach::<Vec3Type>(state, spring)
        } else {
            let found = vectors.template();
            Err(ChangeError::Template { path, found, wanted: Vec3Type::NAME })
        }
    }

    fn attach<S: Gripped + VectorsAccess>(
        &mut self,
        state: StateId,
        spring: MouseSpring,
    ) -> Result<ComponentId, ChangeError> {
        self.add_force_field(state, None, mouse_spring_force_field::parts::<S>(spring))
    }

    /// What may change of the spring of an attached body between steps: target, stiffness and damping. None if the component is
    /// no such spring in the scene.
    pub fn mouse_spring_mut(&mut self, component: ComponentId) -> Option<Pull<'_>> {
        let fields = &self.world.scene.parts.force_fields;
        if let Some(state) = fields.iter().rev().find(|f| f.component == component).map(|f| f.state) {
            self.stir(self.world.object_of(state).id);
        }
        // Both types of state have the same class name and elements.
        let springs = self.elements_mut::<MouseSpringForceField<Vec3Type>>(component)?;
        springs.first_mut().map(MouseSpring::pull)
    }

    /// The path of a state that is in the scene.
    fn check_state(&self, state: StateId) -> Result<String, ChangeError> {
        let scene = &self.world.scene;
        let is_there = (state.0 as usize) < scene.n_states()
            && scene.state_of_component(scene.component_of_state(state)) == Some(state);
        if is_there {
            Ok(scene.path(scene.component_of_state(state)))
        } else {
            Err(ChangeError::NoSuchState(state.0))
        }
    }

    fn component_path(&self, component: ComponentId) -> String {
        let scene = &self.world.scene;
        if (component.0 as usize) < scene.all_components().count() {
            scene.path(component)
        } else {
            format!("component {}", component.0)
        }
    }

    /// Records an object's own part anew.
    fn renew_object(&mut self, object: ObjectId) -> Result<(), ChangeError> {
        self.wake_all()?;
        self.groups.renew(&self.world, object);
        self.update_integration(false)?;
        self.is_changed = true;
        Ok(())
    }
}
