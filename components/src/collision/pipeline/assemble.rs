//! Putting a pipeline together from the components of a scene.

use std::collections::{BTreeMap, BTreeSet};

use sim_core::component::collision::CollisionPipeline;
use sim_core::scene::{Component, ComponentId, NodeId, Scene};
use sim_core::visitor::world::FreezeError;

use super::loaded_points::LoadedStates;
use super::model::RunningModel;
use super::{ContactPipeline, Part};
use crate::collision::ModelKind;
use crate::collision::broad_phase::{BroadModel, BruteForceBroadPhase};
use crate::collision::component::{
    BroadPhase, CompositePipeline, GroupManager, Intersection, Model, NarrowPhase, Pipeline, Response,
    SubPipeline,
};
use crate::collision::narrow_phase::IntersectionMethod;
use crate::collision::response::CollisionResponse;

/// The pipeline of a scene, if it has one that is complete; one that is not leaves the scene without contacts, with a warning.
///
/// It collects the models below its node in depth-first order; phases, method and response are the first found there. A composite one
/// has what its parts name, part after part.
///
/// **Source:** as SOFA's CollisionPipeline, and its CompositeCollisionPipeline.
///
/// # Errors
/// A model whose elements do not fit its state.
pub fn assemble(scene: &Scene) -> Result<Option<Box<dyn CollisionPipeline>>, FreezeError> {
    if let Some((id, composite)) = find::<CompositePipeline>(scene, scene.root()) {
        return assemble_parts(scene, id, &composite.0);
    }
    let Some((id, pipeline)) = find::<Pipeline>(scene, scene.root()) else { return Ok(None) };
    let node = scene.component(id).node;
    let models = running_models(scene, node)?;
    let missing = |what: &str| {
        log::warn!("{}: there is no {what}, so there are no contacts", scene.path(id));
        Ok(None)
    };
    let Some((_, broad)) = find::<BroadPhase>(scene, node) else {
        return missing("broad phase (BruteForceBroadPhase)");
    };
    let narrow = find::<NarrowPhase>(scene, node).map(|(_, narrow)| *narrow);
    let combined = || below(scene, node).find_map(|(_, c)| c.extension::<BroadPhase>()?.narrow);
    let Some(narrow) = narrow.or_else(combined) else {
        return missing("narrow phase (BVHNarrowPhase)");
    };
    let Some((_, method)) = find::<Intersection>(scene, node) else {
        return missing("intersection method (such as NewProximityIntersection)");
    };
    let Some((_, response)) = find::<Response>(scene, node) else { return missing("CollisionResponse") };
    if models.is_empty() {
        return missing("collision model");
    }
    let (depth, response) = (pipeline.depth, response.0.clone());
    let found = FoundPart { depth, broad: *broad, narrow, method: method.0, response };
    found.check(scene, id, &models)?;
    Ok(Some(running(scene, node, models, vec![found], true)))
}

/// What a part was found to consist of.
struct FoundPart {
    depth: usize,
    broad: BroadPhase,
    narrow: NarrowPhase,
    method: IntersectionMethod,
    response: CollisionResponse,
}

impl FoundPart {
    /// Warns of models that the narrow phase has no eye for.
    ///
    /// # Errors
    /// Friction of penalty contacts that rays find.
    fn check(&self, scene: &Scene, id: ComponentId, models: &[RunningModel]) -> Result<(), FreezeError> {
        let rays = matches!(self.narrow, NarrowPhase::Rays);
        let unseen = |m: &&RunningModel| (m.kind == ModelKind::TriangleOctree) != rays;
        if let Some(model) = models.iter().find(unseen) {
            let (path, class) = (scene.path(model.component), scene.component(model.component).class);
            let reason =
                if rays { "RayTraceNarrowPhase sees others only" } else { "it needs a RayTraceNarrowPhase" };
            log::warn!("{path}: meets nothing, since it is a {class}: {reason}");
        }
        let solid = models.iter().find(|m| m.kind.is_solid());
        if let (Some(model), true) = (solid, self.method.continuous().is_some() && !rays) {
            let (path, class) = (scene.path(model.component), scene.component(model.component).class);
            log::warn!(
                "{path}: meets nothing, since it is a {class}: CCDTightInclusionIntersection looks at triangles, lines and points only; take another intersection method"
            );
        }
        let is_any = |kinds: &[ModelKind]| models.iter().find(|m| kinds.contains(&m.kind));
        let ball = is_any(&[ModelKind::Sphere, ModelKind::RigidSphere]);
        let mixed_up = matches!(self.method, IntersectionMethod::NewProximity(m) if !m.exact_edges);
        if let (true, Some(ball), Some(_)) = (mixed_up && !rays, ball, is_any(&[ModelKind::Triangle])) {
            let path = scene.path(ball.component);
            log::warn!(
                "{path}: over an edge of triangles, spheres may be pushed aside or meet nothing, as in SOFA; set exactEdges=\"1\" of the NewProximityIntersection"
            );
        }
        let sees_more = |m: &&RunningModel| m.attributes.self_collision || !m.attributes.group.is_empty();
        if let (NarrowPhase::Sweep, Some(model)) = (self.narrow, models.iter().find(sees_more)) {
            let path = scene.path(model.component);
            log::warn!(
                "{path}: groups and neighbours within a model keep contacts away here; SOFA's sweep does not look at them"
            );
        }
        if rays && self.response.friction.is_some() {
            let message = "`friction` of penalty contacts is not there for what a RayTraceNarrowPhase finds; use FrictionContactConstraint";
            return Err(FreezeError { component: scene.path(id), id: Some(id), message: message.to_owned() });
        }
        Ok(())
    }
}

/// The composite pipeline of those of its parts that are complete; the others have no contacts, with a warning each.
fn assemble_parts(
    scene: &Scene,
    id: ComponentId,
    parts: &[ComponentId],
) -> Result<Option<Box<dyn CollisionPipeline>>, FreezeError> {
    let (mut found, mut models) = (Vec::new(), Vec::new());
    for part in parts {
        let Some(sub) = scene.component(*part).extension::<SubPipeline>() else { continue };
        let [broad, narrow, method, response] = sub.parts.map(|c| c.map(|c| scene.component(c)));
        let of_both = broad.or(narrow).and_then(|c| c.extension::<BroadPhase>()?.narrow);
        let narrow = narrow.and_then(|c| c.extension::<NarrowPhase>().copied()).or(of_both);
        let broad = broad.and_then(|c| c.extension::<BroadPhase>());
        let method = method.and_then(|c| c.extension::<Intersection>());
        let response = response.and_then(|c| c.extension::<Response>());
        let (Some(narrow), Some(broad), Some(method), Some(response)) = (narrow, broad, method, response)
        else {
            log::warn!(
                "{}: it names no broad phase, narrow phase, intersection method or response, so it finds no contacts",
                scene.path(*part)
            );
            continue;
        };
        let before = models.len();
        for model in &sub.models {
            let running = running_model(scene, *model, scene.component(*model))?;
            if running.is_none() {
                log::warn!("{}: {} is no collision model", scene.path(*part), scene.path(*model));
            }
            models.extend(running.map(|m| m.in_part(found.len())));
        }
        let (broad, method, response) = (*broad, method.0, response.0.clone());
        let whole = FoundPart { depth: sub.depth, broad, narrow, method, response };
        whole.check(scene, *part, &models[before..])?;
        found.push(whole);
    }
    if models.is_empty() {
        log::warn!("{}: there is no collision model, so there are no contacts", scene.path(id));
        return Ok(None);
    }
    Ok(Some(running(scene, scene.component(id).node, models, found, false)))
}

/// A pipeline at work, without contacts yet.
fn running(
    scene: &Scene,
    node: NodeId,
    models: Vec<RunningModel>,
    found: Vec<FoundPart>,
    takes_in: bool,
) -> Box<dyn CollisionPipeline> {
    let part = |FoundPart { depth, broad, narrow, method, response }| {
        let broad_models = models.iter().map(broad_model).collect();
        let broad_phase = BruteForceBroadPhase::new(broad_models, method.alarm_distance(), broad.region);
        Part { depth, broad_phase, narrow, method, response }
    };
    let parts = found.into_iter().map(part).collect();
    Box::new(ContactPipeline {
        node,
        parts,
        takes_in,
        models,
        merges_groups: find::<GroupManager>(scene, scene.root()).is_some(),
        roots: Vec::new(),
        gone: Vec::new(),
        come: Vec::new(),
        pairs: BTreeMap::new(),
        pairs_of: BTreeMap::new(),
        loaded: LoadedStates::default(),
        spare: BTreeMap::new(),
        present: Vec::new(),
        touching: Vec::new(),
        contacts: Vec::new(),
        constrained: Vec::new(),
        constraint_contacts: Vec::new(),
        histories: Vec::new(),
        in_order: Vec::new(),
        order: Vec::new(),
        constraints_changed: false,
        asleep: BTreeSet::new(),
        still: BTreeSet::new(),
        contact_changes: Vec::new(),
        narrow_phase_changes: Vec::new(),
    })
}

/// The components at a node and below, depth first; inactive nodes are left out.
fn below(scene: &Scene, node: NodeId) -> impl Iterator<Item = (ComponentId, &Component)> {
    scene
        .depth_first()
        .into_iter()
        .filter(move |n| scene.node(*n).active && scene.upward(*n).any(|m| m == node))
        .flat_map(|n| scene.components_of(n))
        .map(|c| (c, scene.component(c)))
}

fn find<T: 'static>(scene: &Scene, node: NodeId) -> Option<(ComponentId, &T)> {
    below(scene, node).find_map(|(id, c)| c.extension::<T>().map(|e| (id, e)))
}

fn running_models(scene: &Scene, node: NodeId) -> Result<Vec<RunningModel>, FreezeError> {
    let models = below(scene, node).map(|(id, component)| running_model(scene, id, component));
    models.filter_map(Result::transpose).collect()
}

/// What the broad phase knows of a model.
pub(super) fn broad_model(m: &RunningModel) -> BroadModel {
    BroadModel {
        node: m.at.0,
        simulated: m.attributes.simulated,
        self_collision: m.attributes.self_collision,
        group: m.attributes.group.clone(),
        skin: m.attributes.contact_distance,
    }
}

/// The model that a component is, if it is one.
pub(super) fn running_model(
    scene: &Scene,
    id: ComponentId,
    component: &Component,
) -> Result<Option<RunningModel>, FreezeError> {
    let Some(model) = component.extension::<Model>() else { return Ok(None) };
    let geometry = model.geometry(scene).map_err(|e| FreezeError {
        component: scene.path(id),
        id: Some(id),
        message: e.to_string(),
    })?;
    let mut running = RunningModel::new(id, component.node, model.state, geometry, model.attributes.clone());
    running.name.clone_from(&component.name);
    let is_solved = || scene.solved_from(component.node).any(|n| scene.solvers.ode.iter().any(|s| s.at == n));
    running.moves_unsimulated = !model.attributes.simulated && is_solved();
    Ok(Some(running))
}
