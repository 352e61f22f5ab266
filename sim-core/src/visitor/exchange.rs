//! Components that were built again take the place of what they were, part by part.
//!
//! A component may consist of several parts of one kind: two force fields on a state, the two ends of a constraint. They are in the
//! scene's lists in the order in which it added them.

use std::collections::{BTreeMap, BTreeSet};

use super::admit::Treatment;
use super::object::ForceRef;
use super::world::World;
use crate::scene::{ComponentId, SceneMark, StateId};
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
    /// The external forces of a state: of its own part, one more force field or one less acts from above the solver.
    External {
        /// The state.
        state: StateId,
        /// One more, not one less.
        came: bool,
    },
}

/// A component was built again from other parts than before, which cannot take their place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{component}: it would consist of {is} {what} where it has {was}, or on other states; that cannot change while the simulation runs"
)]
pub struct OtherParts {
    /// Path of the component.
    pub component: String,
    /// What its parts are.
    pub what: &'static str,
    /// How many there were.
    pub was: usize,
    /// How many there are.
    pub is: usize,
}

/// What stands where, of a component in one list.
fn parts_of(
    all: impl Iterator<Item = (ComponentId, [StateId; 2])>,
    component: ComponentId,
    first_new: usize,
) -> [Vec<[StateId; 2]>; 2] {
    let mut parts = [Vec::new(), Vec::new()];
    for (k, (_, states)) in all.enumerate().filter(|(_, (c, _))| *c == component) {
        parts[usize::from(k >= first_new)].push(states);
    }
    parts
}

/// Where the parts of a component are in a list, in their order.
pub(super) fn places(
    all: impl Iterator<Item = ComponentId>,
    component: ComponentId,
) -> impl Iterator<Item = usize> {
    all.enumerate().filter(move |(_, c)| *c == component).map(|(k, _)| k)
}

/// How many new parts of each component were put into their places.
#[derive(Default)]
struct Placed(BTreeMap<ComponentId, usize>);

impl Placed {
    fn so_far(&self, component: ComponentId) -> usize {
        self.0.get(&component).copied().unwrap_or(0)
    }

    /// The place of a component's next part among the old ones; none if there are no more of them.
    fn next(&mut self, all: impl Iterator<Item = ComponentId>, component: ComponentId) -> Option<usize> {
        let n = self.0.entry(component).or_default();
        *n += 1;
        places(all, component).nth(*n - 1)
    }
}

impl World {
    /// Whether what was built since a mark can take the place of what the same components were: of masses, constraints, mappings and
    /// what joins states as many parts as before, all parts on the same states. Of force fields on one state there may be more or fewer.
    ///
    /// # Errors
    /// The first component of which that is not so.
    pub fn check_exchange(&self, components: &[ComponentId], mark: &SceneMark) -> Result<(), OtherParts> {
        let parts = &self.scene.parts;
        for &component in components {
            let fields = parts.force_fields.iter().map(|p| (p.component, [p.state; 2]));
            let masses = parts.masses.iter().map(|p| (p.component, [p.state; 2]));
            let constraints = parts.constraints.iter().map(|p| (p.component, [p.state; 2]));
            let interactions = parts.interactions.iter().map(|p| (p.component, [p.first, p.second]));
            let lagrangian = parts.lagrangian.iter().map(|p| (p.component, [p.first, p.second]));
            let mappings = parts.mappings.iter().map(|p| (p.component, [p.first, p.second]));
            let all = [
                ("force fields", parts_of(fields, component, mark.force_fields)),
                ("masses", parts_of(masses, component, mark.masses)),
                ("constraints on states", parts_of(constraints, component, mark.constraints)),
                ("interaction force fields", parts_of(interactions, component, mark.interactions)),
                ("constraints with multipliers", parts_of(lagrangian, component, mark.lagrangian)),
                ("mappings", parts_of(mappings, component, mark.mappings)),
            ];
            let differ = |what: &str, was: &[[StateId; 2]], is: &[[StateId; 2]]| {
                let may_differ = what == "force fields";
                (was.len() != is.len() && !may_differ) || was.iter().zip(is).any(|(was, is)| was != is)
            };
            if let Some((what, [was, is])) = all.into_iter().find(|(what, [was, is])| differ(what, was, is)) {
                let component = self.scene.path(component);
                return Err(OtherParts { component, what, was: was.len(), is: is.len() });
            }
        }
        Ok(())
    }

    /// Puts what was built since a mark in the place of what the same components were before, part by part; see
    /// [`Self::check_exchange`]. Constraints with multipliers begin with those that they had, row by row.
    pub fn exchange(&mut self, components: &[ComponentId], mark: &SceneMark) -> Vec<Rebuilt> {
        let mut rebuilt = Vec::new();
        self.exchange_force_fields(components, mark, &mut rebuilt);
        self.exchange_on_states(mark, &mut rebuilt);
        self.exchange_between(mark, &mut rebuilt);
        let solvers = &mut self.scene.solvers;
        for new in solvers.ode.split_off(mark.ode) {
            if let Some(old) = solvers.ode.iter_mut().find(|s| s.component == new.component) {
                *old = new;
                rebuilt.push(Rebuilt::Solver);
            }
        }
        for new in solvers.linear.split_off(mark.linear) {
            if let Some(old) = solvers.linear.iter_mut().find(|s| s.component == new.component) {
                *old = new;
                rebuilt.push(Rebuilt::Solver);
            }
        }
        let objects = |r: &Rebuilt| if let Rebuilt::Object(object) = r { Some(*object) } else { None };
        let touched: BTreeSet<ObjectId> = rebuilt.iter().filter_map(objects).collect();
        touched.into_iter().for_each(|object| self.forget_kept(object));
        rebuilt
    }

    fn exchange_force_fields(
        &mut self,
        components: &[ComponentId],
        mark: &SceneMark,
        rebuilt: &mut Vec<Rebuilt>,
    ) {
        let mut placed = Placed::default();
        for mut new in self.scene.parts.force_fields.split_off(mark.force_fields) {
            let (component, state) = (new.component, new.state);
            let object = self.vectors[state.0 as usize].object();
            let path = self.scene.path(component);
            new.node.freeze(&mut self.store, object, &path);
            rebuilt.push(Rebuilt::Object(object));
            let fields = &mut self.scene.parts.force_fields;
            if let Some(k) = placed.next(fields.iter().map(|p| p.component), component) {
                fields[k].node.free(&mut self.store);
                fields[k] = new;
                continue;
            }
            fields.push(new);
            let force = ForceRef::ForceField(fields.len() - 1);
            if self.place_force(force) == Treatment::External {
                rebuilt.push(Rebuilt::External { state, came: true });
            }
        }
        for &component in components {
            let fields = self.scene.parts.force_fields.iter().map(|p| p.component);
            let left: Vec<usize> = places(fields, component).skip(placed.so_far(component)).collect();
            // From the last on, so that the places of the others stay.
            for k in left.into_iter().rev() {
                let (state, was_external) = self.take_force_field(k);
                rebuilt.push(Rebuilt::Object(self.vectors[state.0 as usize].object()));
                rebuilt.extend(was_external.then_some(Rebuilt::External { state, came: false }));
            }
        }
    }

    fn exchange_on_states(&mut self, mark: &SceneMark, rebuilt: &mut Vec<Rebuilt>) {
        let Self { scene, store, vectors, .. } = self;
        let object = |s: StateId| vectors[s.0 as usize].object();
        let mut placed = Placed::default();
        for mut new in scene.parts.masses.split_off(mark.masses) {
            new.node.set_gravity(scene.own_gravity(scene.component(new.component).node));
            let path = scene.path(new.component);
            let masses = &mut scene.parts.masses;
            if let Some(k) = placed.next(masses.iter().map(|p| p.component), new.component) {
                masses[k].node.free(store);
                new.node.freeze(store, object(new.state), &path);
                rebuilt.push(Rebuilt::Object(object(new.state)));
                masses[k] = new;
            }
        }
        let mut placed = Placed::default();
        for mut new in scene.parts.constraints.split_off(mark.constraints) {
            let path = scene.path(new.component);
            let constraints = &mut scene.parts.constraints;
            if let Some(k) = placed.next(constraints.iter().map(|p| p.component), new.component) {
                constraints[k].node.free(store);
                new.node.freeze(store, object(new.state), &path);
                rebuilt.push(Rebuilt::Object(object(new.state)));
                constraints[k] = new;
            }
        }
    }

    fn exchange_between(&mut self, mark: &SceneMark, rebuilt: &mut Vec<Rebuilt>) {
        let Self { scene, store, vectors, .. } = self;
        let object = |s: StateId| vectors[s.0 as usize].object();
        let mut placed = Placed::default();
        for mut new in scene.parts.lagrangian.split_off(mark.lagrangian) {
            let path = scene.path(new.component);
            let lagrangian = &mut scene.parts.lagrangian;
            if let Some(k) = placed.next(lagrangian.iter().map(|p| p.component), new.component) {
                let old = &mut lagrangian[k];
                let kept = old.node.kept(store).map(<[f64]>::to_vec);
                old.node.free(store);
                new.node.freeze(store, object(new.first), &path);
                kept.into_iter().for_each(|kept| new.node.begin_with(store, kept));
                *old = new;
            }
        }
        let mut placed = Placed::default();
        for mut new in scene.parts.interactions.split_off(mark.interactions) {
            let path = scene.path(new.component);
            let interactions = &mut scene.parts.interactions;
            if let Some(k) = placed.next(interactions.iter().map(|p| p.component), new.component) {
                interactions[k].node.free(store);
                new.node.freeze(store, object(new.first), &path);
                interactions[k] = new;
                rebuilt.push(Rebuilt::Interaction(k));
            }
        }
        let mut placed = Placed::default();
        for mut new in scene.parts.mappings.split_off(mark.mappings) {
            let path = scene.path(new.component);
            let mappings = &mut scene.parts.mappings;
            if let Some(k) = placed.next(mappings.iter().map(|p| p.component), new.component) {
                mappings[k].node.free(store);
                new.node.freeze(store, object(new.second), &path);
                rebuilt.push(Rebuilt::Object(object(new.second)));
                mappings[k] = new;
            }
        }
    }
}
