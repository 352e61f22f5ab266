//! What a change of a topology is made of, and whether all that depends on the topology can follow.

use sim_core::component::build::LinkTarget;
use sim_core::component::description::{AttributeKind, Recipe};
use sim_core::component::value::Value;
use sim_core::renumbering::{ElementKind, PointOrigin};
use sim_core::scene::{ComponentId, Scene, StateId};

use super::script::Command;
use super::{Changed, Edit, MappingKind, Modifier};
use crate::collision::component::Model;
use crate::topology::ends::Filled;

/// Why a topology cannot change, or not so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct EditError {
    /// The component that is in the way.
    pub component: ComponentId,
    /// Its path.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl EditError {
    fn new(scene: &Scene, component: ComponentId, message: impl Into<String>) -> Self {
        Self { component, path: scene.path(component), message: message.into() }
    }
}

/// A change of a topology in the making.
#[derive(Clone, Debug)]
pub struct ChangePlan {
    edit: Edit,
    modifier: Modifier,
    state: StateId,
    dependents: Dependents,
}

/// What stands on a state whose points come and go.
#[derive(Clone, Debug)]
struct Dependents {
    /// Force fields, masses and constraints, in scene order.
    single: Vec<ComponentId>,
    /// Force fields between it and another state, and constraints with multipliers.
    joints: Vec<ComponentId>,
    /// Collision models.
    models: Vec<ComponentId>,
}

/// A change of a topology, ready to be carried out.
#[derive(Clone, Debug)]
pub struct AppliedChange {
    /// The state that loses and gains points.
    pub state: StateId,
    /// Where each of its points comes from.
    pub points: Vec<PointOrigin>,
    /// All topologies that change, the one that was asked for first.
    pub topologies: Vec<Changed>,
    /// Force fields, masses and constraints to be built again, in scene order.
    pub dependents: Vec<ComponentId>,
    /// Force fields between the state and another one, and constraints with multipliers, likewise.
    pub joints: Vec<ComponentId>,
    /// Collision models on the state.
    pub models: Vec<ComponentId>,
}

impl ChangePlan {
    /// Begins a change of a topology, if all that depends on it can follow.
    ///
    /// # Errors
    /// The first component that cannot: it is named.
    pub fn new(scene: &Scene, topology: ComponentId) -> Result<Self, EditError> {
        let refuse = |c, message: &str| Err(EditError::new(scene, c, message));
        let Some(before) = scene.topology(topology) else {
            return refuse(topology, "it is no topology");
        };
        let node = scene.component(topology).node;
        let Some(modifier) = Modifier::find(scene, node) else {
            return refuse(
                topology,
                "there is no ...SetTopologyModifier in its node, so that its elements stay; put one beside it",
            );
        };
        let Some(state) = scene.state_in(node) else {
            return refuse(
                topology,
                "there is no MechanicalObject in its node, whose points would go with it",
            );
        };
        let mut edit = Edit::new(topology, before);
        take_in_mapped(scene, &mut edit)?;
        let n = scene.initial(state).len();
        for (component, t) in edit.before() {
            if t.n_points != n {
                let message = format!("it has {} points, and the state {n}", t.n_points);
                return Err(EditError::new(scene, component, message));
            }
        }
        let members: Vec<ComponentId> = edit.components().collect();
        for c in scene.depth_first_from(node).into_iter().flat_map(|n| scene.components_of(n)) {
            let is_other = scene.topology(c).is_some_and(|t| t.n_points > 0) && !members.contains(&c);
            if is_other && scene.state_from(scene.component(c).node) == Some(state) {
                return refuse(
                    c,
                    "it does not follow the topology that changes; its elements would be others",
                );
            }
        }
        let dependents = Dependents::of(scene, state)?;
        for &c in dependents.single.iter().chain(&dependents.joints) {
            check_follows(scene, c)?;
        }
        Ok(Self { edit, modifier, state, dependents })
    }

    /// Does one thing; `kind` is that of the elements to remove, none for those of the modifier.
    ///
    /// # Errors
    /// Elements that the modifier is not for, numbers that there are not.
    pub fn apply(
        &mut self,
        scene: &Scene,
        kind: Option<ElementKind>,
        command: &Command,
    ) -> Result<(), EditError> {
        let (topology, of_modifier) = (self.topology(), self.modifier.kind);
        let refuse = |message: String| Err(EditError::new(scene, topology, message));
        let Some(of_modifier) = of_modifier else {
            return match command {
                Command::Remove(points) if kind.is_none() => {
                    self.edit.remove_points(&self.known(scene, points, self.edit.n_points(), "points"));
                    Ok(())
                }
                _ => refuse("its modifier is for points, of which no elements come or go".to_owned()),
            };
        };
        let check = |kind: ElementKind| {
            if kind == of_modifier {
                return Ok(());
            }
            let (asked, known) = (kind.plural(), of_modifier.plural());
            refuse(format!("its modifier is for {known}, so that {asked} stay as they are"))
        };
        match command {
            Command::Remove(elements) => {
                let kind = kind.unwrap_or(of_modifier);
                check(kind)?;
                let known = self.known(scene, elements, self.edit.n_elements(kind), kind.plural());
                let removed = self.edit.remove(kind, &known, self.modifier.removes_isolated);
                removed.or_else(|e| refuse(format!("there is no element {e}")))
            }
            Command::Add(kind, elements) => {
                check(*kind)?;
                let added = self.edit.add(*kind, elements);
                added.or_else(|p| refuse(format!("there is no point {p} for new {}", kind.plural())))
            }
            Command::Incise(_) => {
                refuse("an incision is due (`INCISE=`), and topologies cannot be cut along a path".to_owned())
            }
            Command::AddPointsInTriangles(points) => {
                check(ElementKind::Triangle)?;
                self.check_new_points(scene)?;
                // Each ancestor is looked up before any point comes.
                for (triangle, [a, b]) in points {
                    if *triangle as usize >= self.edit.n_elements(ElementKind::Triangle) {
                        return refuse(format!("there is no triangle {triangle} for a new point"));
                    }
                    let nodes = self.edit.element(ElementKind::Triangle, *triangle);
                    let ancestors = [(nodes[0], *a), (nodes[1], *b), (nodes[2], 1.0 - a - b)];
                    self.edit.add_point(&ancestors).or_else(|p| refuse(format!("there is no point {p}")))?;
                }
                Ok(())
            }
        }
    }

    /// Those of some numbers that are below `n`: as SOFA does, others are left out, which is said.
    fn known(&self, scene: &Scene, numbers: &[u32], n: usize, plural: &str) -> Vec<u32> {
        let known: Vec<u32> = numbers.iter().copied().filter(|e| (*e as usize) < n).collect();
        if known.len() < numbers.len() {
            let (path, out) = (scene.path(self.topology()), numbers.len() - known.len());
            log::warn!("{path}: {out} of the {plural} to be removed are not there");
        }
        known
    }

    /// The topology that changes.
    pub fn topology(&self) -> ComponentId {
        self.edit.components().next().unwrap_or(ComponentId(0))
    }

    /// The state whose points go and come.
    pub fn state(&self) -> StateId {
        self.state
    }

    /// Whether all that depends on the topology can take up new points.
    ///
    /// # Errors
    /// The first component that cannot.
    pub fn check_new_points(&self, scene: &Scene) -> Result<(), EditError> {
        let Dependents { single, joints, .. } = &self.dependents;
        match single.iter().chain(joints).find(|c| !takes_points(scene, **c)) {
            Some(c) => Err(EditError::new(scene, *c, "it cannot take up new points")),
            None => Ok(()),
        }
    }

    /// Whether elements of a kind may be removed.
    ///
    /// # Errors
    /// If the modifier is for another kind.
    pub fn check_kind(&self, scene: &Scene, kind: ElementKind) -> Result<(), EditError> {
        if self.modifier.kind == Some(kind) {
            return Ok(());
        }
        let message = format!("there is no modifier for {} beside it", kind.plural());
        Err(EditError::new(scene, self.topology(), message))
    }

    /// All that is to be done.
    pub fn finish(self) -> AppliedChange {
        let topologies = self.edit.finish();
        let points = topologies.first().map_or(Vec::new(), |t| t.points.clone());
        let Dependents { single, joints, models } = self.dependents;
        AppliedChange { state: self.state, points, topologies, dependents: single, joints, models }
    }
}

/// Takes in all topologies that mappings fill, directly or by way of others.
fn take_in_mapped(scene: &Scene, edit: &mut Edit) -> Result<(), EditError> {
    let order: Vec<ComponentId> =
        scene.depth_first().into_iter().flat_map(|n| scene.components_of(n)).collect();
    let mut done: Vec<ComponentId> = Vec::new();
    loop {
        let members: Vec<ComponentId> = edit.components().collect();
        let next = order.iter().copied().find_map(|c| {
            let filled = scene.component(c).extension::<Filled>()?;
            (members.contains(&filled.input) && !done.contains(&c)).then_some((c, *filled))
        });
        let Some((mapping, Filled { input, output })) = next else { return Ok(()) };
        done.push(mapping);
        let Some(kind) = kind_of(scene, mapping) else {
            let class = scene.component(mapping).class;
            let message = format!("a {class} does not follow changes of its input");
            return Err(EditError::new(scene, mapping, message));
        };
        if let Some(topology) = scene.topology(output) {
            if Modifier::find(scene, scene.component(output).node).is_none() {
                let message = "there is no ...SetTopologyModifier in its node, so that it cannot follow";
                return Err(EditError::new(scene, output, message));
            }
            edit.add_mapped(input, kind, output, topology);
        }
    }
}

/// What a topological mapping does when its input changes; none where it does not follow.
fn kind_of(scene: &Scene, mapping: ComponentId) -> Option<MappingKind> {
    let recipe = scene.component(mapping).recipe.as_ref()?;
    let is_set = |name: &str| match recipe.attributes.set.get(name) {
        Some(Value::Bool(b)) => *b,
        Some(Value::Integer(i)) => *i != 0,
        _ => false,
    };
    match recipe.description.class {
        "Tetra2TriangleTopologicalMapping" => Some(MappingKind::TetrahedraToTriangles {
            flips: is_set("flipNormals"),
            adds_none: is_set("noNewTriangles"),
        }),
        "Hexa2QuadTopologicalMapping" => Some(MappingKind::HexahedraToQuads { flips: is_set("flipNormals") }),
        "Triangle2EdgeTopologicalMapping" => Some(MappingKind::TrianglesToEdges),
        "Quad2TriangleTopologicalMapping" => Some(MappingKind::QuadsToTriangles),
        _ => None,
    }
}

impl Dependents {
    /// All that stands on a state.
    ///
    /// # Errors
    /// Something that joins or maps it, and does not follow.
    fn of(scene: &Scene, state: StateId) -> Result<Self, EditError> {
        let parts = &scene.parts;
        let present = |c: &ComponentId| scene.has_component(*c);
        let single = parts.force_fields.iter().map(|p| (p.component, p.state));
        let single = single.chain(parts.masses.iter().map(|p| (p.component, p.state)));
        let single = single.chain(parts.constraints.iter().map(|p| (p.component, p.state)));
        let found: Vec<ComponentId> =
            single.filter(|(_, s)| *s == state).map(|(c, _)| c).filter(present).collect();
        let interactions = parts.interactions.iter().map(|p| (p.component, p.first, p.second));
        let lagrangian = parts.lagrangian.iter().map(|p| (p.component, p.first, p.second));
        let is_here = |(c, a, b): &(ComponentId, StateId, StateId)| present(c) && [*a, *b].contains(&state);
        let (following, mut fixed): (Vec<_>, Vec<_>) = interactions
            .chain(lagrangian)
            .filter(is_here)
            .map(|(c, ..)| c)
            .partition(|c| follows_pairs(scene, *c));
        let others = parts.mappings.iter().map(|p| (p.component, p.first, p.second));
        fixed.extend(others.filter(is_here).map(|(c, ..)| c));
        if let Some(&c) = fixed.first() {
            let class = scene.component(c).class;
            let path = scene.path(scene.component_of_state(state));
            let message = format!("a {class} does not follow changes of the points of {path}");
            return Err(EditError::new(scene, c, message));
        }
        let all = scene.depth_first().into_iter().flat_map(|n| scene.components_of(n));
        let (mut single, mut models) = (Vec::new(), Vec::new());
        for c in all {
            if found.contains(&c) {
                single.push(c);
            }
            if scene.component(c).extension::<Model>().is_some_and(|m| m.state == state) {
                models.push(c);
            }
        }
        Ok(Self { single, joints: following, models })
    }
}

/// Whether a component says what becomes of its pairs of points.
fn follows_pairs(scene: &Scene, component: ComponentId) -> bool {
    let recipe = scene.component(component).recipe.as_ref();
    recipe.and_then(|r| r.description.following).is_some_and(|f| f.pairs.is_some())
}

fn takes_points(scene: &Scene, component: ComponentId) -> bool {
    let recipe = scene.component(component).recipe.as_ref();
    recipe.and_then(|r| r.description.following).is_some_and(|f| f.takes_points)
}

/// Whether a component can follow: its class does, and no list that it was given would name other points or elements.
fn check_follows(scene: &Scene, component: ComponentId) -> Result<(), EditError> {
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
