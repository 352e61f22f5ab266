//! Elements derived from other elements: edges of triangles, faces of tetrahedra, and so on, in SOFA's order.
//!
//! Everything is sorted, nothing hashed: results depend on the input only, in O(n log n).

use sim_core::topology::Topology;

use super::{MAX_POINTS, TopologyError};

/// Local node pairs of a triangle's edges; edge j lies opposite to node j.
pub const EDGES_IN_TRIANGLE: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
/// Local node pairs of a quad's edges.
pub const EDGES_IN_QUAD: [[usize; 2]; 4] = [[1, 2], [2, 3], [3, 0], [0, 1]];
/// Local node pairs of a tetrahedron's edges.
pub const EDGES_IN_TETRAHEDRON: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// Local node pairs of a hexahedron's edges.
pub const EDGES_IN_HEXAHEDRON: [[usize; 2]; 12] =
    [[0, 1], [0, 3], [0, 4], [1, 2], [1, 5], [2, 3], [2, 6], [3, 7], [4, 5], [4, 7], [5, 6], [6, 7]];
/// Local nodes of a tetrahedron's faces, outward for a positive volume; face j lies opposite to node j.
pub const FACES_OF_TETRAHEDRON: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [1, 3, 0], [0, 2, 1]];
/// Local nodes of a hexahedron's faces, outward for a positive volume.
pub const FACES_OF_HEXAHEDRON: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
/// Local nodes of six tetrahedra of which a hexahedron consists.
pub const TETRAHEDRA_IN_HEXAHEDRON: [[usize; 4]; 6] =
    [[0, 5, 1, 6], [0, 1, 3, 6], [1, 3, 6, 2], [6, 3, 0, 7], [6, 7, 0, 5], [7, 5, 4, 0]];

/// The nodes of an element in ascending order: equal for elements on the same nodes, however oriented.
pub fn sorted<const N: usize>(mut nodes: [u32; N]) -> [u32; N] {
    nodes.sort_unstable();
    nodes
}

/// For each key, the position of the first key equal to it (its own, if there is none before).
pub fn first_equal<K: Ord + Copy>(keys: &[K]) -> Vec<u32> {
    let mut order: Vec<(K, u32)> = keys.iter().zip(0..).map(|(k, i)| (*k, i)).collect();
    order.sort_unstable();
    let mut first = vec![0; keys.len()];
    for run in order.chunk_by(|a, b| a.0 == b.0) {
        for (_, i) in run {
            first[*i as usize] = run[0].1;
        }
    }
    first
}

/// The elements of `candidates` that have a set of nodes which neither `given` nor an earlier candidate has.
pub fn missing<const N: usize>(given: &[[u32; N]], candidates: &[[u32; N]]) -> Vec<[u32; N]> {
    let keys: Vec<[u32; N]> = given.iter().chain(candidates).map(|e| sorted(*e)).collect();
    let first = first_equal(&keys);
    candidates
        .iter()
        .zip(given.len()..)
        .filter(|(_, i)| first[*i] as usize == *i)
        .map(|(candidate, _)| *candidate)
        .collect()
}

/// The sub-elements of `elements` given by local nodes, element by element.
pub fn parts<const N: usize, const M: usize, const P: usize>(
    elements: &[[u32; N]],
    local: &[[usize; M]; P],
) -> Vec<[u32; M]> {
    elements.iter().flat_map(|e| local.iter().map(|nodes| nodes.map(|k| e[k]))).collect()
}

/// Those of `faces` that belong to exactly one of `elements`, in their order; `local` are the local nodes of an element's faces.
pub(super) fn on_one_border<const N: usize, const M: usize, const P: usize>(
    faces: &[[u32; M]],
    elements: &[[u32; N]],
    local: &[[usize; M]; P],
) -> Vec<[u32; M]> {
    let of_elements = parts(elements, local);
    let keys: Vec<[u32; M]> = faces.iter().chain(&of_elements).map(|f| sorted(*f)).collect();
    let first = first_equal(&keys);
    let mut around = vec![0_u32; keys.len()];
    first[faces.len()..].iter().for_each(|f| around[*f as usize] += 1);
    faces.iter().zip(&around).filter(|(_, around)| **around == 1).map(|(face, _)| *face).collect()
}

/// Edges of the tetrahedra, then of the hexahedra, smaller index first.
pub fn edges_from_volume(tetrahedra: &[[u32; 4]], hexahedra: &[[u32; 8]]) -> Vec<[u32; 2]> {
    let mut candidates = parts(tetrahedra, &EDGES_IN_TETRAHEDRON);
    candidates.extend(parts(hexahedra, &EDGES_IN_HEXAHEDRON));
    candidates.iter_mut().for_each(|e| *e = sorted(*e));
    missing(&[], &candidates)
}

/// Edges of the triangles, oriented as in the first triangle that has them, then of the quads, smaller index first.
pub fn edges_from_surface(triangles: &[[u32; 3]], quads: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let mut candidates = parts(triangles, &EDGES_IN_TRIANGLE);
    candidates.extend(parts(quads, &EDGES_IN_QUAD).into_iter().map(sorted));
    missing(&[], &candidates)
}

/// All faces of the tetrahedra, inner ones once, smallest index first.
///
/// **Source:** as SOFA, which skips a face only if it is there in the *opposite* orientation: a face that two
/// tetrahedra of opposite signs share is kept twice.
pub fn triangles_from_tetrahedra(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let faces: Vec<[u32; 3]> =
        parts(tetrahedra, &FACES_OF_TETRAHEDRON).into_iter().map(smallest_first).collect();
    let keys: Vec<[u32; 3]> = faces.iter().map(|f| sorted(*f)).collect();
    let first = first_equal(&keys);
    let kept = |(face, first): (&[u32; 3], &u32)| (*face == faces[*first as usize]).then_some(*face);
    faces.iter().zip(&first).filter_map(kept).collect()
}

/// All faces of the hexahedra, inner ones once, smallest index first.
pub fn quads_from_hexahedra(hexahedra: &[[u32; 8]]) -> Vec<[u32; 4]> {
    let faces: Vec<[u32; 4]> =
        parts(hexahedra, &FACES_OF_HEXAHEDRON).into_iter().map(smallest_first).collect();
    missing(&[], &faces)
}

/// The same face, rotated until its smallest node comes first.
fn smallest_first<const N: usize>(mut face: [u32; N]) -> [u32; N] {
    let smallest = (0..N).min_by_key(|i| face[*i]).unwrap_or(0);
    face.rotate_left(smallest);
    face
}

/// Fills in the edges, triangles and quads that were not given.
pub(super) fn complete(topology: &mut Topology) {
    let t = topology;
    if t.triangles.is_empty() {
        t.triangles = triangles_from_tetrahedra(&t.tetrahedra);
    }
    if t.quads.is_empty() {
        t.quads = quads_from_hexahedra(&t.hexahedra);
    }
    if t.edges.is_empty() {
        t.edges = if t.tetrahedra.is_empty() && t.hexahedra.is_empty() {
            edges_from_surface(&t.triangles, &t.quads)
        } else {
            edges_from_volume(&t.tetrahedra, &t.hexahedra)
        };
    }
}

/// Sets the number of points from the positions, else from the largest index, and checks every index against it.
pub(super) fn count_and_check(topology: &mut Topology) -> Result<(), TopologyError> {
    let t = topology;
    if t.points.iter().flatten().any(|c| !c.is_finite()) {
        return Err(TopologyError::NotFinite { attribute: "position" });
    }
    if !t.points.is_empty() {
        t.n_points = t.points.len();
    } else if t.n_points == 0 {
        let largest = [
            t.edges.as_flattened().iter().max(),
            t.triangles.as_flattened().iter().max(),
            t.quads.as_flattened().iter().max(),
            t.tetrahedra.as_flattened().iter().max(),
            t.hexahedra.as_flattened().iter().max(),
            t.prisms.as_flattened().iter().max(),
            t.pyramids.as_flattened().iter().max(),
        ];
        t.n_points = largest.into_iter().flatten().max().map_or(0, |i| *i as usize + 1);
    }
    if t.n_points > MAX_POINTS {
        return Err(TopologyError::TooManyPoints { n_points: t.n_points as u128, limit: MAX_POINTS });
    }
    check_indices("edge", &t.edges, t.n_points)?;
    check_indices("triangle", &t.triangles, t.n_points)?;
    check_indices("quad", &t.quads, t.n_points)?;
    check_indices("tetrahedron", &t.tetrahedra, t.n_points)?;
    check_indices("hexahedron", &t.hexahedra, t.n_points)?;
    check_indices("prism", &t.prisms, t.n_points)?;
    check_indices("pyramid", &t.pyramids, t.n_points)
}

fn check_indices<const N: usize>(
    kind: &'static str,
    elements: &[[u32; N]],
    n_points: usize,
) -> Result<(), TopologyError> {
    match elements.as_flattened().iter().position(|i| *i as usize >= n_points) {
        None => Ok(()),
        Some(at) => {
            let index = elements.as_flattened()[at];
            Err(TopologyError::IndexOutOfRange { kind, element: at / N, index, n_points })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_triangles_keep_their_first_orientation() {
        let edges = edges_from_surface(&[[0, 1, 2], [2, 1, 3]], &[]);
        assert_eq!(edges, [[1, 2], [2, 0], [0, 1], [1, 3], [3, 2]]);
    }

    #[test]
    fn edges_of_quads_have_the_smaller_index_first() {
        assert_eq!(edges_from_surface(&[], &[[3, 2, 1, 0]]), [[1, 2], [0, 1], [0, 3], [2, 3]]);
    }

    #[test]
    fn edges_of_volumes_come_in_element_order() {
        let edges = edges_from_volume(&[[3, 1, 2, 0]], &[[0, 1, 2, 3, 4, 5, 6, 7]]);
        assert_eq!(edges[..6], [[1, 3], [2, 3], [0, 3], [1, 2], [0, 1], [0, 2]]);
        // Of the cube's twelve edges, 01, 03, 12 and 23 are there already.
        assert_eq!(edges[6..], [[0, 4], [1, 5], [2, 6], [3, 7], [4, 5], [4, 7], [5, 6], [6, 7]]);
    }

    #[test]
    fn an_inner_face_comes_once() {
        let triangles = triangles_from_tetrahedra(&[[0, 1, 2, 3], [1, 2, 3, 4]]);
        assert_eq!(triangles, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1], [2, 3, 4], [1, 4, 3], [1, 2, 4]]);
    }

    #[test]
    fn a_face_between_tetrahedra_of_opposite_signs_comes_twice() {
        let triangles = triangles_from_tetrahedra(&[[0, 1, 2, 3], [4, 1, 2, 3]]);
        assert_eq!(triangles.iter().filter(|t| **t == [1, 2, 3]).count(), 2);
    }

    #[test]
    fn two_cubes_have_eleven_quads() {
        let quads = quads_from_hexahedra(&[[0, 1, 4, 3, 6, 7, 10, 9], [1, 2, 5, 4, 7, 8, 11, 10]]);
        assert_eq!(quads.len(), 11);
        assert_eq!(quads[0], [0, 3, 4, 1]);
    }

    #[test]
    fn first_equal_points_at_the_first() {
        assert_eq!(first_equal(&[[1, 2], [0, 1], [1, 2], [0, 1]]), [0, 1, 0, 1]);
    }
}
