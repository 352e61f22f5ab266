//! Topologies that change while a simulation runs: elements go and come, and all that depends on them follows.

use std::collections::BTreeSet;
use std::sync::Arc;

use components::topology::changes::script::Command;
use components::topology::changes::{
    AppliedChange, ChangePlan, Changed, DueChanges, EditError, TopologicalChanges,
};
use scenes::rebuild::{build_beside, prepare};
use scenes::visual::VisualModel;
use sim_core::component::build::{LinkTarget, TopologySearch};
use sim_core::component::description::Recipe;
use sim_core::component::mechanical_state::AnyInitialState;
use sim_core::component::value::Value;
use sim_core::renumbering::{ElementKind, NEW, PointOrigin, inverse, renumbered_coords};
use sim_core::scene::{ComponentId, Scene};
use sim_core::topology::Topology;
use sim_core::visitor::points::renumbered_initial;
use sim_core::visitor::world::World;

use super::attributes::projected;
use super::links::Run;
use super::{ChangeError, Simulation, StepFailure};
use crate::execution::clock::Clock;

impl Simulation {
    /// Takes elements out of a topology; from the next step on they are not there. Points that no element has any more go with them,
    /// and so do parts of the topologies that mappings fill from it. What depends on it (state, masses, force fields, projective
    /// constraints, collision models) follows.
    ///
    /// The element of the highest number gets the number of each that goes, and so it is with points. Numbers that no element
    /// has are left out. Contacts of the object are found anew: what friction remembered of them is forgotten.
    ///
    /// # Errors
    /// A topology without a `...SetTopologyModifier` for these elements; something that depends on it and cannot follow; nothing
    /// would be left. All is then as it was.
    pub fn remove_elements(
        &mut self,
        topology: ComponentId,
        kind: ElementKind,
        elements: &[u32],
    ) -> Result<(), ChangeError> {
        self.change_topology(topology, &[(Some(kind), Command::Remove(elements.to_vec()))])
    }

    /// Puts elements into a topology, each a row of points that are there, after those that it has.
    ///
    /// # Errors
    /// As [`Self::remove_elements`]; rows of another width, or with a point that there is not.
    pub fn add_elements(
        &mut self,
        topology: ComponentId,
        kind: ElementKind,
        elements: &[Vec<u32>],
    ) -> Result<(), ChangeError> {
        if let Some(row) = elements.iter().find(|row| row.len() != kind.nodes()) {
            return Err(ChangeError::ElementWidth {
                kind: kind.plural(),
                wanted: kind.nodes(),
                n: row.len(),
            });
        }
        self.change_topology(topology, &[(Some(kind), Command::Add(kind, elements.to_vec()))])
    }

    /// Carries out what the scene's processors have for the beginning of a step.
    pub(super) fn process_topological_changes(&mut self, clock: &mut Clock) -> Result<(), StepFailure> {
        if self.due_changes.is_empty() {
            return Ok(());
        }
        let time = self.time();
        for k in 0..self.due_changes.len() {
            let due = &mut self.due_changes[k];
            let (component, topology) = (due.component, due.changes.topology);
            if !self.world.scene.has_component(component) {
                continue;
            }
            let commands = due.take(time);
            if commands.is_empty() {
                continue;
            }
            let changed = self.change_topology(topology, &commands);
            changed.map_err(|e| self.change_failed(component, &e))?;
            // A list of the next one may be linked to what has changed.
            self.follow_links(Run::Before, clock)?;
        }
        Ok(())
    }

    /// A component that changes topologies was built again.
    pub(super) fn renew_processor(&mut self, component: ComponentId) {
        let changes = self.world.scene.component(component).extension::<TopologicalChanges>();
        let due = self.due_changes.iter_mut().find(|due| due.component == component);
        if let (Some(due), Some(changes)) = (due, changes) {
            due.renew(changes);
        }
    }

    /// A step that fails since a topology cannot change.
    pub(super) fn change_failed(&self, component: ComponentId, e: &ChangeError) -> StepFailure {
        let location = &self.world.scene.component(component).location;
        StepFailure {
            step: self.step,
            task: "change of topology".to_owned(),
            component: self.world.scene.path(component),
            file: location.file.to_string(),
            line: location.line,
            message: e.to_string(),
        }
    }

    pub(super) fn change_topology(
        &mut self,
        topology: ComponentId,
        commands: &[(Option<ElementKind>, Command)],
    ) -> Result<(), ChangeError> {
        let scene = &self.world.scene;
        if !scene.has_component(topology) {
            return Err(ChangeError::NoSuchComponent(topology.0));
        }
        let mut plan = ChangePlan::new(scene, topology)?;
        for (kind, command) in commands {
            plan.apply(scene, *kind, command)?;
        }
        self.wake_all()?;
        let change = plan.finish();
        let before = Before::of(&self.world.scene, &change);
        let mark = self.world.scene.mark();
        let built: Vec<ComponentId> = change.dependents.iter().chain(&change.joints).copied().collect();
        let recipes = rebuild(&mut self.world.scene, &change).map_err(ChangeError::from);
        let recipes =
            recipes.and_then(|r| self.world.check_exchange(&built, &mark).map(|()| r).map_err(Into::into));
        let recipes = match recipes {
            Ok(recipes) => recipes,
            Err(e) => {
                self.world.scene.rewind(&mark);
                before.restore(&mut self.world.scene, &change);
                return Err(e);
            }
        };
        let models: BTreeSet<ComponentId> = change.models.iter().copied().collect();
        if !models.is_empty() {
            self.let_models_go(&models)?;
        }
        self.correction.free(&mut self.world.store);
        self.prescribed.outdate();
        let rebuilt = self.world.exchange(&built, &mark);
        for (component, recipe) in recipes {
            self.world.scene.component_mut(component).recipe = Some(Arc::new(recipe));
        }
        self.renew(&rebuilt);
        let n_before = before.initial[0].len();
        follow_with_looks(&mut self.world.scene, &change, &before, n_before);
        match self.world.change_points(change.state, &change.points) {
            Some(object) if change.joints.is_empty() => self.groups.renew(&self.world, object),
            _ => self.groups.renew_all(),
        }
        if let Some(mut collision) = self.collision.take() {
            let World { scene, store, vectors, .. } = &mut self.world;
            let renewed = collision.renew_models(scene, &models, store, vectors);
            let updated = renewed.map(|objects| self.update_bounds(&*collision, &objects));
            self.collision = Some(collision);
            updated??;
        }
        self.update_integration(false)?;
        self.is_changed = true;
        self.topology_changes += 1;
        self.links.topologies_changed();
        Ok(())
    }

    /// How many times topologies have changed: who keeps what they look like compares it.
    pub fn topology_changes(&self) -> u64 {
        self.topology_changes
    }
}

/// The processors of a scene, none of which has done anything.
pub(super) fn processors(scene: &Scene) -> Vec<DueChanges> {
    let components = scene.depth_first().into_iter().filter(|n| scene.node(*n).active);
    let components = components.flat_map(|n| scene.components_of(n));
    let due = |c| {
        let changes = scene.component(c).extension::<TopologicalChanges>()?;
        Some(DueChanges::new(c, changes))
    };
    components.filter_map(due).collect()
}

/// What a change replaces in the scene, to be put back where it fails.
struct Before {
    initial: Vec<AnyInitialState>,
    topologies: Vec<Option<Arc<Topology>>>,
}

impl Before {
    fn of(scene: &Scene, change: &AppliedChange) -> Self {
        let of = |t: &Changed| scene.component(t.component).topology.clone();
        let topologies = change.topologies.iter().map(of).collect();
        Self { initial: scene.initial_history(change.state), topologies }
    }

    fn restore(self, scene: &mut Scene, change: &AppliedChange) {
        scene.set_initial_history(change.state, self.initial);
        for (changed, topology) in change.topologies.iter().zip(self.topologies) {
            scene.component_mut(changed.component).topology = topology;
        }
    }
}

/// Visual models on the points of a state have its points now, and the faces of the topology that theirs were those of; of others,
/// the faces that have all their points.
fn follow_with_looks(scene: &mut Scene, change: &AppliedChange, before: &Before, n_before: usize) {
    let points = kept(change.points.iter(), n_before);
    let all: Vec<ComponentId> = scene.all_components().collect();
    for c in all {
        let Some(model) = scene.component(c).extension::<VisualModel>() else { continue };
        let follows = model.follows.is_some_and(|f| f.state == change.state && f.class == "IdentityMapping");
        if !follows || model.points.len() != n_before {
            continue;
        }
        let mut model = model.clone();
        model.points = renumbered_coords(&change.points, &model.points);
        // Texture coordinates and parts name points and faces by their former numbers.
        (model.tex_coords, model.parts) = (Vec::new(), Vec::new());
        let was = change.topologies.iter().zip(&before.topologies).find(|(_, t)| {
            t.as_ref().is_some_and(|t| t.triangles == model.triangles && t.quads == model.quads)
        });
        match was {
            Some((changed, _)) => {
                model.triangles.clone_from(&changed.topology.triangles);
                model.quads.clone_from(&changed.topology.quads);
            }
            None => {
                renumber_faces(&mut model.triangles, &points);
                renumber_faces(&mut model.quads, &points);
            }
        }
        scene.component_mut(c).extension = Some(Arc::new(model));
    }
}

fn renumber_faces<const N: usize>(faces: &mut Vec<[u32; N]>, points: &[u32]) {
    faces.iter_mut().for_each(|f| *f = f.map(|p| points.get(p as usize).copied().unwrap_or(NEW)));
    faces.retain(|f| !f.contains(&NEW));
}

/// Changes topologies and initial vectors, and builds all that depends on them again, beside what it was; gives back their
/// recipes.
fn rebuild(scene: &mut Scene, change: &AppliedChange) -> Result<Vec<(ComponentId, Recipe)>, EditError> {
    let refuse = |scene: &Scene, component, message| {
        Err(EditError { component, path: scene.path(component), message })
    };
    let n_before = scene.initial(change.state).len();
    let mut recipes = Vec::new();
    for &component in change.dependents.iter().chain(&change.joints) {
        match prepare(scene, component) {
            Ok(recipe) => recipes.push((component, recipe)),
            Err(message) => return refuse(scene, component, message),
        }
    }
    for changed in &change.topologies {
        scene.set_topology(changed.component, changed.topology.clone());
    }
    let history = scene.initial_history(change.state);
    let history: Vec<_> = history.iter().map(|s| renumbered_initial(s, &change.points)).collect();
    let initial = history[0].clone();
    scene.set_initial_history(change.state, history);
    let points = kept(change.points.iter(), n_before);
    for (component, recipe) in &mut recipes {
        renumber(scene, *component, recipe, &points, change);
        let others = projected(scene, *component);
        let built = build_beside(scene, *component, recipe);
        for (state, initial) in others.into_iter().filter(|(state, _)| *state != change.state) {
            *scene.initial_mut(state) = initial;
        }
        // A projective constraint projects the initial vectors when it is built.
        scene.initial_mut(change.state).clone_from(&initial);
        if let Err(message) = built {
            return refuse(scene, *component, message);
        }
    }
    Ok(recipes)
}

/// The present number of each point that was there.
fn kept<'p>(points: impl Iterator<Item = &'p PointOrigin>, n_before: usize) -> Vec<u32> {
    let origin = |p: &PointOrigin| match p {
        PointOrigin::Kept(old) => Some(*old),
        PointOrigin::Mean(_) => None,
    };
    inverse(points.map(origin), n_before)
}

/// Gives the lists of points and elements among a component's attributes their present numbers; what has gone leaves them.
fn renumber(
    scene: &Scene,
    component: ComponentId,
    recipe: &mut Recipe,
    points: &[u32],
    change: &AppliedChange,
) {
    let Some(following) = recipe.description.following else { return };
    for name in following.points {
        renumber_list(recipe, name, points);
    }
    if let Some(follow) = following.pairs {
        let parts = &scene.parts;
        let interactions = parts.interactions.iter().map(|p| (p.component, [p.first, p.second]));
        let mut joints =
            interactions.chain(parts.lagrangian.iter().map(|p| (p.component, [p.first, p.second])));
        let ends = joints.find(|(c, _)| *c == component).map_or([change.state; 2], |(_, ends)| ends);
        follow(&mut recipe.attributes, ends.map(|end| (end == change.state).then_some(points)));
    }
    if following.elements.is_empty() {
        return;
    }
    let node = scene.component(component).node;
    let linked = match recipe.attributes.links.get("topology").and_then(|l| l.first()) {
        Some(LinkTarget::Component(c)) => Some(*c),
        _ => scene.find_topology(node, TopologySearch::Last),
    };
    let Some(changed) = change.topologies.iter().find(|t| Some(t.component) == linked) else { return };
    for (name, kind) in following.elements {
        let origins = &changed.elements[*kind as usize];
        let n_before = origins.iter().filter(|o| **o != NEW).max().map_or(0, |o| *o as usize + 1);
        let now = inverse(origins.iter().map(|o| (*o != NEW).then_some(*o)), n_before);
        renumber_list(recipe, name, &now);
    }
}

fn renumber_list(recipe: &mut Recipe, name: &'static str, now: &[u32]) {
    let attributes = &mut recipe.attributes;
    let list = attributes.set.get(name).or_else(|| attributes.defaults.get(name)).and_then(Value::integers);
    let Some(list) = list else { return };
    let number = |i: &i64| usize::try_from(*i).ok().and_then(|i| now.get(i)).filter(|n| **n != NEW);
    let list = list.iter().filter_map(number).map(|n| i64::from(*n)).collect();
    attributes.set.insert(name, Value::Integers(list));
}
