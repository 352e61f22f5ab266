//! Collision models: what touches.

use components::collision::CollisionModel;
use components::collision::ModelKind;
use components::collision::component::Model;
use sim_core::scene::StateId;
use sim_core::visitor::world::World;

use super::{Color, Faces, Motion, Role, Surface, object_of};

const COLOR: Color = [0.95, 0.55, 0.15, 1.0];

/// The collision models of a scene; one whose geometry is wrong has been refused before.
pub(super) fn surfaces(world: &World, order: &[StateId]) -> Vec<Surface> {
    let scene = &world.scene;
    let mut out = Vec::new();
    for c in scene.all_components() {
        let Some(model) = scene.component(c).extension::<Model>() else { continue };
        let Ok(geometry) = model.geometry(scene) else { continue };
        let Some(at) = order.iter().position(|o| *o == model.state) else { continue };
        out.push(Surface {
            path: scene.path(c),
            role: Role::Collision,
            object: object_of(world, model.state),
            motion: Motion::Points(at, scene.initial(model.state).len()),
            faces: faces(&geometry),
            look: COLOR.into(),
        });
    }
    out
}

fn faces(model: &CollisionModel) -> Faces {
    let mut faces = Faces::default();
    match model.kind {
        ModelKind::Triangle => faces.triangles.extend(model.elements.iter().map(|e| e.vertices)),
        ModelKind::Line => faces.lines.extend(model.elements.iter().map(|e| [e.vertices[0], e.vertices[1]])),
        ModelKind::Sphere | ModelKind::RigidSphere | ModelKind::Point => {}
    }
    faces
}
