//! Components that come to and go from the objects of a world that runs.

use super::object::ForceRef;
use super::world::World;
use crate::component::force_field::{ForceField, ForceFieldParts};
use crate::data::ObjectId;
use crate::scene::{ComponentId, StateId};
use crate::visitor::vectors::VectorsAccess;

impl World {
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
    /// component is no force field on a state.
    pub fn remove_force_field(&mut self, component: ComponentId) -> Option<ObjectId> {
        if !self.scene.has_component(component) {
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
        if let Some(state) = moved {
            let object = self.object_of(state).id;
            let forces = &mut self.objects[object.0 as usize].forces;
            for f in forces.iter_mut().filter(|f| **f == ForceRef::ForceField(last)) {
                *f = ForceRef::ForceField(at);
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
        let forces = &self.objects[object.0 as usize].forces;
        let at = forces.partition_point(|f| self.scene.precedes(of(*f).0, component));
        self.objects[object.0 as usize].forces.insert(at, force);
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
        let root = self.objects[object.0 as usize].root;
        self.vectors[root.0 as usize].forget_kept(&mut self.store);
    }
}
