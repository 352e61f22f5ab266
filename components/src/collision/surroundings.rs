//! The triangles and edges of a topology around each element of a model, in one flat array.

use std::collections::BTreeMap;

use sim_core::topology::Topology;

use super::element::Element;

/// Stands in place of the third vertex of an edge.
const EDGE: u32 = u32::MAX;

/// What lies around each line or point of a model: offsets, shape `[n + 1]`, followed by records of three vertices.
///
/// Around a line between two triangles stand the right one and the left one, which runs along the line from its first to its second
/// end; around any other line, nothing. Around a point stand its triangles and then its edges, ascending. A model of triangles has what
/// stands around the points of its state. An empty array stands for a model about whose surroundings nothing is known.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a>(pub &'a [u32]);

impl<'a> Surroundings<'a> {
    /// Nothing is known.
    pub const UNKNOWN: Surroundings<'static> = Surroundings(&[]);

    /// Whether nothing is known.
    #[inline]
    pub fn are_unknown(&self) -> bool {
        self.0.is_empty()
    }

    fn records(&self, i: u32) -> impl Iterator<Item = [u32; 3]> + 'a {
        let at = |k: usize| self.0.get(k).map_or(0, |v| *v as usize);
        let all = self.0.get(at(i as usize)..at(i as usize + 1)).unwrap_or(&[]);
        all.chunks_exact(3).map(|r| [r[0], r[1], r[2]])
    }

    /// The triangles around element `i`.
    #[inline]
    pub fn triangles(&self, i: u32) -> impl Iterator<Item = [u32; 3]> + 'a {
        self.records(i).filter(|r| r[2] != EDGE)
    }

    /// The edges around element `i`.
    #[inline]
    pub fn edges(&self, i: u32) -> impl Iterator<Item = [u32; 2]> + 'a {
        self.records(i).filter(|r| r[2] == EDGE).map(|r| [r[0], r[1]])
    }

    /// The right and the left triangle of a line that has exactly two.
    #[inline]
    pub fn sides(&self, i: u32) -> Option<[[u32; 3]; 2]> {
        let mut both = self.triangles(i);
        Some([both.next()?, both.next()?])
    }
}

/// Builds the array of [`Surroundings`] of the first `n_points` points.
pub(super) fn of_points(topology: &Topology, n_points: usize) -> Vec<u32> {
    let mut around = vec![Vec::new(); n_points];
    let triangles = topology.triangles.iter().copied();
    for record in triangles.chain(topology.edges.iter().map(|e| [e[0], e[1], EDGE])) {
        for (k, v) in record.iter().enumerate() {
            if !record[..k].contains(v)
                && let Some(star) = around.get_mut(*v as usize)
            {
                star.push(record);
            }
        }
    }
    flat(&around)
}

/// Builds the array of [`Surroundings`] of the first `n_points` points, of which a model of triangles looks at its vertices' triangles.
pub(super) fn of_triangles(triangles: &[Element], n_points: usize) -> Vec<u32> {
    let mut around = vec![Vec::new(); n_points];
    for t in triangles {
        for v in t.vertices {
            if let Some(star) = around.get_mut(v as usize) {
                star.push(t.vertices);
            }
        }
    }
    flat(&around)
}

/// Builds the array of [`Surroundings`] of the edges of a topology.
///
/// **Source:** as SOFA's topologies list the triangles around an edge: those that run along it as it is stored are put at the front,
/// all others at the back. The first of two is the left one if it runs along the edge, else the right one.
pub(super) fn of_lines(lines: &[Element], topology: &Topology) -> Vec<u32> {
    let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
    let mut index = BTreeMap::new();
    for (i, l) in lines.iter().enumerate() {
        index.entry(sorted([l.vertices[0], l.vertices[1]])).or_insert(i);
    }
    let mut around: Vec<Vec<(bool, [u32; 3])>> = vec![Vec::new(); lines.len()];
    for &[a, b, c] in &topology.triangles {
        for run in [[b, c], [c, a], [a, b]] {
            let Some(&i) = index.get(&sorted(run)) else { continue };
            let agrees = lines[i].vertices[..2] == run;
            let place = if agrees { 0 } else { around[i].len() };
            around[i].insert(place, (agrees, [a, b, c]));
        }
    }
    let sides = around.iter().map(|list| match list[..] {
        [(true, left), (_, right)] | [(false, right), (_, left)] => vec![right, left],
        _ => Vec::new(),
    });
    flat(&sides.collect::<Vec<_>>())
}

fn flat(around: &[Vec<[u32; 3]>]) -> Vec<u32> {
    let mut array = vec![around.len() as u32 + 1];
    for star in around {
        let start = array[array.len() - 1];
        array.push(start + 3 * star.len() as u32);
    }
    array.extend(around.iter().flatten().flatten());
    array
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::test_meshes::with_edges;

    /// Two triangles on the edge (1, 2), and a point without elements.
    fn pair(second: [u32; 3]) -> (Topology, Vec<Element>) {
        let topology = with_edges(vec![[0, 1, 2], second], 5);
        let lines = topology.edges.iter().map(|e| Element { vertices: [e[0], e[1], e[1]], flags: 0 });
        let lines = lines.collect();
        (topology, lines)
    }

    #[test]
    fn a_line_has_sides_only_between_two_triangles() {
        let (topology, lines) = pair([2, 1, 3]);
        let array = of_lines(&lines, &topology);
        let around = Surroundings(&array);
        assert_eq!(lines[0].vertices[..2], [1, 2]);
        assert_eq!(around.sides(0), Some([[2, 1, 3], [0, 1, 2]]));
        assert!((1..lines.len() as u32).all(|i| around.sides(i).is_none()));
        assert!(around.sides(99).is_none() && Surroundings::UNKNOWN.sides(0).is_none());
    }

    #[test]
    fn a_line_stored_the_other_way_round_changes_sides() {
        let (topology, mut lines) = pair([2, 1, 3]);
        lines[0].vertices = [2, 1, 1];
        let array = of_lines(&lines, &topology);
        assert_eq!(Surroundings(&array).sides(0), Some([[0, 1, 2], [2, 1, 3]]));
    }

    #[test]
    fn of_triangles_that_run_alike_the_later_one_is_left() {
        let (topology, lines) = pair([1, 2, 3]);
        let array = of_lines(&lines, &topology);
        assert_eq!(Surroundings(&array).sides(0), Some([[0, 1, 2], [1, 2, 3]]));
    }

    #[test]
    fn a_point_has_its_triangles_and_edges() {
        let (topology, _) = pair([2, 1, 3]);
        let array = of_points(&topology, 6);
        let around = Surroundings(&array);
        assert_eq!(around.triangles(1).collect::<Vec<_>>(), [[0, 1, 2], [2, 1, 3]]);
        assert_eq!(around.edges(3).count(), 2);
        assert_eq!(around.edges(0).collect::<Vec<_>>(), [[2, 0], [0, 1]]);
        for alone in [4, 5, 6, 99] {
            assert_eq!((around.triangles(alone).count(), around.edges(alone).count()), (0, 0));
        }
    }
}
