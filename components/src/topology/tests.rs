//! The components of the family, from attributes to topologies.

use sim_core::component::build::LinkTarget;
use sim_core::component::description::ComponentDescription;
use sim_core::component::value::Value;
use sim_core::math::Vec3;
use sim_core::topology::{Topology, TopologyKind};

use super::COMPONENTS;
use crate::test_support::TestScene;

fn description(class: &str) -> &'static ComponentDescription {
    COMPONENTS.iter().copied().flatten().find(|d| d.class == class).expect("a listed class")
}

#[test]
fn a_grid_of_floats_is_read_as_32_bit() {
    let mut t = TestScene::new();
    let root = t.root();
    let mut attributes = vec![("nx", "3"), ("ny", "2"), ("nz", "1"), ("xmin", "0.1"), ("xmax", "2.1")];
    attributes.extend([("ymin", "0"), ("ymax", "1"), ("zmin", "0")]);
    let c = t.add(description("RegularGridTopology"), root, &attributes).unwrap();
    assert_eq!(t.scene.topology(c).unwrap().points[0], Vec3::zeros(), "five of six do not count");
    assert_eq!(t.warnings.len(), 1);
    attributes.push(("zmax", "0"));
    let c = t.add(description("RegularGridTopology"), root, &attributes).unwrap();
    let topology = t.scene.topology(c).unwrap();
    assert_eq!(topology.n_points, 6);
    assert_eq!(topology.points[0].x, f64::from(0.1_f32));
    assert_eq!(t.scene.component(c).fields["n"], Value::Integers(vec![3, 2, 1]));
    assert_eq!(topology.quads, [[0, 1, 4, 3], [1, 2, 5, 4]]);
}

#[test]
fn a_mesh_derives_and_offers_its_elements() {
    let mut t = TestScene::new();
    let root = t.root();
    let attributes = [("position", "0 0 0 1 0 0 0 1 0 0 0 1"), ("tetrahedra", "0 1 2 3")];
    let c = t.add(description("MeshTopology"), root, &attributes).unwrap();
    let topology = t.scene.topology(c).unwrap();
    assert_eq!((topology.edges.len(), topology.triangles.len()), (6, 4));
    assert_eq!(t.scene.component(c).fields["edges"].integers().unwrap().len(), 12);
    let wrong = [("position", "0 0 0"), ("edges", "0 1")];
    let e = t.add(description("MeshTopology"), root, &wrong).unwrap_err();
    assert_eq!(e.attribute.as_deref(), Some("edges"));
}

#[test]
fn a_file_takes_the_place_of_all_lists() {
    let mut t = TestScene::new();
    let root = t.root();
    t.mesh(
        "floor.obj",
        Topology {
            points: [[0., 0., 0.], [1., 0., 0.], [1., 0., 1.], [0., 0., 1.]].map(Vec3::from).to_vec(),
            triangles: vec![[0, 1, 2]],
            quads: vec![[0, 1, 2, 3]],
            ..Topology::empty(TopologyKind::Mesh)
        },
    );
    let c = t.add(description("MeshTopology"), root, &[("fileTopology", "floor.obj"), ("edges", "7 9")]);
    let topology = t.scene.topology(c.unwrap()).unwrap();
    assert_eq!((topology.n_points, topology.triangles.len(), topology.quads.len()), (4, 1, 1));
    assert_eq!(topology.edges.len(), 5, "derived, not those of the attribute");
    assert_eq!(t.warnings.len(), 1, "{:?}", t.warnings);
    let container = description("QuadSetTopologyContainer");
    let c = t.add(container, root, &[("filename", "floor.obj")]).unwrap();
    let topology = t.scene.topology(c).unwrap();
    assert_eq!(
        (topology.kind, topology.triangles.len(), topology.quads.len()),
        (TopologyKind::SetContainer, 0, 1)
    );
    assert!(t.warnings[1].contains("1 triangles of the file are left out"), "{:?}", t.warnings);
    let e = t.add(description("MeshTopology"), root, &[("filename", "none.obj")]).unwrap_err();
    assert_eq!(e.attribute.as_deref(), Some("filename"));
}

#[test]
fn a_container_has_no_lists_but_its_own() {
    let has = |class: &str, name: &str| description(class).attributes_named(name).next().is_some();
    assert!(
        has("TriangleSetTopologyContainer", "triangles") && !has("TriangleSetTopologyContainer", "quads")
    );
    assert!(
        has("HexahedronSetTopologyContainer", "quads") && !has("HexahedronSetTopologyContainer", "tetras")
    );
}

#[test]
fn hexahedra_of_a_grid_fill_a_container() {
    let mut t = TestScene::new();
    let root = t.root();
    let grid = t.add(description("RegularGridTopology"), root, &[("n", "3 2 2")]).unwrap();
    let tetra = t.add(description("TetrahedronSetTopologyContainer"), root, &[]).unwrap();
    let mapping = description("Hexa2TetraTopologicalMapping");
    let links = [("input", LinkTarget::Component(grid)), ("output", LinkTarget::Component(tetra))];
    t.add_linked(mapping, root, &[("swapping", "1")], &links).unwrap();
    let topology = t.scene.topology(tetra).unwrap();
    assert_eq!(topology.tetrahedra.len(), 12);
    assert_eq!((topology.n_points, topology.points.len()), (12, 0));
    let at = (0..12).map(|k| format!("{k} 0 1")).collect::<Vec<_>>().join(" ");
    let placed = t.add(description("TetrahedronSetTopologyContainer"), root, &[("position", &at)]).unwrap();
    let links = [("input", LinkTarget::Component(grid)), ("output", LinkTarget::Component(placed))];
    t.add_linked(mapping, root, &[], &links).unwrap();
    let topology = t.scene.topology(placed).unwrap();
    assert_eq!(
        (topology.n_points, topology.points[7]),
        (12, Vec3::new(7.0, 0.0, 1.0)),
        "its own positions stay"
    );
    let same = [("input", LinkTarget::Component(tetra)), ("output", LinkTarget::Component(tetra))];
    assert!(t.add_linked(mapping, root, &[], &same).is_err());
    let surface = t.add(description("TriangleSetTopologyContainer"), root, &[]).unwrap();
    let links = [("input", LinkTarget::Component(tetra)), ("output", LinkTarget::Component(surface))];
    t.add_linked(description("Tetra2TriangleTopologicalMapping"), root, &[], &links).unwrap();
    assert_eq!(t.scene.topology(surface).unwrap().triangles.len(), 20);
}
