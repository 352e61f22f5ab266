//! The topology components of a scene: attributes in, a complete [`Topology`] and its fields out.

use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};
use sim_core::component::mechanical_state::TEMPLATES;
use sim_core::component::value::Value;
use sim_core::math::Vec3;
use sim_core::scene::ComponentId;
use sim_core::topology::{Topology, TopologyKind};

use super::lists::{self, EDGES, HEXAHEDRA, POINTS, QUADS, TETRAHEDRA, TRIANGLES};
use super::{
    Hexa2TetraTopologicalMapping, MAX_POINTS, MeshTopology, RegularGridTopology, SetTopologyContainer,
    Tetra2TriangleTopologicalMapping, TopologyError,
};
use crate::attributes::{attribute, ignored, unsupported};

const DRAWING: &[AttributeDescription] = &[
    ignored("drawEdges"),
    ignored("drawTriangles"),
    ignored("drawQuads"),
    ignored("drawTetra"),
    ignored("drawTetrahedra"),
    ignored("drawHexa"),
    ignored("drawHexahedra"),
];

const MESH: &[AttributeDescription] = &[
    unsupported("prisms", "", "has elements of six nodes"),
    unsupported("pyramids", "", "has elements of five nodes"),
    ignored("uv"),
    ignored("computeAllBuffers"),
];

const CONTAINER: &[AttributeDescription] = &[
    attribute(
        "nbPoints",
        AttributeKind::Integer,
        "number of points, if neither positions nor indices give it",
    )
    .default("0"),
    ignored("createTriangleArray"),
    ignored("createQuadArray"),
    ignored("createTetraArray"),
    ignored("checkTopology"),
    ignored("checkConnexity"),
];

const GRID: &[AttributeDescription] = &[
    attribute("n", AttributeKind::Integers(3), "points per axis").default("2 2 2"),
    attribute("nx", AttributeKind::Integer, "points along x; counts only together with ny and nz"),
    attribute("ny", AttributeKind::Integer, "points along y"),
    attribute("nz", AttributeKind::Integer, "points along z"),
    attribute("min", AttributeKind::Reals(3), "one end of the diagonal").default("0 0 0").unit("m"),
    attribute("max", AttributeKind::Reals(3), "the other end of the diagonal").default("1 1 1").unit("m"),
    attribute("xmin", AttributeKind::Real32, "x of one end; counts only if all six are given").unit("m"),
    attribute("xmax", AttributeKind::Real32, "x of the other end").unit("m"),
    attribute("ymin", AttributeKind::Real32, "y of one end").unit("m"),
    attribute("ymax", AttributeKind::Real32, "y of the other end").unit("m"),
    attribute("zmin", AttributeKind::Real32, "z of one end").unit("m"),
    attribute("zmax", AttributeKind::Real32, "z of the other end").unit("m"),
    attribute("scale", AttributeKind::Real32, "factor on xmin ... zmax (not on min and max)").default("1"),
    attribute("p0", AttributeKind::Reals(3), "the first point, if it is not `min`").unit("m"),
    attribute("cellWidth", AttributeKind::Real, "size of a cell, instead of n; 0: unused")
        .default("0")
        .unit("m"),
    attribute("computeHexaList", AttributeKind::Bool, "whether there are hexahedra").default("1"),
    attribute("computeQuadList", AttributeKind::Bool, "whether there are quads").default("1"),
    attribute("computeTriangleList", AttributeKind::Bool, "whether there are triangles").default("1"),
    attribute("computeEdgeList", AttributeKind::Bool, "whether there are edges").default("1"),
    unsupported("computePointList", "1", "leaves the points to `position`"),
    unsupported("filename", "", "takes points and elements from a file").aliases(&["fileTopology"]),
    ignored("createTexCoords"),
    ignored("position"),
    ignored("edges"),
    ignored("triangles"),
    ignored("quads"),
    ignored("hexahedra"),
];

const MAPPING: &[AttributeDescription] = &[
    attribute("input", AttributeKind::Link, "topology to read; the first of this node if not given"),
    attribute("output", AttributeKind::Link, "container to fill; the last of this node if not given"),
];

const fn topology(
    class: &'static str,
    summary: &'static str,
    attributes: &'static [&'static [AttributeDescription]],
    build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
) -> ComponentDescription {
    ComponentDescription {
        class,
        old_names: &[],
        family: Family::Topology,
        summary,
        templates: &[],
        attributes,
        samples: &[],
        build,
    }
}

/// **Source:** a container of SOFA has the lists of its elements and of what lies between them, and no others: triangles that
/// a loader offers to a container of quads are not taken.
const fn container(
    class: &'static str,
    summary: &'static str,
    attributes: &'static [&'static [AttributeDescription]],
    build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
) -> ComponentDescription {
    topology(class, summary, attributes, build)
}

/// A companion of a container that has no effect while the topology does not change.
const fn companion(class: &'static str, summary: &'static str) -> ComponentDescription {
    const ATTRIBUTES: &[AttributeDescription] = &[
        ignored("topology"),
        ignored("recomputeTrianglesOrientation"),
        ignored("showPointIndices"),
        ignored("showEdgeIndices"),
        ignored("showTriangleIndices"),
        ignored("showQuadIndices"),
        ignored("showTetrahedraIndices"),
        ignored("showHexaIndices"),
        ignored("drawNormals"),
        ignored("drawNormalLength"),
        ignored("tagMechanics"),
        ignored("propagate"),
        ignored("removeIsolated"),
    ];
    ComponentDescription {
        class,
        old_names: &[],
        family: Family::Ignored,
        summary,
        templates: TEMPLATES,
        attributes: &[ATTRIBUTES, DRAWING],
        samples: &[],
        build: |_| Ok(()),
    }
}

/// All components of the family.
pub(super) const ALL: &[ComponentDescription] = &[
    topology(
        "MeshTopology",
        "Points and elements as given, the rest derived",
        &[POINTS, EDGES, TRIANGLES, QUADS, TETRAHEDRA, HEXAHEDRA, MESH, DRAWING],
        build_mesh,
    ),
    topology(
        "RegularGridTopology",
        "A lattice of points with its cells and faces",
        &[GRID, DRAWING],
        build_grid,
    ),
    container("PointSetTopologyContainer", "Points", &[POINTS, CONTAINER, DRAWING], |b| {
        build_container(b, &[])
    }),
    container("EdgeSetTopologyContainer", "Edges", &[POINTS, EDGES, CONTAINER, DRAWING], |b| {
        build_container(b, &[Edges])
    }),
    container(
        "TriangleSetTopologyContainer",
        "Triangles, with edges derived",
        &[POINTS, EDGES, TRIANGLES, CONTAINER, DRAWING],
        |b| build_container(b, &[Edges, Triangles]),
    ),
    container(
        "QuadSetTopologyContainer",
        "Quads, with edges derived",
        &[POINTS, EDGES, QUADS, CONTAINER, DRAWING],
        |b| build_container(b, &[Edges, Quads]),
    ),
    container(
        "TetrahedronSetTopologyContainer",
        "Tetrahedra, with triangles and edges derived",
        &[POINTS, EDGES, TRIANGLES, TETRAHEDRA, CONTAINER, DRAWING],
        |b| build_container(b, &[Edges, Triangles, Tetrahedra]),
    ),
    container(
        "HexahedronSetTopologyContainer",
        "Hexahedra, with quads and edges derived",
        &[POINTS, EDGES, QUADS, HEXAHEDRA, CONTAINER, DRAWING],
        |b| build_container(b, &[Edges, Quads, Hexahedra]),
    ),
    companion("PointSetTopologyModifier", "Accepted; topologies do not change here"),
    companion("EdgeSetTopologyModifier", "Accepted; topologies do not change here"),
    companion("TriangleSetTopologyModifier", "Accepted; topologies do not change here"),
    companion("QuadSetTopologyModifier", "Accepted; topologies do not change here"),
    companion("TetrahedronSetTopologyModifier", "Accepted; topologies do not change here"),
    companion("HexahedronSetTopologyModifier", "Accepted; topologies do not change here"),
    companion("PointSetGeometryAlgorithms", "Accepted; components compute geometry themselves"),
    companion("EdgeSetGeometryAlgorithms", "Accepted; components compute geometry themselves"),
    companion("TriangleSetGeometryAlgorithms", "Accepted; components compute geometry themselves"),
    companion("QuadSetGeometryAlgorithms", "Accepted; components compute geometry themselves"),
    companion("TetrahedronSetGeometryAlgorithms", "Accepted; components compute geometry themselves"),
    companion("HexahedronSetGeometryAlgorithms", "Accepted; components compute geometry themselves"),
    topology(
        "Hexa2TetraTopologicalMapping",
        "Fills a container with six tetrahedra for each hexahedron of another topology",
        &[MAPPING, HEXA_TO_TETRA],
        build_hexa_to_tetra,
    ),
    topology(
        "Tetra2TriangleTopologicalMapping",
        "Fills a container with the border triangles of a tetrahedral topology",
        &[MAPPING, TETRA_TO_TRIANGLE],
        build_tetra_to_triangle,
    ),
];

const HEXA_TO_TETRA: &[AttributeDescription] =
    &[attribute("swapping", AttributeKind::Bool, "whether every second cell is mirrored, so that faces fit")
        .default("0")];

const TETRA_TO_TRIANGLE: &[AttributeDescription] = &[
    attribute("flipNormals", AttributeKind::Bool, "whether triangles are turned inside out").default("0"),
    attribute("noInitialTriangles", AttributeKind::Bool, "whether the output starts empty").default("0"),
    ignored("noNewTriangles"),
];

fn failed(e: &TopologyError) -> BuildError {
    match e {
        TopologyError::IndexOutOfRange { kind, .. } => {
            let attribute = match *kind {
                "tetrahedron" => "tetrahedra".to_owned(),
                "hexahedron" => "hexahedra".to_owned(),
                other => format!("{other}s"),
            };
            BuildError::attribute(&attribute, e.to_string())
        }
        TopologyError::NotFinite { attribute } => BuildError::attribute(attribute, e.to_string()),
        TopologyError::TooManyPoints { .. } => BuildError::new(e.to_string()),
    }
}

/// Makes the component the topology, and offers its lists to links.
fn set(b: &mut Builder<'_>, component: ComponentId, topology: Topology) {
    let fields = &mut b.scene.component_mut(component).fields;
    fields.insert("position", Value::from_points(&topology.points));
    fields.insert("edges", Value::from_rows(&topology.edges));
    fields.insert("triangles", Value::from_rows(&topology.triangles));
    fields.insert("quads", Value::from_rows(&topology.quads));
    fields.insert("tetrahedra", Value::from_rows(&topology.tetrahedra));
    fields.insert("hexahedra", Value::from_rows(&topology.hexahedra));
    fields.insert("nbPoints", Value::Integer(topology.n_points as i64));
    if let Some(grid) = &topology.grid {
        fields.insert("n", Value::Integers(grid.n.map(|n| n as i64).to_vec()));
    }
    b.scene.set_topology(component, topology);
}

fn build_mesh(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let lists = lists::given(b)?;
    let mesh = MeshTopology {
        points: lists.points,
        edges: lists.edges,
        triangles: lists.triangles,
        quads: lists.quads,
        tetrahedra: lists.tetrahedra,
        hexahedra: lists.hexahedra,
    };
    let topology = mesh.build().map_err(|e| failed(&e))?;
    set(b, b.component, topology);
    Ok(())
}

/// A list of elements that a container has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Edges,
    Triangles,
    Quads,
    Tetrahedra,
    Hexahedra,
}
use List::{Edges, Hexahedra, Quads, Tetrahedra, Triangles};

fn build_container(b: &mut Builder<'_>, lists: &[List]) -> Result<(), BuildError> {
    let n_points = usize::try_from(b.integer("nbPoints")?)
        .ok()
        .filter(|n| *n <= MAX_POINTS)
        .ok_or_else(|| BuildError::attribute("nbPoints", "`nbPoints` must be a number of points"))?;
    let given = lists::given(b)?;
    let has = |list: List| lists.contains(&list);
    let left_out = [
        ("edges", given.edges.len(), Edges),
        ("triangles", given.triangles.len(), Triangles),
        ("quads", given.quads.len(), Quads),
        ("tetrahedra", given.tetrahedra.len(), Tetrahedra),
        ("hexahedra", given.hexahedra.len(), Hexahedra),
    ];
    for (name, n, list) in left_out {
        if n > 0 && !has(list) {
            let class = b.scene.component(b.component).class;
            b.warn(Some("filename"), format!("the {n} {name} of the file are left out: a {class} has none"));
        }
    }
    fn kept<T>(list: Vec<T>, has: bool) -> Vec<T> {
        if has { list } else { Vec::new() }
    }
    let container = SetTopologyContainer {
        points: given.points,
        n_points,
        edges: kept(given.edges, has(Edges)),
        triangles: kept(given.triangles, has(Triangles)),
        quads: kept(given.quads, has(Quads)),
        tetrahedra: kept(given.tetrahedra, has(Tetrahedra)),
        hexahedra: kept(given.hexahedra, has(Hexahedra)),
    };
    let topology = container.build().map_err(|e| failed(&e))?;
    set(b, b.component, topology);
    Ok(())
}

fn build_grid(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (min, max) = grid_corners(b)?;
    let cell_width = b.real("cellWidth")?;
    if cell_width < 0.0 {
        return Err(BuildError::attribute(
            "cellWidth",
            format!("`cellWidth` is {cell_width}; it must be positive, or 0 if `n` is meant"),
        ));
    }
    let grid = RegularGridTopology {
        n: grid_counts(b)?,
        min,
        max,
        p0: b.is_set("p0").then(|| b.vec3("p0")).transpose()?,
        cell_width,
        compute_hexa_list: b.boolean("computeHexaList")?,
        compute_quad_list: b.boolean("computeQuadList")?,
        compute_triangle_list: b.boolean("computeTriangleList")?,
        compute_edge_list: b.boolean("computeEdgeList")?,
    };
    let topology = grid.build().map_err(|e| failed(&e))?;
    set(b, b.component, topology);
    Ok(())
}

fn grid_counts(b: &mut Builder<'_>) -> Result<[i32; 3], BuildError> {
    const NAMES: [&str; 3] = ["nx", "ny", "nz"];
    let given = NAMES.iter().filter(|n| b.is_set(n)).count();
    let counts = if given == 3 {
        NAMES.iter().map(|n| b.integer(n)).collect::<Result<Vec<_>, _>>()?
    } else {
        if given > 0 {
            b.warn(None, "nx, ny and nz count only if all three are given; `n` is used");
        }
        b.integers("n")?
    };
    let attribute = if given == 3 { "nx" } else { "n" };
    let mut n = [0; 3];
    if counts.len() != 3 {
        return Err(BuildError::attribute(attribute, "`n` must be three numbers of points"));
    }
    for (n, count) in n.iter_mut().zip(&counts) {
        *n = i32::try_from(*count).map_err(|_| {
            BuildError::attribute(attribute, format!("{count} points along an axis are too many"))
        })?;
    }
    if n.iter().any(|n| *n < 1) {
        b.warn(Some(attribute), format!("{n:?} points per axis are not a grid; 2 2 2 is used, as in SOFA"));
    }
    Ok(n)
}

fn grid_corners(b: &mut Builder<'_>) -> Result<(Vec3, Vec3), BuildError> {
    const NAMES: [&str; 6] = ["xmin", "ymin", "zmin", "xmax", "ymax", "zmax"];
    let given = NAMES.iter().filter(|n| b.is_set(n)).count();
    if given < 6 {
        if given > 0 {
            b.warn(None, "xmin ... zmax count only if all six are given; `min` and `max` are used");
        }
        return Ok((b.vec3("min")?, b.vec3("max")?));
    }
    let scale = b.real("scale")?;
    let mut v = [0.0; 6];
    for (v, name) in v.iter_mut().zip(NAMES) {
        *v = b.real(name)? * scale;
    }
    Ok((Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5])))
}

/// The two components of a topological mapping.
fn mapped(b: &Builder<'_>) -> Result<(ComponentId, ComponentId), BuildError> {
    let here: Vec<ComponentId> =
        b.scene.components_of(b.node).filter(|c| b.scene.topology(*c).is_some()).collect();
    let find = |name: &'static str, default: Option<&ComponentId>| {
        let found = match b.link(name) {
            Some(LinkTarget::Component(c)) => Some(c).filter(|c| b.scene.topology(*c).is_some()),
            Some(LinkTarget::Node(n)) => b.scene.components_of(n).find(|c| b.scene.topology(*c).is_some()),
            None => default.copied(),
        };
        found.ok_or_else(|| {
            BuildError::attribute(name, format!("`{name}` must lead to a topology; write {name}=\"@NAME\""))
        })
    };
    let pair = (find("input", here.first())?, find("output", here.last())?);
    if pair.0 == pair.1 {
        return Err(BuildError::attribute("output", "`input` and `output` are the same topology"));
    }
    let is_container = b.scene.topology(pair.1).is_some_and(|t| t.kind == TopologyKind::SetContainer);
    if !is_container {
        return Err(BuildError::attribute("output", "`output` must be a ...SetTopologyContainer"));
    }
    Ok(pair)
}

fn build_hexa_to_tetra(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (input, output) = mapped(b)?;
    let mapping = Hexa2TetraTopologicalMapping { swapping: b.boolean("swapping")? };
    fill(b, input, output, |t| mapping.build(t), |t| t.hexahedra.is_empty(), "hexahedra")
}

fn build_tetra_to_triangle(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (input, output) = mapped(b)?;
    let mapping = Tetra2TriangleTopologicalMapping {
        flip_normals: b.boolean("flipNormals")?,
        no_initial_triangles: b.boolean("noInitialTriangles")?,
    };
    fill(b, input, output, |t| mapping.build(t), |t| t.tetrahedra.is_empty(), "tetrahedra")
}

fn fill(
    b: &mut Builder<'_>,
    input: ComponentId,
    output: ComponentId,
    map: impl FnOnce(&Topology) -> Result<Topology, TopologyError>,
    is_empty: impl FnOnce(&Topology) -> bool,
    wanted: &str,
) -> Result<(), BuildError> {
    let Some(from) = b.scene.topology(input) else {
        return Err(BuildError::attribute("input", "`input` leads to no topology"));
    };
    if is_empty(from) {
        let path = b.scene.path(input);
        b.warn(Some("input"), format!("{path} has no {wanted}; the output stays empty"));
        return Ok(());
    }
    let topology = map(from).map_err(|e| failed(&e))?;
    set(b, output, topology);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn description(class: &str) -> &'static ComponentDescription {
        ALL.iter().find(|d| d.class == class).expect("a listed class")
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
            has("HexahedronSetTopologyContainer", "quads")
                && !has("HexahedronSetTopologyContainer", "tetras")
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
        let same = [("input", LinkTarget::Component(tetra)), ("output", LinkTarget::Component(tetra))];
        assert!(t.add_linked(mapping, root, &[], &same).is_err());
        let surface = t.add(description("TriangleSetTopologyContainer"), root, &[]).unwrap();
        let links = [("input", LinkTarget::Component(tetra)), ("output", LinkTarget::Component(surface))];
        t.add_linked(description("Tetra2TriangleTopologicalMapping"), root, &[], &links).unwrap();
        assert_eq!(t.scene.topology(surface).unwrap().triangles.len(), 20);
    }
}
