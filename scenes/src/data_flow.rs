//! Data that change while a simulation runs, and what is linked to them: engines, which compute again, and others, which follow.
//!
//! **Source:** SOFA's engines compute when their output is read after an input has changed; time is no input. A state's positions and
//! velocities change in every step. Most components read a linked list once, when they are built; some in every step
//! ([`RunTime`]).

use std::collections::BTreeSet;
use std::sync::Arc;

use components::constraint::position_based_dynamics_projective_constraint::FindsTargets;
use components::engine::COMPUTED_ONCE;
use components::topology::changes::{BoundingTrasher, Modifier, TopologicalChanges};
use sim_core::component::description::{AttributeKind, Family, Recipe};
use sim_core::component::following::RunTime;
use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Scene, StateId};

use crate::assemble::CHANGEABLE;
use crate::diagnostics::{Diagnostic, Severity};
use crate::element::Attribute;
use crate::instantiate::DraftScene;
use crate::link_values;
pub use crate::link_values::Linked;
use crate::visual::VisualModel;

/// An attribute that is given by a data link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataLink {
    /// Whose attribute it is.
    pub component: ComponentId,
    /// The attribute.
    pub attribute: &'static str,
    /// The component that it leads to.
    pub source: ComponentId,
    /// The data of that component.
    pub data: String,
}

/// What happens to an attribute when what it is linked to changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taking {
    /// An engine computes again, or another component takes the value over.
    Follows,
    /// It takes over what somebody edits, not what moves by itself.
    Edits,
    /// It stays what it was when the scene was loaded.
    Stays,
}

/// The links of a scene along which changes go.
#[derive(Clone, Debug, Default)]
pub struct DataFlow {
    /// Engines that compute again, each after those that it is linked to.
    pub engines: Vec<ComponentId>,
    /// Links of these engines.
    pub inputs: Vec<DataLink>,
    /// Links of other components that take over what changes, in scene order.
    pub takers: Vec<DataLink>,
    /// Links to what moves by itself that are read once, when the scene is loaded.
    pub read_once: Vec<DataLink>,
    /// States whose positions or velocities are read: their component, and which of both.
    pub watched: Vec<(ComponentId, StateId, Moving)>,
}

/// A vector of a state that changes in every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moving {
    /// Positions [m].
    Position,
    /// Velocities [m/s].
    Velocity,
}

impl Moving {
    /// That of SOFA's name; none of other data.
    pub fn named(data: &str) -> Option<Self> {
        match data {
            "position" => Some(Self::Position),
            "velocity" => Some(Self::Velocity),
            _ => None,
        }
    }
}

const ELEMENTS: [&str; 7] = ["edges", "triangles", "quads", "tetrahedra", "tetras", "hexahedra", "hexas"];

/// The attribute by which an engine is asked to compute again.
const DO_UPDATE: &str = "doUpdate";

impl DataFlow {
    /// That of a scene whose components have their recipes, and whose topologies may be changed, if only by hand.
    pub fn of(scene: &Scene) -> Self {
        Self::with_topologies(scene, true)
    }

    /// The same where nobody's hand changes topologies: what the scene itself does.
    fn by_itself(scene: &Scene) -> Self {
        let changes = |c: ComponentId| {
            let component = scene.component(c);
            component.extension::<TopologicalChanges>().is_some()
                || component.extension::<BoundingTrasher>().is_some()
        };
        Self::with_topologies(scene, scene.all_components().any(changes))
    }

    fn with_topologies(scene: &Scene, may_change: bool) -> Self {
        let moves = |scene: &Scene, link: &DataLink, engines: &BTreeSet<ComponentId>| {
            moves(scene, link, engines, may_change)
        };
        let linked = linked_components(scene);
        let order = in_order_of_links(scene, &linked);
        let mut flow = Self::default();
        let computes_again = |c: &ComponentId| is_engine(scene, *c) && !stays_as_it_was(scene, *c);
        let engines: Vec<ComponentId> = order.into_iter().filter(computes_again).collect();
        let mut moving: BTreeSet<ComponentId> = BTreeSet::new();
        for &engine in &engines {
            if links_of(scene, engine).any(|l| moves(scene, &l, &moving)) && !reads_files(scene, engine) {
                moving.insert(engine);
            }
        }
        let mut needed = moving.clone();
        for c in linked.into_iter().filter(|c| !is_engine(scene, *c)) {
            for link in links_of(scene, c) {
                let moves = moves(scene, &link, &moving);
                let edited = can_be_edited(scene, link.source) || engines.contains(&link.source);
                if !moves && !edited {
                    continue;
                }
                match taking(scene, &link) {
                    Taking::Follows if moves || edited => flow.takers.push(link),
                    Taking::Edits | Taking::Follows if edited && !moves => flow.takers.push(link),
                    Taking::Stays | Taking::Edits if moves => flow.read_once.push(link),
                    _ => {}
                }
            }
        }
        needed.extend(flow.takers.iter().map(|l| l.source));
        // Whoever gives to an engine that is needed is needed.
        for &engine in engines.iter().rev() {
            if needed.contains(&engine) {
                needed.extend(links_of(scene, engine).map(|l| l.source));
            }
        }
        let kept = |e: &ComponentId| needed.contains(e) && !reads_files(scene, *e);
        flow.engines = engines.iter().copied().filter(kept).collect();
        flow.inputs = flow.engines.iter().flat_map(|e| links_of(scene, *e)).collect();
        let stuck = engines.iter().filter(|e| reads_files(scene, **e)).flat_map(|e| links_of(scene, *e));
        flow.read_once.extend(stuck.filter(|l| moves(scene, l, &moving)));
        for link in flow.inputs.iter().chain(&flow.takers) {
            let moving = Moving::named(&link.data).zip(scene.state_of_component(link.source));
            let Some((moving, state)) = moving else { continue };
            if !flow.watched.contains(&(link.source, state, moving)) {
                flow.watched.push((link.source, state, moving));
            }
        }
        flow
    }

    /// Whether a component has to be built again with all its attributes.
    fn needs(&self, component: ComponentId) -> bool {
        self.engines.contains(&component) || self.takers.iter().any(|l| l.component == component)
    }
}

/// Lets components that are never built again keep nothing but what can be read of them, so that they hold no meshes.
pub fn abridge(scene: &mut Scene) {
    let flow = DataFlow::of(scene);
    let all: Vec<ComponentId> = scene.all_components().collect();
    for c in all {
        let component = scene.component_mut(c);
        let Some(recipe) = component.recipe.as_deref() else { continue };
        let description = recipe.description;
        let is_rebuilt = description.family != Family::State && flow.needs(c);
        if CHANGEABLE.contains(&description.family) || description.following.is_some() || is_rebuilt {
            continue;
        }
        let attributes = component.recipe.take().map(|r| Arc::unwrap_or_clone(r).attributes);
        let recipe = attributes.map(|attributes| Recipe::abridged(description, attributes));
        component.recipe = recipe.map(Arc::new);
    }
}

/// Says which attributes stay what they were while what they are linked to changes.
pub fn check_flow(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    for link in DataFlow::by_itself(&draft.scene).read_once {
        let component = draft.scene.component(link.component);
        let Some(family) = component.recipe.as_ref().map(|r| r.description.family) else { continue };
        let has_own_way = match family {
            // Exporters read positions when they write; topologies and what a mapping moves are given their points anew.
            Family::Playback => link.data == "position",
            Family::State | Family::Topology | Family::SolverSettings | Family::Ignored => true,
            // Of others nothing is drawn.
            Family::Visual => component.extension::<VisualModel>().is_none_or(|m| m.follows.is_some()),
            Family::Constraint => component.extension::<FindsTargets>().is_some(),
            _ => false,
        };
        if has_own_way {
            continue;
        }
        let message = format!(
            "`{}` of {} changes while the scene runs; it is read once, at the beginning",
            link.data,
            draft.scene.path(link.source)
        );
        let element = draft.draft(link.component).element;
        let named = |a: &&Attribute| {
            draft
                .draft(link.component)
                .description
                .is_some_and(|d| d.attributes_named(&a.name).any(|d| d.name == link.attribute))
        };
        let finding = match element.attributes.iter().find(named) {
            Some(attribute) => draft.finding_at(Severity::Warning, link.component, attribute, message),
            None => draft.finding(Severity::Warning, link.component, message).attribute(link.attribute),
        };
        let at_rest = (link.data == "position").then(|| "`rest_position` stays as it is".to_owned());
        found.push(finding.suggestion(at_rest));
    }
}

/// Components with data links, in scene order.
fn linked_components(scene: &Scene) -> Vec<ComponentId> {
    let nodes = scene.depth_first().into_iter().filter(|n| scene.node(*n).active);
    let all = nodes.flat_map(|n| scene.components_of(n));
    let is_linked = |c: &ComponentId| {
        scene.component(*c).recipe.as_ref().is_some_and(|r| !r.attributes.sources.is_empty())
    };
    let engines = |c: &ComponentId| is_linked(c) || is_engine(scene, *c);
    all.filter(engines).collect()
}

/// The data links of a component, by attribute.
fn links_of(scene: &Scene, component: ComponentId) -> impl Iterator<Item = DataLink> + '_ {
    let recipe = scene.component(component).recipe.as_ref();
    let sources = recipe.into_iter().flat_map(|r| r.attributes.sources.iter());
    sources.map(move |(attribute, (source, data))| DataLink {
        component,
        attribute,
        source: *source,
        data: data.clone(),
    })
}

/// The same components, each after those that it is linked to.
fn in_order_of_links(scene: &Scene, components: &[ComponentId]) -> Vec<ComponentId> {
    let mut order: Vec<ComponentId> = Vec::with_capacity(components.len());
    let mut left: BTreeSet<ComponentId> = components.iter().copied().collect();
    let mut open: Vec<(ComponentId, bool)> = components.iter().rev().map(|c| (*c, false)).collect();
    while let Some((c, is_ready)) = open.pop() {
        if !left.contains(&c) {
            continue;
        }
        if is_ready {
            left.remove(&c);
            order.push(c);
            continue;
        }
        // The loader has refused links in a circle.
        open.push((c, true));
        open.extend(links_of(scene, c).map(|l| (l.source, false)));
    }
    order
}

fn is_engine(scene: &Scene, component: ComponentId) -> bool {
    let component = scene.component(component);
    // Of one that was abridged before, not enough is kept.
    let is_whole = |r: &Arc<Recipe>| r.description.family == Family::Engine && r.repeats;
    component.recipe.as_ref().is_some_and(is_whole) && component.extension::<TopologicalChanges>().is_none()
}

/// Whether an engine keeps what it found in the beginning, whatever becomes of its inputs: as it is asked to, or as all of its class.
fn stays_as_it_was(scene: &Scene, engine: ComponentId) -> bool {
    scene.component(engine).recipe.as_ref().is_some_and(|r| {
        r.attributes.set.get(DO_UPDATE) == Some(&Value::Bool(false))
            || COMPUTED_ONCE.contains(&r.description.class)
    })
}

fn can_be_edited(scene: &Scene, component: ComponentId) -> bool {
    let recipe = scene.component(component).recipe.as_ref();
    recipe.is_some_and(|r| CHANGEABLE.contains(&r.description.family))
}

fn reads_files(scene: &Scene, component: ComponentId) -> bool {
    let recipe = scene.component(component).recipe.as_ref();
    recipe.is_some_and(|r| {
        r.description
            .all_attributes()
            .any(|a| a.kind == AttributeKind::File && r.attributes.set.contains_key(a.name))
    })
}

/// Whether what a link leads to changes by itself; `engines` are those whose outputs do, `topologies` says whether these may.
fn moves(scene: &Scene, link: &DataLink, engines: &BTreeSet<ComponentId>, topologies: bool) -> bool {
    let data = link.data.as_str();
    if engines.contains(&link.source) {
        return true;
    }
    if scene.state_of_component(link.source).is_some() {
        return Moving::named(data).is_some()
            || (topologies && data == "rest_position" && points_change(scene, link.source));
    }
    let is_topology = scene.topology(link.source).is_some();
    topologies
        && is_topology
        && ELEMENTS.contains(&data)
        && Modifier::find(scene, scene.component(link.source).node).is_some()
}

/// Whether points of a state may go and come: a topology beside it may change.
fn points_change(scene: &Scene, state: ComponentId) -> bool {
    let node = scene.component(state).node;
    scene.components_of(node).any(|c| scene.topology(c).is_some()) && Modifier::find(scene, node).is_some()
}

fn taking(scene: &Scene, link: &DataLink) -> Taking {
    let component = scene.component(link.component);
    let Some(recipe) = component.recipe.as_ref() else { return Taking::Stays };
    if component.extension::<TopologicalChanges>().is_some() {
        return Taking::Follows;
    }
    let family = recipe.description.family;
    let again = match recipe.description.run_time {
        RunTime::None => false,
        RunTime::All => true,
        RunTime::Only(names) => names.contains(&link.attribute),
    };
    match family {
        Family::State if Moving::named(link.attribute).is_some() => match component.state {
            // What a mapping moves keeps nothing of what it is given.
            Some(state) if scene.parts.mappings.iter().any(|m| m.second == state) => Taking::Stays,
            _ => Taking::Follows,
        },
        _ if again => Taking::Follows,
        _ if CHANGEABLE.contains(&family) => Taking::Edits,
        _ => Taking::Stays,
    }
}

/// What data hold now that are no positions or velocities of a state.
///
/// # Errors
/// The component has no such data (by now).
pub fn now(scene: &Scene, source: ComponentId, data: &str) -> Result<Linked, String> {
    let recipe = scene.component(source).recipe.as_deref();
    let description = recipe.map(|r| r.description);
    let found = link_values::structure(scene, source, data)
        .or_else(|| link_values::field(scene, description, source, data))
        .or_else(|| link_values::attribute_of(description, recipe.map(|r| &r.attributes)?, data));
    found.ok_or_else(|| format!("{} has no data `{data}` any more", scene.path(source)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{LoadOptions, load_text};

    fn flow(inside: &str) -> (Scene, DataFlow) {
        let text = format!(
            "<Node><DefaultAnimationLoop/><Node><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' threshold='1e-9'/>
            <MechanicalObject name='x' position='0 0 0 1 0 0 2 0 0'/><UniformMass totalMass='1'/>{inside}</Node></Node>"
        );
        let loaded = load_text(&text, "t.scn", &LoadOptions::default());
        let scene = loaded.unwrap_or_else(|e| panic!("{:?}", e.diagnostics)).scene;
        let flow = DataFlow::of(&scene);
        (scene, flow)
    }

    fn names(scene: &Scene, of: &[ComponentId]) -> Vec<String> {
        of.iter().map(|c| scene.component(*c).name.clone()).collect()
    }

    #[test]
    fn engines_come_after_those_that_they_are_linked_to() {
        let (scene, f) = flow(
            "<BoxROI name='roi' box='-1 -1 -1 9 9 9' position='@moved.output_position'/>
            <TransformEngine name='moved' input_position='@x.position' translation='1 0 0'/>
            <TransformEngine name='still' input_position='@x.rest_position' translation='1 0 0'/>
            <FixedProjectiveConstraint name='fixed' indices='@roi.indices'/>",
        );
        assert_eq!(names(&scene, &f.engines), ["moved", "roi"]);
        assert_eq!(f.takers.len(), 1);
        assert_eq!((f.takers[0].attribute, f.takers[0].data.as_str()), ("indices", "indices"));
        assert_eq!(f.watched.len(), 1);
        assert!(f.read_once.is_empty());
    }

    #[test]
    fn what_rests_is_not_followed() {
        let (_, f) = flow(
            "<BoxROI name='roi' box='-1 -1 -1 9 9 9'/><RestShapeSpringsForceField points='@roi.indices'/>",
        );
        assert!(f.watched.is_empty() && f.read_once.is_empty());
        assert_eq!(f.engines.len(), 1, "its box can be edited");
        let (_, f) = flow("<BoxROI name='roi' box='-1 -1 -1 9 9 9'/>");
        assert!(f.engines.is_empty());
    }
}
