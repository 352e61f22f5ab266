//! Visual models, and what moves them.

use components::mapping::barycentric::{WeightedPoint, place};
use scenes::visual::VisualModel;
use sim_core::component::build::TopologySearch;
use sim_core::math::Vec3;
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::topology::Topology;
use sim_core::visitor::world::World;

use super::{Color, Faces, Look, Motion, Role, Surface, object_of, parse_color, parse_material};

/// What SOFA paints what has no color with.
const DEFAULT: Color = [0.75, 0.75, 0.75, 1.0];

/// The visual models of a scene.
pub(super) fn surfaces(world: &World, order: &[StateId]) -> Vec<Surface> {
    let scene = &world.scene;
    let index_of = |s: StateId| order.iter().position(|o| *o == s);
    let mut out = Vec::new();
    for c in scene.all_components() {
        let Some(model) = scene.component(c).extension::<VisualModel>() else { continue };
        let Some(motion) = motion(scene, c, model, index_of) else { continue };
        let faces =
            Faces { triangles: model.triangles.clone(), quads: model.quads.clone(), lines: Vec::new() };
        // One that stands still belongs to the object in whose node it is: a floor, a bowl.
        let state = model.follows.map(|f| f.state).or_else(|| scene.state_from(scene.component(c).node));
        let object = state.and_then(|s| object_of(world, s));
        let look = look(scene, c, model);
        out.push(Surface { path: scene.path(c), role: Role::Visual, object, motion, faces, look });
    }
    out
}

fn look(scene: &Scene, component: ComponentId, model: &VisualModel) -> Look {
    let color = match (model.color.as_str(), parse_material(&model.material)) {
        ("", Some(diffuse)) => Some(diffuse),
        ("", None) => None,
        (color, _) => {
            let parsed = parse_color(color);
            if parsed.is_none() {
                log::warn!("{}: `{color}` is no color", scene.path(component));
            }
            parsed
        }
    };
    Look {
        // A picture shows its own colors, unless the scene gives one.
        color: color.unwrap_or(if model.texture.is_some() { [1.0; 4] } else { DEFAULT }),
        tex_coords: model.tex_coords.iter().map(|c| c.map(|v| v as f32)).collect(),
        texture: model.texture.clone(),
    }
}

/// What moves a visual model; nothing, where its mapping is none that is followed here.
fn motion(
    scene: &Scene,
    component: ComponentId,
    model: &VisualModel,
    index_of: impl Fn(StateId) -> Option<usize>,
) -> Option<Motion> {
    let Some(follows) = model.follows else { return Some(Motion::Still(model.points.clone())) };
    let at = index_of(follows.state)?;
    match follows.class {
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
