//! Collision models: what touches.

use components::collision::component::Model;
use components::collision::{CollisionModel, ModelKind};
use sim_core::visitor::world::World;

use super::circles::circles;
use super::places::Places;
use super::solids;
use super::{Color, Faces, Motion, Role, Surface};

const COLOR: Color = [0.95, 0.55, 0.15, 1.0];

/// The collision models of a scene; one whose geometry is wrong has been refused before.
pub(super) fn surfaces(world: &World, places: &Places) -> Vec<Surface> {
    let scene = &world.scene;
    let mut out = Vec::new();
    for c in scene.all_components() {
        let Some(model) = scene.component(c).extension::<Model>() else { continue };
        let Ok(geometry) = model.geometry(scene) else { continue };
        let Some(at) = places.of(model.state) else { continue };
        let object = places.object(model.state);
        let (motion, faces) = match geometry.kind {
            ModelKind::Sphere | ModelKind::RigidSphere => spheres(at, &geometry.sizes),
            kind if kind.is_solid() => solids::surface(at, &geometry),
            _ => (Motion::Points(at, scene.initial(model.state).len()), faces(&geometry)),
        };
        out.push(Surface::new(scene.path(c), Role::Collision, object, motion, faces, COLOR));
    }
    out
}

fn faces(model: &CollisionModel) -> Faces {
    let mut faces = Faces::default();
    match model.kind {
        ModelKind::Triangle | ModelKind::TriangleOctree => {
            faces.triangles.extend(model.elements.iter().map(|e| e.vertices))
        }
        ModelKind::Line => faces.lines.extend(model.elements.iter().map(|e| [e.vertices[0], e.vertices[1]])),
        _ => {}
    }
    faces
}

fn spheres(state: usize, radii: &[f64]) -> (Motion, Faces) {
    let (mut points, mut lines) = (Vec::new(), Vec::new());
    for (center, radius) in (0..).zip(radii) {
        circles(center, *radius, &mut points, &mut lines);
    }
    (Motion::Beside(state, points), Faces { lines, ..Faces::default() })
}
