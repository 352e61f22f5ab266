//! Components that come to and go from the objects of a world that runs.

use super::admit::Treatment;
use super::depart::Departure;
use super::exchange::places;
use super::object::ForceRef;
use super::world::World;
use crate::component::force_field::{ForceField, ForceFieldParts};
use crate::scene::{ComponentId, StateId};
use crate::visitor::vectors::VectorsAccess;
use engine::data::ObjectId;

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

    /// Takes a force field away with its component, all parts of it; gives back what is to be recorded anew, none if the component is
    /// no force field on states, or is something else, too.
    pub fn remove_force_field(&mut self, component: ComponentId) -> Option<Departure> {
        let parts = &self.scene.parts;
        let is_more = parts.masses.iter().any(|p| p.component == component)
            || parts.constraints.iter().any(|p| p.component == component)
            || parts.interactions.iter().any(|p| p.component == component)
            || parts.lagrangian.iter().any(|p| p.component == component);
        let all: Vec<usize> = places(parts.force_fields.iter().map(|p| p.component), component).collect();
        if is_more || all.is_empty() || !self.scene.has_component(component) {
            return None;
        }
        let mut departure = Departure::default();
        // From the last on, so that the places of the others stay.
        for k in all.into_iter().rev() {
            let (state, was_external) = self.take_force_field(k);
            departure.external.extend(was_external.then_some(state));
            departure.touched.push(self.object_of(state).id);
        }
        departure.touched.sort_unstable();
        departure.touched.dedup();
        self.scene.remove_component(component);
        for object in &departure.touched {
            self.forget_kept(*object);
        }
        Some(departure)
    }

    /// Takes one part away. The last of the list gets its place; the parts of one component keep their order. Gives back its state, and
    /// whether it acted from above the solver.
    pub(super) fn take_force_field(&mut self, at: usize) -> (StateId, bool) {
        let mut gone = self.scene.parts.force_fields.swap_remove(at);
        gone.node.free(&mut self.store);
        let object = self.object_of(gone.state).id;
        let object = &mut self.objects[object.0 as usize];
        object.forces.retain(|f| *f != ForceRef::ForceField(at));
        let n_external = object.external_forces.len();
        object.external_forces.retain(|f| *f != at);
        let was_external = object.external_forces.len() < n_external;
        let last = self.scene.parts.force_fields.len();
        self.rename_force_field(at, last, at);
        let mut at = at;
        while let Some(moved) = self.scene.parts.force_fields.get(at).map(|f| f.component) {
            let later = self.scene.parts.force_fields[at + 1..].iter().map(|f| f.component);
            let Some(next) = places(later, moved).next().map(|k| at + 1 + k) else { break };
            self.scene.parts.force_fields.swap(at, next);
            // By way of a number that none has.
            self.rename_force_field(next, at, usize::MAX);
            self.rename_force_field(at, next, at);
            self.rename_force_field(next, usize::MAX, next);
            at = next;
        }
        (gone.state, was_external)
    }

    /// The force field that is at a place of the list has another number in what its object names.
    fn rename_force_field(&mut self, place: usize, was: usize, is: usize) {
        let Some(state) = self.scene.parts.force_fields.get(place).map(|f| f.state) else { return };
        let object = self.object_of(state).id;
        let object = &mut self.objects[object.0 as usize];
        for f in object.forces.iter_mut().filter(|f| **f == ForceRef::ForceField(was)) {
            *f = ForceRef::ForceField(is);
        }
        for f in object.external_forces.iter_mut().filter(|f| **f == was) {
            *f = is;
        }
    }

    /// Puts a force in its place in scene order among those of its object: of one component force fields before masses, each kind in
    /// the order in which they came.
    pub(super) fn place_force(&mut self, force: ForceRef) -> Treatment {
        let parts = &self.scene.parts;
        let of = |f: ForceRef| match f {
            ForceRef::ForceField(k) => (parts.force_fields[k].component, parts.force_fields[k].state),
            ForceRef::Mass(k) => (parts.masses[k].component, parts.masses[k].state),
        };
        let (component, state) = of(force);
        let object = self.object_of(state).id;
        let is_mass = |f: ForceRef| matches!(f, ForceRef::Mass(_));
        let is_before = |f: ForceRef| match of(f).0 {
            own if own == component => is_mass(force) || !is_mass(f),
            other => self.scene.precedes(other, component),
        };
        let treatment = self.treatment(force);
        match (treatment, force) {
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
        treatment
    }

    /// Puts a constraint in its place in scene order among those of its object.
    pub(super) fn place_constraint(&mut self, k: usize) {
        let all = &self.scene.parts.constraints;
        let object = self.object_of(all[k].state).id;
        let constraints = &self.objects[object.0 as usize].constraints;
        let own = all[k].component;
        let is_before = |c: ComponentId| c == own || self.scene.precedes(c, own);
        let at = constraints.partition_point(|c| is_before(all[*c].component));
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
