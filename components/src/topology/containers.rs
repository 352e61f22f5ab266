//! The components `MeshTopology` and `...SetTopologyContainer`: lists in, a complete topology out.

use sim_core::component::attributes::{AttributeGroups, Attributes};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::topology::Topology;

use super::field::{Drawing, failed, set};
use super::lists::{
    self, EdgeList, HexahedronList, Lists, PointList, QuadList, TetrahedronList, TriangleList,
};
use super::{MAX_POINTS, MeshTopology, SetTopologyContainer};

/// What a `MeshTopology` has besides its lists.
#[derive(Attributes)]
#[attributes(ignored("uv", "computeAllBuffers"))]
struct MeshAttributes;

/// What every container has besides its lists.
#[derive(Attributes)]
#[attributes(
    ignored("createTriangleArray", "createQuadArray", "createTetraArray"),
    ignored("checkTopology", "checkConnexity")
)]
struct ContainerAttributes {
    /// number of points, if neither positions nor indices give it
    #[attribute(default = "0")]
    nb_points: i64,
}

/// The components.
pub(super) const ALL: [ComponentDescription; 7] = [
    ComponentDescription::new::<(Lists, MeshAttributes, Drawing)>(
        Family::Topology,
        "MeshTopology",
        build_mesh,
    ),
    container::<(PointList, ContainerAttributes, Drawing)>("PointSetTopologyContainer", "Points"),
    container::<(PointList, EdgeList, ContainerAttributes, Drawing)>("EdgeSetTopologyContainer", "Edges"),
    container::<(PointList, EdgeList, TriangleList, ContainerAttributes, Drawing)>(
        "TriangleSetTopologyContainer",
        "Triangles, with edges derived",
    ),
    container::<(PointList, EdgeList, QuadList, ContainerAttributes, Drawing)>(
        "QuadSetTopologyContainer",
        "Quads, with edges derived",
    ),
    container::<(PointList, EdgeList, TriangleList, TetrahedronList, ContainerAttributes, Drawing)>(
        "TetrahedronSetTopologyContainer",
        "Tetrahedra, with triangles and edges derived",
    ),
    container::<(PointList, EdgeList, QuadList, HexahedronList, ContainerAttributes, Drawing)>(
        "HexahedronSetTopologyContainer",
        "Hexahedra, with quads and edges derived",
    ),
];

/// **Source:** a container of SOFA has the lists of its elements and of what lies between them, and no others: triangles that
/// a loader offers to a container of quads are not taken.
const fn container<A: AttributeGroups>(class: &'static str, summary: &'static str) -> ComponentDescription {
    ComponentDescription::new::<A>(Family::Topology, class, build_container::<A>).summary(summary)
}

/// How many points a `MeshTopology` gives to a state, kept with the component where they are fewer than its positions: those up to the last
/// that an element names.
///
/// As SOFA's `MeshTopology`, which counts the points of its elements, however many `position` has; of a file it counts the points. Where
/// there are no elements, SOFA's state has no points; ours has them all.
pub(crate) struct PointsOfElements(pub usize);

fn build_mesh(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let lists = lists::given(b)?;
    let is_of_file = b.is_set("filename");
    let mesh = MeshTopology {
        points: lists.points,
        edges: lists.edges,
        triangles: lists.triangles,
        quads: lists.quads,
        tetrahedra: lists.tetrahedra,
        hexahedra: lists.hexahedra,
        prisms: lists.prisms,
        pyramids: lists.pyramids,
    };
    let topology = mesh.build().map_err(|e| failed(&e))?;
    let named = named_points(&topology);
    let has_others = !is_of_file && 0 < named && named < topology.points.len();
    b.keep(has_others.then_some(PointsOfElements(named)));
    set(b, b.component, topology);
    Ok(())
}

/// The number of the last point that an element names, plus one.
fn named_points(t: &Topology) -> usize {
    let lists = [
        t.edges.as_flattened(),
        t.triangles.as_flattened(),
        t.quads.as_flattened(),
        t.tetrahedra.as_flattened(),
        t.hexahedra.as_flattened(),
        t.prisms.as_flattened(),
        t.pyramids.as_flattened(),
    ];
    lists.iter().flat_map(|list| list.iter()).max().map_or(0, |last| *last as usize + 1)
}

fn build_container<A: AttributeGroups>(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let n_points = usize::try_from(ContainerAttributes::read(b)?.nb_points)
        .ok()
        .filter(|n| *n <= MAX_POINTS)
        .ok_or_else(|| BuildError::attribute("nbPoints", "`nbPoints` must be a number of points"))?;
    let given = lists::given(b)?;
    let container = SetTopologyContainer {
        points: given.points,
        n_points,
        edges: own::<A, _>(given.edges, "edges", b),
        triangles: own::<A, _>(given.triangles, "triangles", b),
        quads: own::<A, _>(given.quads, "quads", b),
        tetrahedra: own::<A, _>(given.tetrahedra, "tetrahedra", b),
        hexahedra: own::<A, _>(given.hexahedra, "hexahedra", b),
    };
    let topology = container.build().map_err(|e| failed(&e))?;
    set(b, b.component, topology);
    Ok(())
}

/// The elements, if the container has a list of them; those that a file holds besides are left out with a warning.
fn own<A: AttributeGroups, T>(elements: Vec<T>, name: &str, b: &mut Builder<'_>) -> Vec<T> {
    if elements.is_empty() || A::GROUPS.iter().flat_map(|group| group.iter()).any(|a| a.name == name) {
        return elements;
    }
    let (n, class) = (elements.len(), b.scene.component(b.component).class);
    b.warn(Some("filename"), format!("the {n} {name} of the file are left out: a {class} has none"));
    Vec::new()
}
