//! Who is next to whom: elements around points and edges, edges of elements, and which triangle owns what.

use super::derive::{EDGES_IN_TRIANGLE, first_equal, parts, sorted};

/// The index of an edge that the list of edges does not contain.
pub const NO_EDGE: u32 = u32::MAX;

/// For each item a short list of indices, all in one array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Around {
    /// Where each list begins; one entry more than there are lists.
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl Around {
    /// Number of lists.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no lists.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The list of one item.
    pub fn of(&self, item: usize) -> &[u32] {
        &self.items[self.offsets[item] as usize..self.offsets[item + 1] as usize]
    }

    /// Lists from (item, entry) pairs; the entries of an item keep their order.
    fn from_pairs(n: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0_u32; n + 1];
        pairs.clone().for_each(|(item, _)| offsets[item as usize + 1] += 1);
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut items = vec![0; offsets[n] as usize];
        for (item, entry) in pairs {
            items[next[item as usize] as usize] = entry;
            next[item as usize] += 1;
        }
        Self { offsets, items }
    }
}

/// The elements around each point, ascending; an element that names a point twice is listed twice.
pub fn elements_around_point<const N: usize>(n_points: usize, elements: &[[u32; N]]) -> Around {
    Around::from_pairs(n_points, elements.iter().zip(0..).flat_map(|(e, i)| e.iter().map(move |p| (*p, i))))
}

/// The indices of each element's edges, its edges given by local node pairs; [`NO_EDGE`] for one that `edges` lacks.
///
/// The pairs for each kind of element are in [`super::derive`].
pub fn edges_in_elements<const N: usize, const P: usize>(
    edges: &[[u32; 2]],
    elements: &[[u32; N]],
    pairs: &[[usize; 2]; P],
) -> Vec<[u32; P]> {
    let keys: Vec<[u32; 2]> = edges.iter().chain(&parts(elements, pairs)).map(|e| sorted(*e)).collect();
    let first = first_equal(&keys);
    let index = |f: u32| if (f as usize) < edges.len() { f } else { NO_EDGE };
    (0..elements.len()).map(|e| std::array::from_fn(|k| index(first[edges.len() + P * e + k]))).collect()
}

/// The triangles around each edge: those that run along it in its own direction, last one first, then the others in
/// ascending order.
///
/// **Source:** as SOFA's topologies, which insert the former at the front of the list and the latter at its back.
pub fn triangles_around_edge(
    edges: &[[u32; 2]],
    triangles: &[[u32; 3]],
    edges_in_triangle: &[[u32; 3]],
) -> Around {
    let sides = triangles.iter().zip(edges_in_triangle).zip(0..).flat_map(|((t, in_t), i)| {
        let side = move |k: usize| (in_t[k], i, t[EDGES_IN_TRIANGLE[k][0]]);
        (0..3).map(side).filter(|(edge, ..)| *edge != NO_EDGE)
    });
    let along = |(edge, _, start): &(u32, u32, u32)| edges[*edge as usize][0] == *start;
    let mut left: Vec<(u32, u32)> = sides.clone().filter(along).map(|(edge, i, _)| (edge, i)).collect();
    left.reverse();
    let right: Vec<(u32, u32)> = sides.filter(|s| !along(s)).map(|(edge, i, _)| (edge, i)).collect();
    Around::from_pairs(edges.len(), left.iter().chain(&right).copied())
}

/// The edges of exactly two elements, in their order: the edge, and for either element, the first one first, its number and which of
/// its edges this is.
pub fn pairs_on_edges<const N: usize, const P: usize>(
    edges: &[[u32; 2]],
    elements: &[[u32; N]],
    local: &[[usize; 2]; P],
) -> impl Iterator<Item = (u32, [(u32, usize); 2])> + use<N, P> {
    let in_elements = edges_in_elements(edges, elements, local);
    let sides: Vec<u32> = in_elements.into_iter().flatten().collect();
    let known = sides.into_iter().zip(0..).filter(|(edge, _)| *edge != NO_EDGE);
    let around = Around::from_pairs(edges.len(), known.collect::<Vec<_>>().into_iter());
    (0..edges.len()).filter_map(move |edge| {
        let [first, second] = *around.of(edge) else { return None };
        let side = |k: u32| (k / P as u32, k as usize % P);
        Some((edge as u32, [side(first), side(second)]))
    })
}

/// Which of its points and edges a triangle owns: each point and edge of a mesh is reported by one triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TriangleFlags(u8);

impl TriangleFlags {
    /// First point.
    pub const P1: Self = Self(1);
    /// Second point.
    pub const P2: Self = Self(2);
    /// Third point.
    pub const P3: Self = Self(4);
    /// Edge from the second to the third point, opposite to the first.
    pub const E23: Self = Self(8);
    /// Edge from the third to the first point, opposite to the second.
    pub const E31: Self = Self(16);
    /// Edge from the first to the second point, opposite to the third.
    pub const E12: Self = Self(32);

    /// Whether all of `flags` are set.
    #[inline]
    pub const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Both together.
    #[inline]
    pub const fn and(self, flags: Self) -> Self {
        Self(self.0 | flags.0)
    }
}

/// The flags of each triangle.
///
/// **Source:** as SOFA's `TriangleCollisionModel`: the owner is the first triangle in the list around the point or edge.
pub fn triangle_flags(n_points: usize, edges: &[[u32; 2]], triangles: &[[u32; 3]]) -> Vec<TriangleFlags> {
    const POINTS: [TriangleFlags; 3] = [TriangleFlags::P1, TriangleFlags::P2, TriangleFlags::P3];
    const EDGES: [TriangleFlags; 3] = [TriangleFlags::E23, TriangleFlags::E31, TriangleFlags::E12];
    let in_triangle = edges_in_elements(edges, triangles, &EDGES_IN_TRIANGLE);
    let around_point = elements_around_point(n_points, triangles);
    let around_edge = triangles_around_edge(edges, triangles, &in_triangle);
    let flags_of = |i: usize| {
        let mut flags = TriangleFlags::default();
        for k in 0..3 {
            if around_point.of(triangles[i][k] as usize)[0] == i as u32 {
                flags = flags.and(POINTS[k]);
            }
            let edge = in_triangle[i][k];
            if edge != NO_EDGE && around_edge.of(edge as usize)[0] == i as u32 {
                flags = flags.and(EDGES[k]);
            }
        }
        flags
    };
    (0..triangles.len()).map(flags_of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::derive::{EDGES_IN_TETRAHEDRON, edges_from_surface};
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    #[test]
    fn every_point_and_edge_of_a_closed_mesh_has_one_owner() {
        let edges = edges_from_surface(&TETRAHEDRON, &[]);
        let flags = triangle_flags(4, &edges, &TETRAHEDRON);
        let count = |which: &[TriangleFlags]| -> usize {
            flags.iter().map(|f| which.iter().filter(|w| f.has(**w)).count()).sum()
        };
        assert_eq!(count(&[TriangleFlags::P1, TriangleFlags::P2, TriangleFlags::P3]), 4);
        assert_eq!(count(&[TriangleFlags::E12, TriangleFlags::E23, TriangleFlags::E31]), 6);
        // Consistently oriented and with generated edges, the owner is the lowest triangle.
        assert!(flags[0].has(TriangleFlags::P1.and(TriangleFlags::P2).and(TriangleFlags::P3)));
        assert!(flags[0].has(TriangleFlags::E12.and(TriangleFlags::E23).and(TriangleFlags::E31)));
        assert_eq!(flags[3], TriangleFlags::default());
    }

    #[test]
    fn a_triangle_along_the_edge_comes_before_earlier_ones() {
        let triangles = [[0, 1, 2], [1, 0, 3], [1, 0, 4]];
        let edges = [[1, 0]];
        let in_triangle = edges_in_elements(&edges, &triangles, &EDGES_IN_TRIANGLE);
        assert_eq!(in_triangle[0], [NO_EDGE, NO_EDGE, 0]);
        assert_eq!(triangles_around_edge(&edges, &triangles, &in_triangle).of(0), [2, 1, 0]);
        let flags = triangle_flags(5, &edges, &triangles);
        assert!(flags[2].has(TriangleFlags::E12) && !flags[0].has(TriangleFlags::E12));
    }

    #[test]
    fn elements_around_a_point_ascend() {
        let around = elements_around_point(5, &TETRAHEDRON);
        assert_eq!(
            (around.len(), around.of(0), around.of(3), around.of(4)),
            (5, &[0, 1, 2][..], &[1, 2, 3][..], &[][..])
        );
    }

    #[test]
    fn edges_of_a_tetrahedron_are_found_in_either_direction() {
        let edges = [[1, 0], [3, 2]];
        let found = edges_in_elements(&edges, &[[0, 1, 2, 3]], &EDGES_IN_TETRAHEDRON);
        assert_eq!(found, [[0, NO_EDGE, NO_EDGE, NO_EDGE, NO_EDGE, 1]]);
    }
}
