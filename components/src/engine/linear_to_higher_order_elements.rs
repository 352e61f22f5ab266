//! `LinearToHigherOrderElements`: the quadratic elements of a mesh of linear ones.

use std::collections::BTreeMap;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;
use sim_core::topology::Topology;

use super::selection::current_points;
use crate::topology::derive::{EDGES_IN_HEXAHEDRON, EDGES_IN_TETRAHEDRON, FACES_OF_HEXAHEDRON};

/// The quadratic elements of a mesh of linear ones, with points in the middle of edges, quads and hexahedra.
#[derive(Attributes)]
#[attributes(ignored(
    "position",
    "quadratic_edges",
    "quadratic_triangles",
    "quadratic_quads",
    "quadratic_tetrahedra",
    "quadratic_hexahedra",
    "mstate",
    "topology"
))]
struct Settings {
    /// takes the edges of the mesh
    #[attribute(default = "true")]
    compute_from_edges: bool,
    /// takes its triangles
    #[attribute(default = "true")]
    compute_from_triangles: bool,
    /// takes its quads
    #[attribute(default = "true")]
    compute_from_quads: bool,
    /// takes its tetrahedra
    #[attribute(default = "true")]
    compute_from_tetrahedra: bool,
    /// takes its hexahedra
    #[attribute(default = "true")]
    compute_from_hexahedra: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "LinearToHigherOrderElements", build)
        .templates(&["Vec3"]);

/// The points of the mesh, and those that were added behind them.
struct Points {
    all: Vec<Vec3>,
    /// Those amid edges and faces, by the nodes of these in ascending order.
    amid: BTreeMap<Vec<u32>, u32>,
}

impl Points {
    /// Adds the middle of some points.
    fn add(&mut self, nodes: &[u32]) -> u32 {
        let share = 1.0 / nodes.len() as f64;
        let sum: Vec3 = nodes.iter().map(|i| self.all[*i as usize]).sum();
        self.all.push(sum * share);
        self.all.len() as u32 - 1
    }

    /// The point amid an edge or a face, which is added once.
    fn amid(&mut self, nodes: &[u32]) -> u32 {
        let mut key = nodes.to_vec();
        key.sort_unstable();
        if let Some(there) = self.amid.get(&key) {
            return *there;
        }
        let added = self.add(nodes);
        self.amid.insert(key, added);
        added
    }

    /// An element with the points in the middle of its edges and faces behind its own, and, of a solid, the one in its own middle.
    fn element(
        &mut self,
        nodes: &[u32],
        edges: &[[usize; 2]],
        faces: &[[usize; 4]],
        is_solid: bool,
    ) -> Vec<i64> {
        let mut all: Vec<u32> = nodes.to_vec();
        all.extend(edges.iter().map(|e| self.amid(&e.map(|k| nodes[k]))));
        all.extend(faces.iter().map(|f| self.amid(&f.map(|k| nodes[k]))));
        if is_solid {
            all.push(self.add(nodes));
        }
        all.into_iter().map(i64::from).collect()
    }
}

/// **Source:** as SOFA's: edges come first, then triangles, quads, tetrahedra and hexahedra; a point in the middle of an edge or a face is
/// added by the first element that has it. It looks at the topology and at the positions of its node once.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let topology = b.topology(TopologySearch::First).ok_or_else(|| {
        BuildError::attribute("topology", "there is no topology here or above whose elements could be taken")
    })?;
    let t: Topology = topology.clone();
    let x = current_points(b, None);
    let nodes = [
        &t.edges.concat(),
        &t.triangles.concat(),
        &t.quads.concat(),
        &t.tetrahedra.concat(),
        &t.hexahedra.concat(),
    ];
    if let Some(beyond) = nodes.into_iter().flatten().find(|i| **i as usize >= x.len()) {
        let text = format!("the topology names point {beyond}, but there are {} positions", x.len());
        return Err(BuildError::attribute("mstate", text));
    }
    let mut points = Points { all: x, amid: BTreeMap::new() };
    let mut offer =
        |b: &mut Builder<'_>, name, is_wanted: bool, of: &mut dyn FnMut(&mut Points) -> Vec<Vec<i64>>| {
            let elements = if is_wanted { of(&mut points) } else { Vec::new() };
            b.offer(name, Value::Integers(elements.concat()));
        };
    const AROUND_TRIANGLE: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
    const AROUND_QUAD: [[usize; 2]; 4] = [[0, 1], [1, 2], [2, 3], [3, 0]];
    offer(b, "quadratic_edges", s.compute_from_edges, &mut |p| {
        t.edges.iter().map(|e| p.element(e, &[[0, 1]], &[], false)).collect()
    });
    offer(b, "quadratic_triangles", s.compute_from_triangles, &mut |p| {
        t.triangles.iter().map(|e| p.element(e, &AROUND_TRIANGLE, &[], false)).collect()
    });
    offer(b, "quadratic_quads", s.compute_from_quads, &mut |p| {
        t.quads.iter().map(|e| p.element(e, &AROUND_QUAD, &[[0, 1, 2, 3]], false)).collect()
    });
    offer(b, "quadratic_tetrahedra", s.compute_from_tetrahedra, &mut |p| {
        t.tetrahedra.iter().map(|e| p.element(e, &EDGES_IN_TETRAHEDRON, &[], false)).collect()
    });
    offer(b, "quadratic_hexahedra", s.compute_from_hexahedra, &mut |p| {
        t.hexahedra.iter().map(|e| p.element(e, &EDGES_IN_HEXAHEDRON, &FACES_OF_HEXAHEDRON, true)).collect()
    });
    b.offer("position", Value::from_points(&points.all));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn offered(
        mesh: &[(&'static str, &str)],
        given: &[(&'static str, &str)],
    ) -> impl Fn(&str) -> Vec<f64> + use<> {
        let mut t = TestScene::new();
        let root = t.root();
        let classes = crate::topology::all();
        let mesh_topology = classes.iter().find(|d| d.class == "MeshTopology").expect("a class");
        t.add(mesh_topology, root, mesh).expect("a mesh");
        t.add(&crate::state::all()[0], root, &[mesh[0]]).expect("a state");
        let c = t.add(&DESCRIPTION, root, given).expect("it builds");
        move |name: &str| t.scene.component(c).fields[name].reals().expect("numbers")
    }

    #[test]
    fn points_in_the_middle_are_added_once() {
        let mesh = [
            ("position", "0 0 0 2 0 0 0 2 0 0 0 2"),
            ("edges", "0 1 0 2 1 2"),
            ("triangles", "0 1 2"),
            ("tetrahedra", "0 1 2 3"),
        ];
        let get = offered(&mesh, &[("computeFromEdges", "0"), ("computeFromTriangles", "0")]);
        assert_eq!(get("quadratic_tetrahedra"), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(get("position")[12..18], [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        assert!(get("quadratic_edges").is_empty());
        let get = offered(&mesh, &[]);
        let edges = get("quadratic_edges");
        assert_eq!(edges[..9], [0.0, 1.0, 4.0, 0.0, 2.0, 5.0, 1.0, 2.0, 6.0]);
        assert_eq!(get("quadratic_triangles")[..6], [0.0, 1.0, 2.0, 4.0, 6.0, 5.0]);
        assert_eq!(get("position").len(), 30, "a tetrahedron has ten points, whoever names them");
    }

    #[test]
    fn a_hexahedron_has_27_points() {
        let mesh = [
            ("position", "0 0 0 2 0 0 2 2 0 0 2 0 0 0 2 2 0 2 2 2 2 0 2 2"),
            ("hexahedra", "0 1 2 3 4 5 6 7"),
        ];
        let get = offered(&mesh, &[]);
        assert_eq!((get("quadratic_hexahedra").len(), get("position").len()), (27, 81));
        assert_eq!(get("position")[78..], [1.0, 1.0, 1.0], "the middle comes last");
    }

    #[test]
    fn a_topology_is_needed() {
        let mut t = TestScene::new();
        let root = t.root();
        let e = t.add(&DESCRIPTION, root, &[]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("topology"));
    }
}
