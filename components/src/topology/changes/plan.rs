//! What a change of a topology is made of, and whether all that depends on the topology can follow.

use sim_core::component::following::Mapped;
use sim_core::component::value::Value;
use sim_core::renumbering::{ElementKind, PointOrigin};
use sim_core::scene::{ComponentId, Scene, StateId};

use super::dependents::{Dependents, Follower, check_follows, check_lie_in, takes_points};
use super::error::EditError;
use super::script::Command;
use super::{Changed, Edit, MappingKind, Modifier};
use crate::topology::ends::Filled;

/// A change of a topology in the making.
#[derive(Clone, Debug)]
pub struct ChangePlan {
    edit: Edit,
    modifier: Modifier,
    state: StateId,
    dependents: Dependents,
}

/// A change of a topology, ready to be carried out.
#[derive(Clone, Debug)]
pub struct AppliedChange {
    /// The state that loses and gains points.
    pub state: StateId,
    /// Where each of its points comes from.
    pub points: Vec<PointOrigin>,
    /// States that are mapped from it and lose and gain points, too, inputs before outputs.
    pub followers: Vec<Follower>,
    /// Mappings to be built again, likewise.
    pub mappings: Vec<ComponentId>,
    /// All topologies that change, the one that was asked for first.
    pub topologies: Vec<Changed>,
    /// Force fields, masses and constraints to be built again, in scene order.
    pub dependents: Vec<ComponentId>,
    /// Force fields between the state and another one, and constraints with multipliers, likewise.
    pub joints: Vec<ComponentId>,
    /// Collision models on the state.
    pub models: Vec<ComponentId>,
}

impl AppliedChange {
    /// All components that are to be built again: mappings first, since others stand on what they move.
    pub fn built(&self) -> impl Iterator<Item = ComponentId> + '_ {
        self.mappings.iter().chain(&self.dependents).chain(&self.joints).copied()
    }
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
        let dependents = Dependents::of(scene, state)?;
        let members: Vec<ComponentId> = edit.components().collect();
        for c in scene.depth_first().into_iter().flat_map(|n| scene.components_of(n)) {
            if scene.topology(c).is_none_or(|t| t.n_points == 0) {
                continue;
            }
            let Some(of) = scene.state_from(scene.component(c).node) else { continue };
            let follower = dependents.followers.iter().find(|f| f.state == of);
            // A part of the points has numbers of its own.
            let is_numbered_so = follower.is_none_or(|f| f.mapped == Mapped::AreTheInputs);
            let is_changed = of == state || follower.is_some();
            if is_changed && !(members.contains(&c) && is_numbered_so) {
                return refuse(
                    c,
                    if of == state {
                        "it does not follow the topology that changes beside it; put it into a node of its own, without a state, and link to \
                         it from there"
                    } else {
                        "it does not follow the topology that changes, from which its points are mapped; fill it by a topological mapping"
                    },
                );
            }
        }
        let Dependents { single, joints, mappings, .. } = &dependents;
        for &c in single.iter().chain(joints).chain(mappings) {
            check_follows(scene, c)?;
        }
        check_lie_in(scene, mappings, &members)?;
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
        let Dependents { single, joints, mappings, .. } = &self.dependents;
        match single.iter().chain(joints).chain(mappings).find(|c| !takes_points(scene, **c)) {
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
        let Dependents { followers, mappings, single, joints, models } = self.dependents;
        AppliedChange {
            state: self.state,
            points,
            followers,
            mappings,
            topologies,
            dependents: single,
            joints,
            models,
        }
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
            (members.contains(&filled.input) && !done.contains(&c)).then_some((
                c,
                filled.input,
                filled.output,
            ))
        });
        let Some((mapping, input, output)) = next else { return Ok(()) };
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
