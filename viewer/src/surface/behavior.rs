//! Behavior models: the degrees of freedom of each object, and the elements between them.

use sim_core::scene::{Scene, StateId};
use sim_core::visitor::world::World;

use super::force::springs_on;
use super::places::Places;
use super::visual::topology_of;
use super::{Color, Faces, Motion, Role, Surface};

/// Bodies that have no color of their own.
const COLORS: [Color; 6] = [
    [0.86, 0.37, 0.34, 1.0],
    [0.36, 0.57, 0.82, 1.0],
    [0.93, 0.71, 0.30, 1.0],
    [0.45, 0.70, 0.42, 1.0],
    [0.62, 0.47, 0.72, 1.0],
    [0.35, 0.70, 0.70, 1.0],
];

/// The color of an object that has none of its own.
pub(crate) fn color_of(object: u32) -> Color {
    COLORS[object as usize % COLORS.len()]
}

/// One surface (or lines, or points) for each object: of the first of its states that has elements, else of its root.
pub(super) fn surfaces(world: &World, places: &Places) -> Vec<Surface> {
    let scene = &world.scene;
    let mut out = Vec::new();
    for object in world.objects.iter().filter(|o| !o.states.is_empty()) {
        let found = object.states.iter().find_map(|s| Some((*s, faces(scene, *s)?)));
        let (state, faces) = found.unwrap_or_else(|| {
            let lines = springs_on(world, object.root);
            (object.root, Faces { lines, ..Faces::default() })
        });
        let Some(at) = places.of(state) else { continue };
        let motion = Motion::Points(at, scene.initial(state).len());
        let path = scene.path(scene.component_of_state(state));
        let color = color_of(object.id.0);
        out.push(Surface::new(path, Role::Behavior, Some(object.id.0), motion, faces, color));
    }
    out
}

fn faces(scene: &Scene, state: StateId) -> Option<Faces> {
    let topology = topology_of(scene, state)?;
    let fits = topology.n_points == scene.initial(state).len();
    fits.then(|| Faces::of(topology)).filter(|f| !f.is_empty())
}
