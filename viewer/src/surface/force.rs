//! Force fields: their springs, the edges of the elements that they act between, or their plane.

use components::force_field::plane_shape::PlaneShape;
use components::force_field::springs::{RunPart, SpringBlock, runs};
use engine::data::Data;
use sim_core::component::build::TopologySearch;
use sim_core::math::Vec3;
use sim_core::scene::parts::OnState;
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::visitor::force_field_node::ForceFieldNode;
use sim_core::visitor::world::World;

use super::places::Places;
use super::{Color, Faces, Motion, Role, Surface, parse_color};

const COLOR: Color = [0.25, 0.25, 0.30, 1.0];

/// Lines for each force field whose elements are those of a topology on its state, a square for each plane.
pub(super) fn surfaces(world: &World, places: &Places) -> Vec<Surface> {
    world.scene.parts.force_fields.iter().filter_map(|f| surface(world, places, f)).collect()
}

/// What there is to see of a force field.
pub(super) fn surface(world: &World, places: &Places, f: &OnState<dyn ForceFieldNode>) -> Option<Surface> {
    let scene = &world.scene;
    let path = scene.path(f.component);
    if let Some(shape) = scene.component(f.component).extension::<PlaneShape>() {
        return Some(plane(path, shape));
    }
    let at = places.of(f.state)?;
    let mut lines = springs(world, &*f.node);
    if lines.is_empty() {
        lines = edges(scene, f.component, scene.initial(f.state).len());
    }
    if lines.is_empty() {
        return None;
    }
    let motion = Motion::Points(at, scene.initial(f.state).len());
    let faces = Faces { lines, ..Faces::default() };
    Some(Surface::new(path, Role::Force, places.object(f.state), motion, faces, COLOR))
}

/// A square around the point of a plane that is nearest to the origin.
fn plane(path: String, shape: &PlaneShape) -> Surface {
    let least = shape.normal.iamin();
    let u = shape.normal.cross(&Vec3::ith(least, 1.0)).normalize() * shape.size;
    let v = shape.normal.cross(&u).normalize() * shape.size;
    // With n . x = d, for a normal of any length.
    let center = shape.normal * (shape.d / shape.normal.norm_squared());
    let corners = [center - u - v, center + u - v, center + u + v, center - u + v];
    let faces = Faces { quads: vec![[0, 1, 2, 3]], ..Faces::default() };
    let color = parse_color(&shape.color).unwrap_or_else(|| {
        log::warn!("{path}: `{}` is no color", shape.color);
        COLOR
    });
    Surface::new(path, Role::Force, None, Motion::Still(corners.to_vec()), faces, color)
}

/// The springs between points of a state, if it has no elements to show.
pub(super) fn springs_on(world: &World, state: StateId) -> Vec<[u32; 2]> {
    let fields = world.scene.parts.force_fields.iter().filter(|f| f.state == state);
    fields.flat_map(|f| springs(world, &*f.node)).collect()
}

fn springs(world: &World, node: &dyn ForceFieldNode) -> Vec<[u32; 2]> {
    let Some(elements) = node.elements() else { return Vec::new() };
    let blocks = elements.downcast_ref::<Data<SpringBlock>>().map_or(&[][..], |d| world.store.read(*d));
    let parts = elements.downcast_ref::<Data<RunPart>>().map_or(&[][..], |d| world.store.read(*d));
    let springs = blocks.iter().flat_map(SpringBlock::springs).map(|(_, s)| s).chain(runs::springs(parts));
    springs.map(|s| [s.i, s.j]).collect()
}

fn edges(scene: &Scene, component: ComponentId, n_points: usize) -> Vec<[u32; 2]> {
    let node = scene.component(component).node;
    let found = scene.find_topology(node, TopologySearch::First);
    let Some(t) = found.and_then(|c| scene.topology(c)).filter(|t| t.n_points == n_points) else {
        return Vec::new();
    };
    if !t.edges.is_empty() {
        return t.edges.clone();
    }
    let tetrahedra = t.tetrahedra.iter().flat_map(|e| TETRAHEDRON.map(|[a, b]| sorted(e[a], e[b])));
    let hexahedra = t.hexahedra.iter().flat_map(|e| HEXAHEDRON.map(|[a, b]| sorted(e[a], e[b])));
    let mut edges: Vec<[u32; 2]> = tetrahedra.chain(hexahedra).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

const TETRAHEDRON: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
const HEXAHEDRON: [[usize; 2]; 12] =
    [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

fn sorted(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
