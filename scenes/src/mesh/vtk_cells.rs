//! What becomes of the cells of VTK's files.

use std::collections::{BTreeMap, BTreeSet};

use super::Mesh;

/// Turns cells into elements, and keeps what is to be said of them.
#[derive(Default)]
pub(super) struct Cells {
    quadratic: QuadraticEdges,
    /// How many of each type are of no use here.
    skipped: BTreeMap<u64, usize>,
    /// How many of each type have more points than such a cell has.
    too_long: BTreeMap<u64, usize>,
}

/// Types of cells that are often met, and have no place here.
const NAMES: &[(u64, &str)] = &[
    (4, "polylines"),
    (13, "wedges"),
    (14, "pyramids"),
    (23, "quadratic quads"),
    (25, "quadratic hexahedra"),
    (42, "polyhedra"),
];

impl Cells {
    /// Adds a cell to the mesh, if it is of a type that is used.
    ///
    /// # Errors
    /// It is, and has too few points.
    pub fn add(&mut self, mesh: &mut Mesh, kind: u64, cell: &[u32]) -> Result<(), String> {
        let Some((least, is_exact)) = size(kind) else {
            // Nothing is lost with a point.
            if kind > 2 {
                *self.skipped.entry(kind).or_default() += 1;
            }
            return Ok(());
        };
        if cell.len() < least {
            return Err(format!("a cell of type {kind} has {} points", cell.len()));
        }
        if is_exact && cell.len() > least {
            *self.too_long.entry(kind).or_default() += 1;
        }
        add(mesh, &mut self.quadratic, kind, cell);
        Ok(())
    }

    /// Has the mesh say what was left out.
    pub fn finish(self, mesh: &mut Mesh) {
        for (kind, n) in self.skipped {
            let name = NAMES.iter().find(|(k, _)| *k == kind).map_or("", |(_, name)| name);
            let name = if name.is_empty() { String::new() } else { format!(" ({name})") };
            mesh.warn(format!("{n} cells of type {kind}{name} are skipped: they are no elements here"));
        }
        for (kind, n) in self.too_long {
            mesh.warn(format!(
                "{n} cells of type {kind} have more points than such a cell has; the first ones are taken"
            ));
        }
    }
}

/// How many points a cell of a type that is used has, or has at least.
fn size(kind: u64) -> Option<(usize, bool)> {
    Some(match kind {
        3 => (2, true),
        5 => (3, true),
        6 | 7 => (3, false),
        8..=10 => (4, true),
        11 | 12 => (8, true),
        21 => (3, true),
        22 => (6, true),
        24 => (10, true),
        _ => return None,
    })
}

/// Adds a cell that is long enough.
fn add(mesh: &mut Mesh, quadratic: &mut QuadraticEdges, kind: u64, cell: &[u32]) {
    match (kind, cell) {
        (3 | 21, [a, b, ..]) => mesh.edges.push([*a, *b]),
        (5, [a, b, c, ..]) => mesh.triangles.push([*a, *b, *c]),
        (6, _) => add_strip(mesh, cell),
        (7, _) => mesh.add_polygon(cell, true),
        (8, [a, b, c, d, ..]) => mesh.quads.push([*a, *b, *d, *c]),
        (9, [a, b, c, d, ..]) => mesh.quads.push([*a, *b, *c, *d]),
        (10, [a, b, c, d, ..]) => mesh.tetrahedra.push([*a, *b, *c, *d]),
        (22, [a, b, c, ..]) => {
            mesh.triangles.push([*a, *b, *c]);
            add_edges_of_quadratic((mesh, quadratic), cell, &[[0, 1], [1, 2], [2, 0]]);
        }
        (24, [a, b, c, d, ..]) => {
            mesh.tetrahedra.push([*a, *b, *c, *d]);
            let edges = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
            add_edges_of_quadratic((mesh, quadratic), cell, &edges);
        }
        (11, [a, b, c, d, e, f, g, h, ..]) => mesh.hexahedra.push([*a, *b, *d, *c, *e, *f, *h, *g]),
        (12, [a, b, c, d, e, f, g, h, ..]) => mesh.hexahedra.push([*a, *b, *c, *d, *e, *f, *g, *h]),
        _ => {}
    }
}

/// Edges of elements with nodes on them.
pub(super) type QuadraticEdges = BTreeSet<[u32; 2]>;

/// Adds the edges of an element with nodes on them, the smaller node first; an edge that such an element has had already comes no
/// second time.
///
/// **Source:** as SOFA's, whose elements of first order have no edges of their own.
pub(super) fn add_edges_of_quadratic(
    (mesh, quadratic): (&mut Mesh, &mut QuadraticEdges),
    cell: &[u32],
    edges: &[[usize; 2]],
) {
    for [a, b] in edges.iter().map(|e| e.map(|k| cell[k])) {
        let edge = [a.min(b), a.max(b)];
        if quadratic.insert(edge) {
            mesh.edges.push(edge);
        }
    }
}

/// Triangles of a strip; every second one runs backwards, beginning with the first.
///
/// **Source:** as SOFA's, which begins with the other one than VTK does: a strip is inside out, against VTK's definition. `flipNormals` turns it.
pub(super) fn add_strip(mesh: &mut Mesh, cell: &[u32]) {
    let triangles = cell.windows(3).enumerate();
    mesh.triangles
        .extend(triangles.map(|(i, t)| if i % 2 == 0 { [t[0], t[2], t[1]] } else { [t[0], t[1], t[2]] }));
}
