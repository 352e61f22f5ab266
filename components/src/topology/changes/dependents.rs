//! What stands on a state whose points come and go, and whether it can follow.

use sim_core::component::build::{LinkTarget, TopologySearch};
use sim_core::component::description::{AttributeKind, Recipe};
use sim_core::component::following::Mapped;
use sim_core::scene::{ComponentId, Scene, StateId};

use super::error::EditError;
use crate::collision::component::Model;

/// A state that a mapping moves, and whose points come and go with those of the mapping's input.
#[derive(Clone, Copy, Debug)]
pub struct Follower {
    /// The state.
    pub state: StateId,
    /// The state that it is mapped from.
    pub input: StateId,
    /// The mapping.
    pub mapping: ComponentId,
    /// What becomes of its points.
    pub mapped: Mapped,
}

/// What stands on a state whose points come and go.
#[derive(Clone, Debug)]
pub(super) struct Dependents {
    /// States that lose and gain points with it, inputs before outputs.
    pub(super) followers: Vec<Follower>,
    /// Mappings that are to be built again, likewise.
    pub(super) mappings: Vec<ComponentId>,
    /// Force fields, masses and constraints, in scene order.
    pub(super) single: Vec<ComponentId>,
    /// Force fields between it and another state, and constraints with multipliers.
    pub(super) joints: Vec<ComponentId>,
    /// Collision models.
    pub(super) models: Vec<ComponentId>,
}

impl Dependents {
    /// All that stands on a state, and on those that lose and gain points with it.
    ///
    /// # Errors
    /// Something that joins or maps them, and does not follow.
    pub(super) fn of(scene: &Scene, state: StateId) -> Result<Self, EditError> {
        let parts = &scene.parts;
        let present = |c: &ComponentId| scene.has_component(*c);
        let (followers, mappings) = mapped_from(scene, state)?;
        let is_changed = |s: StateId| s == state || followers.iter().any(|f| f.state == s);
        let single = parts.force_fields.iter().map(|p| (p.component, p.state));
        let single = single.chain(parts.masses.iter().map(|p| (p.component, p.state)));
        let single = single.chain(parts.constraints.iter().map(|p| (p.component, p.state)));
        let found: Vec<ComponentId> =
            single.filter(|(_, s)| is_changed(*s)).map(|(c, _)| c).filter(present).collect();
        let interactions = parts.interactions.iter().map(|p| (p.component, p.first, p.second));
        let lagrangian = parts.lagrangian.iter().map(|p| (p.component, p.first, p.second));
        let (mut following, mut models) = (Vec::new(), Vec::new());
        for (c, a, b) in interactions.chain(lagrangian).filter(|(c, ..)| present(c)) {
            if let Some(end) = [a, b].into_iter().find(|end| is_changed(*end)) {
                if !follows_pairs(scene, c) {
                    return Err(does_not_follow(scene, c, end));
                }
                following.push(c);
            }
        }
        let all = scene.depth_first().into_iter().flat_map(|n| scene.components_of(n));
        let mut single = Vec::new();
        for c in all {
            if found.contains(&c) {
                single.push(c);
            }
            let Some(model) = scene.component(c).extension::<Model>() else { continue };
            if is_changed(model.state) {
                if !model.follows() {
                    return Err(does_not_follow(scene, c, model.state));
                }
                models.push(c);
            }
        }
        Ok(Self { followers, mappings, single, joints: following, models })
    }
}

/// What a component does not follow.
fn does_not_follow(scene: &Scene, component: ComponentId, state: StateId) -> EditError {
    let class = scene.component(component).class;
    let path = scene.path(scene.component_of_state(state));
    EditError::new(scene, component, format!("a {class} does not follow changes of the points of {path}"))
}

/// The states that lose and gain points with one, and the mappings that are to be built again.
///
/// # Errors
/// A mapping that does not follow, or that moves the state itself.
fn mapped_from(scene: &Scene, state: StateId) -> Result<(Vec<Follower>, Vec<ComponentId>), EditError> {
    let present = scene.parts.mappings.iter().filter(|m| scene.has_component(m.component));
    let (mut followers, mut mappings) = (Vec::<Follower>::new(), Vec::new());
    let mut states = vec![state];
    let mut done = 0;
    while let Some(&input) = states.get(done) {
        done += 1;
        if let Some(m) = present.clone().find(|m| input == state && m.second == state) {
            return Err(does_not_follow(scene, m.component, state));
        }
        for m in present.clone().filter(|m| m.first == input) {
            let recipe = scene.component(m.component).recipe.as_ref();
            let following = recipe.and_then(|r| r.description.following);
            let n_inputs = present.clone().filter(|other| other.second == m.second).count();
            let Some(mapped) = following.and_then(|f| f.mapped).filter(|_| n_inputs == 1) else {
                return Err(does_not_follow(scene, m.component, input));
            };
            mappings.push(m.component);
            if mapped != Mapped::Stay {
                followers.push(Follower { state: m.second, input, mapping: m.component, mapped });
                states.push(m.second);
            }
        }
    }
    Ok((followers, mappings))
}

/// Whether mappings whose points lie in elements find them in topologies that change.
///
/// # Errors
/// One whose points lie in another topology, whose nodes would be others.
pub(super) fn check_lie_in(
    scene: &Scene,
    mappings: &[ComponentId],
    members: &[ComponentId],
) -> Result<(), EditError> {
    for &c in mappings {
        let recipe = scene.component(c).recipe.as_ref();
        let lies = recipe.filter(|r| r.description.following.and_then(|f| f.mapped) == Some(Mapped::Stay));
        let of = scene.parts.mappings.iter().find(|m| m.component == c);
        let (Some(recipe), Some(of)) = (lies, of) else { continue };
        let node = scene.component(scene.component_of_state(of.first)).node;
        let topology = match recipe.attributes.links.get("input_topology").and_then(|l| l.first()) {
            Some(LinkTarget::Component(c)) => Some(*c),
            Some(LinkTarget::Node(n)) => scene.find_topology(*n, TopologySearch::First),
            None => scene.find_topology(node, TopologySearch::First),
        };
        if let Some(other) = topology.filter(|t| !members.contains(t)) {
            let message = format!("its points lie in {}, which does not change", scene.path(other));
            return Err(EditError::new(scene, c, message));
        }
    }
    Ok(())
}

/// Whether a component says what becomes of its pairs of points.
fn follows_pairs(scene: &Scene, component: ComponentId) -> bool {
    let recipe = scene.component(component).recipe.as_ref();
    recipe.and_then(|r| r.description.following).is_some_and(|f| f.pairs.is_some())
}

/// Whether a component can take up new points.
pub(super) fn takes_points(scene: &Scene, component: ComponentId) -> bool {
    let recipe = scene.component(component).recipe.as_ref();
    recipe.and_then(|r| r.description.following).is_some_and(|f| f.takes_points)
}

/// Whether a component can follow: its class does, and no list that it was given would name other points or elements.
pub(super) fn check_follows(scene: &Scene, component: ComponentId) -> Result<(), EditError> {
    let class = scene.component(component).class;
    let refuse = |message: String| Err(EditError::new(scene, component, message));
    let Some(Recipe { description, attributes, .. }) = scene.component(component).recipe.as_deref() else {
        return refuse("it does not come from a scene file, so that it cannot be built again".to_owned());
    };
    let Some(following) = description.following else {
        return refuse(format!("a {class} does not follow changes of the topology"));
    };
    for a in description.all_attributes() {
        let Some(value) = attributes.set.get(a.name) else { continue };
        let is_known = following.points.contains(&a.name)
            || following.elements.iter().any(|(name, _)| *name == a.name)
            || following.other_lists.contains(&a.name)
            || following.prepared.contains(&a.name)
            || following.pairs.is_some();
        let rows = match a.kind {
            AttributeKind::IndexRows(_) => value.len(),
            AttributeKind::RealRows(width) => value.len() / width.max(1),
            AttributeKind::File => {
                return refuse(format!("`{}` is not read again when the topology changes", a.name));
            }
            _ => 0,
        };
        let is_list = rows > usize::from(!matches!(a.kind, AttributeKind::IndexRows(_)));
        if is_list && !is_known {
            return refuse(format!("`{}` is a list that does not follow changes of the topology", a.name));
        }
    }
    let links = attributes.links.get("topology").and_then(|l| l.first());
    if let Some(LinkTarget::Node(_)) = links {
        return refuse("`topology` leads to a node; let it lead to a topology".to_owned());
    }
    Ok(())
}
