//! Visual models, and what moves them.

use components::mapping::barycentric::{WeightedPoint, place};
use scenes::visual::VisualModel;
use sim_core::component::build::TopologySearch;
use sim_core::math::Vec3;
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::topology::Topology;
use sim_core::visitor::world::World;

use super::places::Places;
use super::{Color, Faces, Look, Motion, Patch, Role, Surface, parse_color, parse_material};

/// What SOFA paints what has no color with.
const DEFAULT: Color = [0.75, 0.75, 0.75, 1.0];

/// The visual models of a scene.
pub(super) fn surfaces(world: &World, places: &Places) -> Vec<Surface> {
    let scene = &world.scene;
    let mut out = Vec::new();
    for c in scene.all_components() {
        let Some(model) = scene.component(c).extension::<VisualModel>() else { continue };
        let Some(motion) = motion(scene, c, model, places) else { continue };
        let (triangles, quads) = faces_of(scene, model);
        let faces = if model.parts.is_empty() {
            Faces::new(triangles, quads)
        } else {
            // Parts name faces by their places.
            Faces { triangles, quads, lines: Vec::new() }
        };
        // One that stands still belongs to the object in whose node it is: a floor, a bowl.
        let state = model.follows.map(|f| f.state).or_else(|| scene.state_from(scene.component(c).node));
        let object = state.and_then(|s| places.object(s));
        let look = look(model);
        let patches = patches(model, &look);
        out.push(Surface { path: scene.path(c), role: Role::Visual, object, motion, faces, look, patches });
    }
    out
}

/// Whether its mesh is that of a topology with no more points than a state has.
fn has_points_of_state(scene: &Scene, model: &VisualModel, state: StateId) -> bool {
    let topology = model.topology.and_then(|t| scene.topology(t));
    topology.is_some_and(|t| t.points.len() <= scene.initial(state).len())
}

/// Its faces; of one that has those of a topology and moves with a state, as they are now.
fn faces_of(scene: &Scene, model: &VisualModel) -> (Vec<[u32; 3]>, Vec<[u32; 4]>) {
    let moves_with_state = model.follows.is_some_and(|f| f.class == "IdentityMapping");
    match model.topology.filter(|_| moves_with_state).and_then(|t| scene.topology(t)) {
        Some(topology) => (topology.triangles.clone(), topology.quads.clone()),
        None => (model.triangles.clone(), model.quads.clone()),
    }
}

fn look(model: &VisualModel) -> Look {
    let color = match (model.color.as_str(), parse_material(&model.material)) {
        ("", Some(diffuse)) => Some(diffuse),
        ("", None) => None,
        // What is no color was said when the scene was read.
        (color, _) => parse_color(color),
    };
    Look {
        // A picture shows its own colors, unless the scene gives one.
        color: color.unwrap_or(if model.texture.is_some() { [1.0; 4] } else { DEFAULT }),
        tex_coords: model.tex_coords.iter().map(|c| c.map(|v| v as f32)).collect(),
        texture: model.texture.clone(),
    }
}

/// The parts that look otherwise than the whole.
fn patches(model: &VisualModel, look: &Look) -> Vec<Patch> {
    let parts = model.parts.iter().map(|p| Patch {
        triangles: p.triangles.clone(),
        quads: p.quads.clone(),
        color: p.color.map_or(look.color, |c| c.map(|v| v as f32)),
        // An image that the scene names is on all of it.
        texture: look.texture.clone().or_else(|| p.texture.clone()),
    });
    parts.filter(|p| p.color != look.color || p.texture != look.texture).collect()
}

/// What moves a visual model; nothing, where its mapping is none that is followed here.
fn motion(scene: &Scene, component: ComponentId, model: &VisualModel, places: &Places) -> Option<Motion> {
    let Some(follows) = model.follows else { return Some(Motion::Still(model.points.clone())) };
    let at = places.of(follows.state)?;
    match follows.class {
        // Its mesh is that of a topology, which a topological mapping may fill: it has the points of what it follows.
        "IdentityMapping" if has_points_of_state(scene, model, follows.state) => {
            Some(Motion::Points(at, scene.initial(follows.state).len()))
        }
        "IdentityMapping" if scene.initial(follows.state).len() >= model.points.len() => {
            Some(Motion::Points(at, model.points.len()))
        }
        "RigidMapping" => Some(Motion::Frame(at, model.points.clone())),
        "BarycentricMapping" => {
            let weights = weights(scene, follows.state, &model.points);
            if weights.is_none() {
                log::warn!("{}: no elements to follow; it is not seen", scene.path(component));
            }
            Some(Motion::Weighted(at, weights?))
        }
        class => {
            log::warn!("{}: {class} is not followed; it is not seen", scene.path(component));
            None
        }
    }
}

/// The topology beside a state or above it.
pub(super) fn topology_of(scene: &Scene, state: StateId) -> Option<&Topology> {
    let node = scene.component(scene.component_of_state(state)).node;
    scene.topology(scene.find_topology(node, TopologySearch::First)?)
}

/// Weights of points in the elements of a state's topology.
fn weights(scene: &Scene, state: StateId, points: &[Vec3]) -> Option<Vec<WeightedPoint>> {
    place(topology_of(scene, state)?, &scene.initial(state).centers(), points).ok()
}
