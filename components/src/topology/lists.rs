//! The lists of points and elements that a topology component is given: by attributes, or by a file.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{AttributeDescription, AttributeKind};
use sim_core::math::Vec3;
use sim_core::topology::{Topology, TopologyKind};

use super::MAX_POINTS;
use crate::attributes::attribute;

pub(super) const POINTS: &[AttributeDescription] = &[
    attribute("position", AttributeKind::RealRows(3), "points").unit("m").aliases(&["points"]),
    attribute(
        "filename",
        AttributeKind::File,
        "mesh file (.obj, .msh, .vtk, .stl) that takes the place of all lists",
    )
    .aliases(&["fileTopology"]),
];
pub(super) const EDGES: &[AttributeDescription] =
    &[attribute("edges", AttributeKind::IndexRows(2), "edges; derived if none are given")
        .aliases(&["lines"])];
pub(super) const TRIANGLES: &[AttributeDescription] =
    &[attribute("triangles", AttributeKind::IndexRows(3), "triangles; derived if none are given")];
pub(super) const QUADS: &[AttributeDescription] =
    &[attribute("quads", AttributeKind::IndexRows(4), "quads; derived if none are given")];
pub(super) const TETRAHEDRA: &[AttributeDescription] =
    &[attribute("tetrahedra", AttributeKind::IndexRows(4), "tetrahedra").aliases(&["tetras"])];
pub(super) const HEXAHEDRA: &[AttributeDescription] =
    &[attribute("hexahedra", AttributeKind::IndexRows(8), "hexahedra").aliases(&["hexas"])];

/// The lists as they are given, nothing derived yet.
///
/// **Source:** in SOFA every topology component that has no lists of its own making reads the file of `filename` when it is
/// initialised, and forgets what its attributes say.
pub(super) fn given(b: &mut Builder<'_>) -> Result<Topology, BuildError> {
    if b.is_set("filename") && !b.text("filename")?.trim().is_empty() {
        for name in ["position", "edges", "triangles", "quads", "tetrahedra", "hexahedra"] {
            if b.is_set(name) {
                b.warn(Some(name), format!("`{name}` is not read: `filename` takes its place"));
            }
        }
        return b.mesh("filename");
    }
    Ok(Topology {
        points: points(b)?,
        edges: rows(b, "edges")?,
        triangles: rows(b, "triangles")?,
        quads: rows(b, "quads")?,
        tetrahedra: rows(b, "tetrahedra")?,
        hexahedra: rows(b, "hexahedra")?,
        ..Topology::empty(TopologyKind::Mesh)
    })
}

/// Rows of indices; whether they are in range is for the topology to say, which knows the number of points.
fn rows<const N: usize>(b: &mut Builder<'_>, name: &'static str) -> Result<Vec<[u32; N]>, BuildError> {
    let extra = b.integers(name)?.len() % N;
    if extra != 0 {
        b.warn(Some(name), format!("`{name}` has rows of {N} indices; the last {extra} are left over"));
    }
    b.index_rows(name, MAX_POINTS)
}

fn points(b: &mut Builder<'_>) -> Result<Vec<Vec3>, BuildError> {
    let extra = b.reals("position")?.len() % 3;
    if extra != 0 {
        b.warn(Some("position"), format!("`position` has rows of 3 numbers; the last {extra} are left over"));
    }
    b.points("position")
}
