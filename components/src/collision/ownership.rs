//! Which triangle owns a vertex or an edge that it shares with others, so that a contact there is reported once.
//!
//! **Source:** as SOFA's TriangleCollisionModel: the first triangle in the list around a vertex; the first in the list around an edge,
//! in which triangles that run along the edge as it is stored are inserted at the front and all others appended.

use super::element::Element;

const VERTEX: [u32; 3] = [Element::VERTEX_1, Element::VERTEX_2, Element::VERTEX_3];
/// Flag and local ends of the edge opposite to each vertex.
const EDGE: [(u32, usize, usize); 3] =
    [(Element::EDGE_23, 1, 2), (Element::EDGE_31, 2, 0), (Element::EDGE_12, 0, 1)];

/// One use of an edge by a triangle.
struct Use {
    ends: [u32; 2],
    /// The triangle runs along the edge as it is stored.
    agrees: bool,
    triangle: u32,
    flag: u32,
}

/// Sets the ownership flags of triangles; `edges` are the topology's, whose orientation counts.
///
/// An edge that the topology lacks is taken to be stored as its first triangle runs.
pub(super) fn set_flags(triangles: &mut [Element], edges: &[[u32; 2]], n_points: usize) {
    let mut seen = vec![false; n_points];
    for t in triangles.iter_mut() {
        for (vertex, flag) in t.vertices.iter().zip(VERTEX) {
            if !std::mem::replace(&mut seen[*vertex as usize], true) {
                t.flags |= flag;
            }
        }
    }
    let mut stored: Vec<[u32; 2]> = edges.to_vec();
    // A stable sort: of an edge that is stored twice the first counts.
    stored.sort_by_key(|&e| sorted(e));
    let mut uses = Vec::with_capacity(3 * triangles.len());
    for (i, t) in triangles.iter().enumerate() {
        for (flag, from, to) in EDGE {
            let run = [t.vertices[from], t.vertices[to]];
            let first = stored.partition_point(|&e| sorted(e) < sorted(run));
            let agrees = match stored.get(first) {
                Some(&e) if sorted(e) == sorted(run) => e == run,
                _ => false,
            };
            uses.push(Use { ends: sorted(run), agrees, triangle: i as u32, flag });
        }
    }
    uses.sort_by_key(|u| (u.ends, u.triangle));
    for around in uses.chunk_by(|a, b| a.ends == b.ends) {
        // Insertion at the front: the last of those that agree comes first.
        let owner = around.iter().rev().find(|u| u.agrees).unwrap_or(&around[0]);
        triangles[owner.triangle as usize].flags |= owner.flag;
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(triangles: &[[u32; 3]], edges: &[[u32; 2]]) -> Vec<u32> {
        let mut e: Vec<Element> = triangles.iter().map(|&vertices| Element { vertices, flags: 0 }).collect();
        set_flags(&mut e, edges, 10);
        e.iter().map(|t| t.flags).collect()
    }

    #[test]
    fn the_lowest_triangle_owns_what_a_consistent_mesh_shares() {
        // Two triangles on the edge (1, 2), stored as the first one runs.
        let f = flags(&[[0, 1, 2], [2, 1, 3]], &[[1, 2], [2, 0], [0, 1], [1, 3], [3, 2]]);
        assert_eq!(f[0], 63);
        assert_eq!(f[1], Element::VERTEX_3 | Element::EDGE_23 | Element::EDGE_31);
    }

    #[test]
    fn a_triangle_that_runs_along_the_stored_edge_goes_before() {
        let f = flags(&[[0, 1, 2], [2, 1, 3]], &[[2, 1], [2, 0], [0, 1], [1, 3], [3, 2]]);
        assert_eq!(f[0] & Element::EDGE_23, 0);
        assert_ne!(f[1] & Element::EDGE_12, 0);
    }

    #[test]
    fn every_vertex_and_edge_has_one_owner() {
        let f = flags(&[[0, 1, 2], [2, 1, 3], [1, 2, 4]], &[]);
        let count = f.iter().map(|f| f.count_ones()).sum::<u32>();
        assert_eq!(count, 5 + 7);
    }
}
