//! Snapshots of what is seen, as OBJ files: visual models, and the surface of objects that have none.

use std::collections::BTreeMap;
use std::io::{self, Write};

use components::mapping::barycentric::{WeightedPoint, place};
use scenes::mesh::write_obj::{ObjObject, write_obj};
use scenes::visual::VisualModel;
use sim_core::component::build::TopologySearch;
use sim_core::math::{Quat, Vec3, rotate};
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::topology::Topology;

use crate::simulation::{Simulation, StateView};

/// What is seen of a simulation.
pub struct Surfaces {
    surfaces: Vec<Surface>,
}

/// One surface, and what moves it.
struct Surface {
    name: String,
    motion: Motion,
    faces: Faces,
}

/// Elements between the points of a surface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Faces {
    lines: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    quads: Vec<[u32; 4]>,
}

/// Where the points of a surface are.
enum Motion {
    /// Where they were.
    Still(Vec<Vec3>),
    /// At the points of a state; its place among the states.
    Points(usize),
    /// Carried by the first frame of a state; local coordinates.
    Frame(usize, Vec<Vec3>),
    /// Between points of a state: indices and weights.
    Weighted(usize, Vec<WeightedPoint>),
}

impl Surfaces {
    /// Collects what is seen.
    pub fn new(simulation: &Simulation) -> Self {
        let scene = &simulation.world().scene;
        let order = simulation.state_order();
        let index_of = |s: StateId| order.iter().position(|o| *o == s);
        let mut surfaces = Vec::new();
        let mut seen: Vec<StateId> = Vec::new();
        for c in scene.all_components() {
            let Some(model) = scene.component(c).extension::<VisualModel>() else { continue };
            let faces =
                Faces { triangles: model.triangles.clone(), quads: model.quads.clone(), lines: Vec::new() };
            if let Some(motion) = visual_motion(scene, c, model, index_of) {
                seen.extend(model.follows.map(|f| f.state));
                surfaces.push(Surface { name: scene.path(c), motion, faces });
            }
        }
        for object in &simulation.world().objects {
            if object.states.iter().any(|s| seen.contains(s)) {
                continue;
            }
            let found = object.states.iter().find_map(|s| Some((*s, state_faces(scene, *s)?)));
            if let Some((state, faces)) = found
                && let Some(at) = index_of(state)
            {
                let name = scene.path(scene.component_of_state(state));
                surfaces.push(Surface { name, motion: Motion::Points(at), faces });
            }
        }
        Self { surfaces }
    }

    /// Whether nothing is seen.
    pub fn is_empty(&self) -> bool {
        self.surfaces.is_empty()
    }

    /// Writes one snapshot; `states` are those of [`Simulation::states`].
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, out: &mut impl Write, states: &[StateView]) -> io::Result<()> {
        let points: Vec<Vec<Vec3>> = self.surfaces.iter().map(|s| s.motion.points(states)).collect();
        let objects: Vec<ObjObject<'_>> = self
            .surfaces
            .iter()
            .zip(&points)
            .map(|(Surface { name, faces, .. }, positions)| ObjObject {
                name,
                positions,
                edges: &faces.lines,
                triangles: &faces.triangles,
                quads: &faces.quads,
            })
            .collect();
        write_obj(out, &objects)
    }
}

impl Motion {
    fn points(&self, states: &[StateView]) -> Vec<Vec3> {
        let rows = |at: usize| states.get(at).map_or(&[][..], |s| &s.position);
        match self {
            Self::Still(points) => points.clone(),
            Self::Points(at) => rows(*at).iter().filter_map(|r| point(r)).collect(),
            Self::Frame(at, local) => match rows(*at).first().and_then(|r| frame(r)) {
                Some((center, q)) => local.iter().map(|p| rotate(&q, p) + center).collect(),
                None => local.clone(),
            },
            Self::Weighted(at, weights) => {
                let points: Vec<Vec3> = rows(*at).iter().filter_map(|r| point(r)).collect();
                weights.iter().map(|w| w.at(&points)).collect()
            }
        }
    }
}

fn point(row: &[f64]) -> Option<Vec3> {
    row.get(..3).map(|r| Vec3::new(r[0], r[1], r[2]))
}

fn frame(row: &[f64]) -> Option<(Vec3, Quat)> {
    let center = point(row)?;
    let q = row.get(3..7)?;
    Some((center, Quat::new(q[3], q[0], q[1], q[2])))
}

/// What moves a visual model; nothing, where its mapping is none that is followed here.
fn visual_motion(
    scene: &Scene,
    component: ComponentId,
    model: &VisualModel,
    index_of: impl Fn(StateId) -> Option<usize>,
) -> Option<Motion> {
    let Some(follows) = model.follows else { return Some(Motion::Still(model.points.clone())) };
    let at = index_of(follows.state)?;
    match follows.class {
        "IdentityMapping" if scene.initial(follows.state).len() >= model.points.len() => {
            Some(Motion::Points(at))
        }
        "RigidMapping" => Some(Motion::Frame(at, model.points.clone())),
        "BarycentricMapping" => {
            let weights = weights(scene, follows.state, &model.points);
            if weights.is_none() {
                log::warn!("{}: no elements to follow; left out of snapshots", scene.path(component));
            }
            Some(Motion::Weighted(at, weights?))
        }
        class => {
            log::warn!("{}: {class} is not followed; left out of snapshots", scene.path(component));
            None
        }
    }
}

/// The topology beside a state or above it.
fn topology_of(scene: &Scene, state: StateId) -> Option<&Topology> {
    let node = scene.component(scene.component_of_state(state)).node;
    scene.topology(scene.find_topology(node, TopologySearch::First)?)
}

fn state_faces(scene: &Scene, state: StateId) -> Option<Faces> {
    let topology = topology_of(scene, state)?;
    (topology.n_points == scene.initial(state).len())
        .then(|| surface(topology))
        .filter(|f| *f != Faces::default())
}

/// Faces of tetrahedra of positive volume, seen from outside.
const TETRAHEDRON: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
/// Faces of hexahedra, seen from outside.
const HEXAHEDRON: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

/// The boundary of volumes; without volumes the faces, without faces the lines.
fn surface(t: &Topology) -> Faces {
    if t.tetrahedra.is_empty() && t.hexahedra.is_empty() {
        let lines = if t.triangles.is_empty() && t.quads.is_empty() { t.edges.clone() } else { Vec::new() };
        return Faces { lines, triangles: t.triangles.clone(), quads: t.quads.clone() };
    }
    let triangles = t.tetrahedra.iter().flat_map(|e| TETRAHEDRON.map(|f| f.map(|i| e[i])));
    let quads = t.hexahedra.iter().flat_map(|e| HEXAHEDRON.map(|f| f.map(|i| e[i])));
    Faces { lines: Vec::new(), triangles: once(triangles), quads: once(quads) }
}

/// The faces that occur once, whatever their orientation.
fn once<const N: usize>(faces: impl Iterator<Item = [u32; N]>) -> Vec<[u32; N]> {
    let mut count: BTreeMap<[u32; N], (usize, [u32; N])> = BTreeMap::new();
    for face in faces {
        let mut key = face;
        key.sort_unstable();
        count.entry(key).or_insert((0, face)).0 += 1;
    }
    count.into_values().filter(|(n, _)| *n == 1).map(|(_, f)| f).collect()
}

/// Weights of points in the elements of a state's topology.
fn weights(scene: &Scene, state: StateId, points: &[Vec3]) -> Option<Vec<WeightedPoint>> {
    place(topology_of(scene, state)?, &scene.initial(state).centers(), points).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::topology::TopologyKind;

    #[test]
    fn only_the_boundary_of_volumes_is_seen() {
        let mut t = Topology::empty(TopologyKind::Mesh);
        t.tetrahedra = vec![[0, 1, 2, 3], [1, 2, 3, 4]];
        assert_eq!(surface(&t).triangles.len(), 6);
        t.tetrahedra.clear();
        t.hexahedra = vec![[0, 1, 2, 3, 4, 5, 6, 7]];
        assert_eq!(surface(&t).quads.len(), 6);
    }
}
