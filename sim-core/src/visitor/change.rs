//! Components that come to and go from the objects of a world that runs.

use super::admit::Treatment;
use super::object::ForceRef;
use super::world::World;
use crate::component::force_field::{ForceField, ForceFieldParts};
use crate::scene::{ComponentId, SceneMark, StateId};
use crate::visitor::vectors::VectorsAccess;
use engine::data::ObjectId;

/// What has to be recorded anew after a component was built again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rebuilt {
    /// An object's own part.
    Object(ObjectId),
    /// The unit of an interaction force field: an index in `Parts::interactions`.
    Interaction(usize),
    /// All: a solver's numbers are in the tasks of all that it moves.
    Solver,
}

impl World {
    /// Puts what was built since a mark in the place of what the same component was before; none if nothing was.
    pub fn exchange(&mut self, component: ComponentId, mark: &SceneMark) -> Option<Rebuilt> {
        let path = self.scene.path(component);
        let own_gravity = self.scene.own_gravity(self.scene.component(component).node);
        let Self { scene, store, vectors, .. } = self;
        let object = |s: StateId| vectors[s.0 as usize].object();
        let parts = &mut scene.parts;
        // A component may be both, force field and mass.
        let mut changed = None;
        if parts.force_fields.len() > mark.force_fields {
            let mut new = parts.force_fields.pop()?;
            let old = parts.force_fields.iter_mut().find(|p| p.component == component)?;
            old.node.free(store);
            let object = object(new.state);
            new.node.freeze(store, object, &path);
            *old = new;
            changed = Some(object);
        }
        if parts.masses.len() > mark.masses {
            let mut new = parts.masses.pop()?;
            let old = parts.masses.iter_mut().find(|p| p.component == component)?;
            old.node.free(store);
            let object = object(new.state);
            new.node.set_gravity(own_gravity);
            new.node.freeze(store, object, &path);
            *old = new;
            changed = Some(object);
        }
        if parts.constraints.len() > mark.constraints {
            let mut new = parts.constraints.pop()?;
            let old = parts.constraints.iter_mut().find(|p| p.component == component)?;
            old.node.free(store);
            let object = object(new.state);
            new.node.freeze(store, object, &path);
            *old = new;
            changed = Some(object);
        }
        if let Some(object) = changed {
            self.forget_kept(object);
            return Some(Rebuilt::Object(object));
        }
        if parts.interactions.len() > mark.interactions {
            let mut new = parts.interactions.pop()?;
            let k = parts.interactions.iter().position(|p| p.component == component)?;
            parts.interactions[k].node.free(store);
            new.node.freeze(store, object(new.first), &path);
            parts.interactions[k] = new;
            return Some(Rebuilt::Interaction(k));
        }
        if scene.solvers.ode.len() > mark.ode {
            let new = scene.solvers.ode.pop()?;
            *scene.solvers.ode.iter_mut().find(|s| s.component == component)? = new;
            return Some(Rebuilt::Solver);
        }
        if scene.solvers.linear.len() > mark.linear {
            let new = scene.solvers.linear.pop()?;
            *scene.solvers.linear.iter_mut().find(|s| s.component == component)? = new;
            return Some(Rebuilt::Solver);
        }
        None
    }

    /// Puts a force field on a state; gives back the object whose own part is to be recorded anew.
    pub fn add_force_field<F: ForceField>(
        &mut self,
        component: ComponentId,
        state: StateId,
        parts: ForceFieldParts<F>,
    ) -> ObjectId
    where
        F::State: VectorsAccess,
    {
        self.scene.add_force_field(component, state, parts);
        let object = self.object_of(state).id;
        let k = self.scene.parts.force_fields.len() - 1;
        let path = self.scene.path(component);
        self.scene.parts.force_fields[k].node.freeze(&mut self.store, object, &path);
        self.place_force(ForceRef::ForceField(k));
        object
    }

    /// Takes a force field away with its component; gives back the object whose own part is to be recorded anew, none if the
    /// component is no force field on a state, or is a mass, too.
    pub fn remove_force_field(&mut self, component: ComponentId) -> Option<ObjectId> {
        let is_mass = self.scene.parts.masses.iter().any(|m| m.component == component);
        if is_mass || !self.scene.has_component(component) {
            return None;
        }
        let fields = &mut self.scene.parts.force_fields;
        let at = fields.iter().position(|f| f.component == component)?;
        let mut gone = fields.swap_remove(at);
        // The last one has taken its number.
        let (last, moved) = (fields.len(), fields.get(at).map(|f| f.state));
        gone.node.free(&mut self.store);
        let object = self.object_of(gone.state).id;
        self.objects[object.0 as usize].forces.retain(|f| *f != ForceRef::ForceField(at));
        self.objects[object.0 as usize].external_forces.retain(|f| *f != at);
        if let Some(state) = moved {
            let object = self.object_of(state).id;
            let object = &mut self.objects[object.0 as usize];
            for f in object.forces.iter_mut().filter(|f| **f == ForceRef::ForceField(last)) {
                *f = ForceRef::ForceField(at);
            }
            for f in object.external_forces.iter_mut().filter(|f| **f == last) {
                *f = at;
            }
        }
        self.scene.remove_component(component);
        self.forget_kept(object);
        Some(object)
    }

    /// Puts a force in its place in scene order among those of its object.
    pub(super) fn place_force(&mut self, force: ForceRef) {
        let parts = &self.scene.parts;
        let of = |f: ForceRef| match f {
            ForceRef::ForceField(k) => (parts.force_fields[k].component, parts.force_fields[k].state),
            ForceRef::Mass(k) => (parts.masses[k].component, parts.masses[k].state),
        };
        let (component, state) = of(force);
        let object = self.object_of(state).id;
        let is_before = |f: ForceRef| self.scene.precedes(of(f).0, component);
        match (self.treatment(force), force) {
            (Treatment::Solver, _) => {
                let forces = &self.objects[object.0 as usize].forces;
                let at = forces.partition_point(|f| is_before(*f));
                self.objects[object.0 as usize].forces.insert(at, force);
            }
            (Treatment::External, ForceRef::ForceField(k)) => {
                let forces = &self.objects[object.0 as usize].external_forces;
                let at = forces.partition_point(|f| is_before(ForceRef::ForceField(*f)));
                self.objects[object.0 as usize].external_forces.insert(at, k);
            }
            _ => {}
        }
        self.forget_kept(object);
    }

    /// Puts a constraint in its place in scene order among those of its object.
    pub(super) fn place_constraint(&mut self, k: usize) {
        let all = &self.scene.parts.constraints;
        let object = self.object_of(all[k].state).id;
        let constraints = &self.objects[object.0 as usize].constraints;
        let at = constraints.partition_point(|c| self.scene.precedes(all[*c].component, all[k].component));
        self.objects[object.0 as usize].constraints.insert(at, k);
        self.forget_kept(object);
    }

    /// What solvers keep of an object's components is out of date.
    pub(super) fn forget_kept(&mut self, object: ObjectId) {
        for state in &self.objects[object.0 as usize].states {
            self.vectors[state.0 as usize].forget_kept(&mut self.store);
        }
    }
}
