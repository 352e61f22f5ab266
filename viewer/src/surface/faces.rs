//! What is between points: lines, triangles, quadrangles; the boundary of volumes.

use std::collections::BTreeMap;

use sim_core::topology::Topology;

/// Elements between the points of a surface; without any, the points themselves are seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faces {
    /// Lines.
    pub lines: Vec<[u32; 2]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Quadrangles.
    pub quads: Vec<[u32; 4]>,
}

/// Faces of tetrahedra of positive volume, seen from outside.
const TETRAHEDRON: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
/// Faces of hexahedra, seen from outside.
const HEXAHEDRON: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

impl Faces {
    /// Triangles and quadrangles, without the triangles that are a half of one of the quadrangles: grids list both.
    pub fn new(mut triangles: Vec<[u32; 3]>, quads: Vec<[u32; 4]>) -> Self {
        if !triangles.is_empty() && !quads.is_empty() {
            let halves =
                quads.iter().flat_map(|q| (0..4).map(|k| sorted([q[k], q[(k + 1) % 4], q[(k + 2) % 4]])));
            let mut halves: Vec<[u32; 3]> = halves.collect();
            halves.sort_unstable();
            triangles.retain(|t| halves.binary_search(&sorted(*t)).is_err());
        }
        Self { lines: Vec::new(), triangles, quads }
    }

    /// The boundary of volumes; without volumes the faces, without faces the lines.
    pub fn of(t: &Topology) -> Self {
        if t.tetrahedra.is_empty() && t.hexahedra.is_empty() {
            let no_faces = t.triangles.is_empty() && t.quads.is_empty();
            let lines = if no_faces { t.edges.clone() } else { Vec::new() };
            return Self { lines, ..Self::new(t.triangles.clone(), t.quads.clone()) };
        }
        let triangles = t.tetrahedra.iter().flat_map(|e| TETRAHEDRON.map(|f| f.map(|i| e[i])));
        let quads = t.hexahedra.iter().flat_map(|e| HEXAHEDRON.map(|f| f.map(|i| e[i])));
        Self { lines: Vec::new(), triangles: once(triangles), quads: once(quads) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.triangles.is_empty() && self.quads.is_empty()
    }

    /// Triangles, and two for each quadrangle.
    pub fn triangulated(&self) -> impl Iterator<Item = [u32; 3]> {
        let halves = self.quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
        self.triangles.iter().copied().chain(halves)
    }

    /// The edges of triangles and quadrangles, each once.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let triangles = self.triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
        let quads = self.quads.iter().flat_map(|[a, b, c, d]| [[*a, *b], [*b, *c], [*c, *d], [*d, *a]]);
        let mut edges: Vec<[u32; 2]> = triangles.chain(quads).map(sorted).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// The faces that occur once, whatever their orientation.
fn once<const N: usize>(faces: impl Iterator<Item = [u32; N]>) -> Vec<[u32; N]> {
    let mut count: BTreeMap<[u32; N], (usize, [u32; N])> = BTreeMap::new();
    for face in faces {
        count.entry(sorted(face)).or_insert((0, face)).0 += 1;
    }
    count.into_values().filter(|(n, _)| *n == 1).map(|(_, f)| f).collect()
}

fn sorted<const N: usize>(mut face: [u32; N]) -> [u32; N] {
    face.sort_unstable();
    face
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::topology::TopologyKind;

    #[test]
    fn only_the_boundary_of_volumes_is_seen() {
        let mut t = Topology::empty(TopologyKind::Mesh);
        t.tetrahedra = vec![[0, 1, 2, 3], [1, 2, 3, 4]];
        assert_eq!(Faces::of(&t).triangles.len(), 6);
        t.tetrahedra.clear();
        t.hexahedra = vec![[0, 1, 2, 3, 4, 5, 6, 7]];
        let faces = Faces::of(&t);
        assert_eq!(faces.quads.len(), 6);
        assert_eq!(faces.triangulated().count(), 12);
    }

    #[test]
    fn halves_of_quadrangles_are_not_there_twice() {
        // As a grid lists them: each quadrangle, and its two triangles along a diagonal.
        let mut t = Topology::empty(TopologyKind::Mesh);
        t.quads = vec![[0, 1, 4, 3], [1, 2, 5, 4]];
        t.triangles = vec![[0, 1, 3], [1, 4, 3], [1, 2, 5], [1, 5, 4], [4, 5, 6]];
        let faces = Faces::of(&t);
        assert_eq!((&faces.quads, &faces.triangles[..]), (&t.quads, &[[4, 5, 6]][..]));
        let edges = [[0, 1], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [4, 5], [4, 6], [5, 6]];
        assert_eq!(faces.edges(), edges);
    }
}
