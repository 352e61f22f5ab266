//! The lists of points and elements that a topology component is given: by attributes, or by a file.

use sim_core::component::attributes::{Attributes, Deferred, IndexRows, ReadAttribute};
use sim_core::component::build::{BuildError, Builder};
use sim_core::math::Vec3;
use sim_core::topology::{Topology, TopologyKind};

use super::MAX_POINTS;

/// Points, and a file in the place of all lists.
#[derive(Attributes)]
pub(super) struct PointList {
    /// points [m]
    #[attribute(kind = RealRows(3), alias = "points")]
    position: Deferred<Vec<f64>>,
    /// mesh file (.obj, .msh, .vtk, .stl) that takes the place of all lists
    #[attribute(kind = File, alias = "fileTopology")]
    pub filename: Option<String>,
}

/// Edges.
#[derive(Attributes)]
pub(super) struct EdgeList {
    /// edges; derived if none are given
    #[attribute(alias = "lines")]
    edges: Deferred<IndexRows<2>>,
}

/// Triangles.
#[derive(Attributes)]
pub(super) struct TriangleList {
    /// triangles; derived if none are given
    triangles: Deferred<IndexRows<3>>,
}

/// Quads.
#[derive(Attributes)]
pub(super) struct QuadList {
    /// quads; derived if none are given
    quads: Deferred<IndexRows<4>>,
}

/// Tetrahedra.
#[derive(Attributes)]
pub(super) struct TetrahedronList {
    /// tetrahedra
    #[attribute(alias = "tetras")]
    tetrahedra: Deferred<IndexRows<4>>,
}

/// Hexahedra.
#[derive(Attributes)]
pub(super) struct HexahedronList {
    /// hexahedra
    #[attribute(alias = "hexas")]
    hexahedra: Deferred<IndexRows<8>>,
}

/// Prisms and pyramids.
#[derive(Attributes)]
pub(super) struct MixedLists {
    /// prisms: a triangle, then the opposite one
    prisms: Deferred<IndexRows<6>>,
    /// pyramids: the four nodes of the base, then the tip
    pyramids: Deferred<IndexRows<5>>,
}

/// Points and elements as given, the rest derived.
#[derive(Attributes)]
pub(super) struct Lists {
    #[attribute(flatten)]
    points: PointList,
    #[attribute(flatten)]
    edges: EdgeList,
    #[attribute(flatten)]
    triangles: TriangleList,
    #[attribute(flatten)]
    quads: QuadList,
    #[attribute(flatten)]
    tetrahedra: TetrahedronList,
    #[attribute(flatten)]
    hexahedra: HexahedronList,
    #[attribute(flatten)]
    mixed: MixedLists,
}

/// The lists as they are given, nothing derived yet; those that the component does not have are empty.
///
/// **Source:** in SOFA every topology component that has no lists of its own making reads the file of `filename` when it is
/// initialised, and forgets what its attributes say.
pub(super) fn given(b: &mut Builder<'_>) -> Result<Topology, BuildError> {
    let Lists {
        points: PointList { position, filename },
        edges: EdgeList { edges },
        triangles: TriangleList { triangles },
        quads: QuadList { quads },
        tetrahedra: TetrahedronList { tetrahedra },
        hexahedra: HexahedronList { hexahedra },
        mixed: MixedLists { prisms, pyramids },
    } = Lists::read(b)?;
    if filename.is_some_and(|name| !name.trim().is_empty()) {
        overruled(&position, b);
        overruled(&edges, b);
        overruled(&triangles, b);
        overruled(&quads, b);
        overruled(&tetrahedra, b);
        overruled(&hexahedra, b);
        overruled(&prisms, b);
        overruled(&pyramids, b);
        return b.mesh("filename");
    }
    // Whether indices are in range is for the topology to say, which knows the number of points.
    Ok(Topology {
        points: points(&position.get(b)?, b),
        edges: edges.get(b)?.whole_rows_below(MAX_POINTS, b)?,
        triangles: triangles.get(b)?.whole_rows_below(MAX_POINTS, b)?,
        quads: quads.get(b)?.whole_rows_below(MAX_POINTS, b)?,
        tetrahedra: tetrahedra.get(b)?.whole_rows_below(MAX_POINTS, b)?,
        hexahedra: hexahedra.get(b)?.whole_rows_below(MAX_POINTS, b)?,
        prisms: prisms.get(b)?.whole_rows_below(MAX_POINTS, b)?,
        pyramids: pyramids.get(b)?.whole_rows_below(MAX_POINTS, b)?,
        ..Topology::empty(TopologyKind::Mesh)
    })
}

/// The points and faces of a surface: those of a file, else the lists; every face on points that there are.
pub(super) fn surface(
    list: &PointList,
    triangles: &TriangleList,
    quads: &QuadList,
    b: &mut Builder<'_>,
) -> Result<Topology, BuildError> {
    if list.filename.as_ref().is_some_and(|name| !name.trim().is_empty()) {
        overruled(&list.position, b);
        overruled(&triangles.triangles, b);
        overruled(&quads.quads, b);
        return b.mesh("filename");
    }
    let points = points(&list.position.get(b)?, b);
    let n = points.len();
    Ok(Topology {
        triangles: triangles.triangles.get(b)?.whole_rows_below(n, b)?,
        quads: quads.quads.get(b)?.whole_rows_below(n, b)?,
        n_points: n,
        points,
        ..Topology::empty(TopologyKind::Mesh)
    })
}

fn overruled<T: ReadAttribute>(list: &Deferred<T>, b: &mut Builder<'_>) {
    if list.is_set(b) {
        let name = list.name();
        b.warn(Some(name), format!("`{name}` is not read: `filename` takes its place"));
    }
}

fn points(reals: &[f64], b: &mut Builder<'_>) -> Vec<Vec3> {
    let (rows, extra) = reals.as_chunks::<3>();
    if !extra.is_empty() {
        let n = extra.len();
        b.warn(Some("position"), format!("`position` has rows of 3 numbers; the last {n} are left over"));
    }
    rows.iter().copied().map(Vec3::from).collect()
}
