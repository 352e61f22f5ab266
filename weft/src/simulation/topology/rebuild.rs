//! What depends on a topology that has changed is built again, beside what it was.

use std::sync::Arc;

use components::topology::changes::{AppliedChange, Changed, EditError, Follower};
use scenes::rebuild::{build_beside, prepare};
use sim_core::component::build::{LinkTarget, TopologySearch};
use sim_core::component::description::Recipe;
use sim_core::component::following::Mapped;
use sim_core::component::mechanical_state::AnyInitialState;
use sim_core::component::value::Value;
use sim_core::renumbering::{NEW, PointOrigin, inverse, present};
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::topology::Topology;
use sim_core::visitor::points::renumbered_initial;

use super::super::attributes::projected;

/// What a change replaces in the scene, to be put back where it fails.
pub(super) struct Before {
    /// Of the state itself and all that are mapped from it by mappings that are built again.
    initial: Vec<(StateId, Vec<AnyInitialState>)>,
    pub(super) topologies: Vec<Option<Arc<Topology>>>,
}

impl Before {
    pub(super) fn of(scene: &Scene, change: &AppliedChange) -> Self {
        let of = |t: &Changed| scene.component(t.component).topology.clone();
        let topologies = change.topologies.iter().map(of).collect();
        let moved = scene.parts.mappings.iter().filter(|m| change.mappings.contains(&m.component));
        let states = std::iter::once(change.state).chain(moved.map(|m| m.second));
        Self { initial: states.map(|s| (s, scene.initial_history(s))).collect(), topologies }
    }

    /// The number of points of a state.
    fn size(&self, state: StateId) -> usize {
        self.initial.iter().find(|(s, _)| *s == state).map_or(0, |(_, history)| history[0].len())
    }

    pub(super) fn restore(self, scene: &mut Scene, change: &AppliedChange) {
        for (state, history) in self.initial {
            scene.set_initial_history(state, history);
        }
        for (changed, topology) in change.topologies.iter().zip(self.topologies) {
            scene.component_mut(changed.component).topology = topology;
        }
    }
}

/// Where the points of a state come from.
pub(super) struct PointsOf {
    pub(super) state: StateId,
    pub(super) origins: Vec<PointOrigin>,
    /// The present number of each point that was there.
    pub(super) now: Vec<u32>,
}

impl PointsOf {
    fn new(state: StateId, origins: Vec<PointOrigin>, n_before: usize) -> Self {
        let origin = |p: &PointOrigin| match p {
            PointOrigin::Kept(old) => Some(*old),
            PointOrigin::Mean(_) => None,
        };
        let now = inverse(origins.iter().map(origin), n_before);
        Self { state, origins, now }
    }
}

/// What was built again.
pub(super) struct Built {
    pub(super) recipes: Vec<(ComponentId, Recipe)>,
    /// Of each state whose points have come or gone, inputs of mappings before their outputs.
    pub(super) points: Vec<PointsOf>,
}

/// Changes topologies and initial vectors, and builds all that depends on them again, beside what it was.
pub(super) fn rebuild(
    scene: &mut Scene,
    change: &AppliedChange,
    before: &Before,
) -> Result<Built, EditError> {
    let refuse = |scene: &Scene, component, message| {
        Err(EditError { component, path: scene.path(component), message })
    };
    let mut recipes = Vec::new();
    for component in change.built() {
        match prepare(scene, component) {
            Ok(recipe) => recipes.push((component, recipe)),
            Err(message) => return refuse(scene, component, message),
        }
    }
    for changed in &change.topologies {
        scene.set_topology(changed.component, changed.topology.clone());
    }
    let mut points = vec![PointsOf::new(change.state, change.points.clone(), before.size(change.state))];
    for follower in &change.followers {
        let recipe = recipes.iter_mut().find(|(c, _)| *c == follower.mapping).map(|(_, recipe)| recipe);
        let input = points.iter().find(|p| p.state == follower.input);
        if let (Some(input), Some(recipe)) = (input, recipe) {
            let origins = origins_of_output(follower, input, recipe);
            points.push(PointsOf::new(follower.state, origins, before.size(follower.state)));
        }
    }
    for of_state in &points {
        let history = scene.initial_history(of_state.state);
        let history = history.iter().map(|s| renumbered_initial(s, &of_state.origins)).collect();
        scene.set_initial_history(of_state.state, history);
    }
    // Mappings and projective constraints change initial vectors when they are built.
    let initial: Vec<(StateId, AnyInitialState)> =
        before.initial.iter().map(|(s, _)| (*s, scene.initial(*s).clone())).collect();
    for (component, recipe) in &mut recipes {
        renumber(scene, *component, recipe, &points, change);
        let others = projected(scene, *component);
        scene.put_unmapped(*component);
        let built = build_beside(scene, *component, recipe);
        for (state, initial) in others.into_iter().chain(initial.iter().cloned()) {
            *scene.initial_mut(state) = initial;
        }
        if let Err(message) = built {
            return refuse(scene, *component, message);
        }
    }
    Ok(Built { recipes, points })
}

/// Where the points of a mapping's output come from; what it copies gets its present numbers.
fn origins_of_output(follower: &Follower, input: &PointsOf, recipe: &mut Recipe) -> Vec<PointOrigin> {
    let Mapped::GoWith(name) = follower.mapped else { return input.origins.clone() };
    let listed = recipe.attributes.set.get(name).and_then(Value::integers);
    let copied: Vec<usize> = listed.into_iter().flatten().filter_map(|i| usize::try_from(i).ok()).collect();
    let mut left: Vec<usize> = (0..copied.len()).collect();
    // As SOFA's lists of points do when points go, the highest first.
    for gone in (0..input.now.len()).rev().filter(|p| input.now[*p] == NEW) {
        while let Some(at) = left.iter().position(|k| copied[*k] == gone) {
            left.swap_remove(at);
        }
    }
    let now = left.iter().map(|k| i64::from(input.now[copied[*k]])).collect();
    recipe.attributes.set.insert(name, Value::Integers(now));
    left.into_iter().map(|k| PointOrigin::Kept(k as u32)).collect()
}

/// Gives the lists of points and elements among a component's attributes their present numbers; what has gone leaves them.
fn renumber(
    scene: &Scene,
    component: ComponentId,
    recipe: &mut Recipe,
    points: &[PointsOf],
    change: &AppliedChange,
) {
    let Some(following) = recipe.description.following else { return };
    let ends = ends(scene, component).unwrap_or([change.state; 2]);
    let now = ends.map(|end| points.iter().find(|p| p.state == end).map(|p| &p.now[..]));
    if let Some(points) = now[0] {
        following.points.iter().for_each(|name| renumber_list(recipe, name, points));
    }
    if let Some(follow) = following.pairs {
        follow(&mut recipe.attributes, now);
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

/// The states that a component stands on, which are the same for one that stands on one; none of a mapping.
fn ends(scene: &Scene, component: ComponentId) -> Option<[StateId; 2]> {
    let parts = &scene.parts;
    let fields = parts.force_fields.iter().map(|p| (p.component, [p.state; 2]));
    let masses = parts.masses.iter().map(|p| (p.component, [p.state; 2]));
    let constraints = parts.constraints.iter().map(|p| (p.component, [p.state; 2]));
    let interactions = parts.interactions.iter().map(|p| (p.component, [p.first, p.second]));
    let lagrangian = parts.lagrangian.iter().map(|p| (p.component, [p.first, p.second]));
    let mut all = interactions.chain(lagrangian).chain(fields).chain(masses).chain(constraints);
    all.find(|(c, _)| *c == component).map(|(_, ends)| ends)
}

fn renumber_list(recipe: &mut Recipe, name: &'static str, now: &[u32]) {
    let attributes = &mut recipe.attributes;
    let list = attributes.set.get(name).or_else(|| attributes.defaults.get(name)).and_then(Value::integers);
    let Some(list) = list else { return };
    let list = list.into_iter().filter_map(|i| present(now, i)).map(i64::from).collect();
    attributes.set.insert(name, Value::Integers(list));
}
