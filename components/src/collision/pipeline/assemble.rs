//! Putting a pipeline together from the components of a scene.

use std::collections::{BTreeMap, BTreeSet};

use sim_core::component::collision::CollisionPipeline;
use sim_core::scene::{Component, ComponentId, NodeId, Scene};
use sim_core::visitor::world::FreezeError;

use super::loaded_points::LoadedStates;
use super::model::RunningModel;
use super::{ContactPipeline, Part};
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
    let combined = below(scene, node).any(|c| c.1.class == "BruteForceDetection");
    let Some((_, broad)) = find::<BroadPhase>(scene, node) else {
        return missing("broad phase (BruteForceBroadPhase)");
    };
    if find::<NarrowPhase>(scene, node).is_none() && !combined {
        return missing("narrow phase (BVHNarrowPhase)");
    }
    let Some((_, method)) = find::<Intersection>(scene, node) else {
        return missing("intersection method (such as NewProximityIntersection)");
    };
    let Some((_, response)) = find::<Response>(scene, node) else { return missing("CollisionResponse") };
    if models.is_empty() {
        return missing("collision model");
    }
    let found =
        FoundPart { depth: pipeline.depth, broad: *broad, method: method.0, response: response.0.clone() };
    Ok(Some(running(scene, node, models, vec![found], true)))
}

/// What a part was found to consist of.
struct FoundPart {
    depth: usize,
    broad: BroadPhase,
    method: IntersectionMethod,
    response: CollisionResponse,
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
        let combined = broad.or(narrow).is_some_and(|c| c.class == "BruteForceDetection");
        let narrow = combined || narrow.is_some_and(|c| c.extension::<NarrowPhase>().is_some());
        let broad = broad.and_then(|c| c.extension::<BroadPhase>());
        let method = method.and_then(|c| c.extension::<Intersection>());
        let response = response.and_then(|c| c.extension::<Response>());
        let (true, Some(broad), Some(method), Some(response)) = (narrow, broad, method, response) else {
            log::warn!(
                "{}: it names no broad phase, narrow phase, intersection method or response, so it finds no contacts",
                scene.path(*part)
            );
            continue;
        };
        for model in &sub.models {
            let running = running_model(scene, *model, scene.component(*model))?;
            if running.is_none() {
                log::warn!("{}: {} is no collision model", scene.path(*part), scene.path(*model));
            }
            models.extend(running.map(|m| m.in_part(found.len())));
        }
        let (broad, method, response) = (*broad, method.0, response.0.clone());
        found.push(FoundPart { depth: sub.depth, broad, method, response });
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
    let part = |FoundPart { depth, broad, method, response }| {
        let broad_models = models.iter().map(broad_model).collect();
        let broad_phase = BruteForceBroadPhase::new(broad_models, method.alarm_distance(), broad.region);
        Part { depth, broad_phase, method, response }
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
    Ok(Some(running))
}
