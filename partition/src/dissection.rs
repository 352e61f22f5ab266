//! Nested dissection of a graph: METIS cuts it in two, again and again, and what lies between the halves is taken out.
//!
//! A matrix is eliminated well in this order: there is little fill, and halves do not need each other.
//!
//! **Source:** George, Nested dissection of a regular finite element mesh, 1973. What separates the halves of a cut is the least vertex cover
//! of the edges between them, found from their largest matching: König, Gráfok és mátrixok, 1931.

use std::collections::VecDeque;
use std::sync::PoisonError;

use metis::option::{Seed, UFactor};
use metis::{Graph, Idx};

use crate::metis::ONE_AT_A_TIME;

/// How much heavier than the mean a half may be [1/1000].
const IMBALANCE: Idx = 50;
/// No vertex.
const NONE: u32 = u32::MAX;

/// A graph whose vertices have weights.
#[derive(Clone, Copy, Debug)]
pub struct WeightedGraph<'a> {
    /// First of each vertex' neighbors, and the end of the last one's.
    pub first: &'a [u32],
    /// The neighbors; each vertex is a neighbor of its neighbors, and none of itself.
    pub neighbors: &'a [u32],
    /// The weight of each vertex.
    pub weights: &'a [u32],
}

impl WeightedGraph<'_> {
    fn neighbors_of(&self, vertex: u32) -> &[u32] {
        &self.neighbors[self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize]
    }

    fn weight(&self, vertices: &[u32]) -> u64 {
        vertices.iter().map(|v| u64::from(self.weights[*v as usize])).sum()
    }
}

/// What is left to do.
enum Left {
    /// Vertices to cut.
    Cut(Vec<u32>),
    /// Vertices between two halves that come before them.
    Take(Vec<u32>),
}

/// Deals vertices out to groups, in the order of elimination: both halves of a cut, then what separates them. What weighs less than `least`
/// is not cut.
///
/// The result is a function of the arguments alone.
pub fn dissect(graph: WeightedGraph<'_>, least: u64) -> Vec<Vec<u32>> {
    let n = graph.weights.len() as u32;
    let (mut groups, mut left) = (Vec::new(), vec![Left::Cut((0..n).collect())]);
    let mut dissection = Dissection { graph, place: vec![NONE; n as usize] };
    while let Some(next) = left.pop() {
        match next {
            Left::Take(vertices) => groups.push(vertices),
            Left::Cut(vertices) if graph.weight(&vertices) < least => groups.push(vertices),
            Left::Cut(vertices) => match dissection.cut(&vertices) {
                // Where nearly all separates what is left, nothing is gained.
                Some([a, b, between]) if between.len() < a.len().min(b.len()) => {
                    left.extend([Left::Take(between), Left::Cut(b), Left::Cut(a)]);
                }
                _ => groups.push(vertices),
            },
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

struct Dissection<'a> {
    graph: WeightedGraph<'a>,
    /// Of each vertex, where it is among those that are cut.
    place: Vec<u32>,
}

impl Dissection<'_> {
    /// Both halves of some vertices, and what separates them; nothing if METIS cannot cut them.
    fn cut(&mut self, vertices: &[u32]) -> Option<[Vec<u32>; 3]> {
        for (place, vertex) in (0_u32..).zip(vertices) {
            self.place[*vertex as usize] = place;
        }
        let (mut first, mut neighbors) = (vec![0 as Idx], Vec::new());
        for vertex in vertices {
            let places = self.graph.neighbors_of(*vertex).iter().map(|v| self.place[*v as usize]);
            neighbors.extend(places.filter(|place| *place != NONE).map(|place| place as Idx));
            first.push(neighbors.len() as Idx);
        }
        vertices.iter().for_each(|v| self.place[*v as usize] = NONE);
        let weights: Vec<Idx> = vertices.iter().map(|v| self.graph.weights[*v as usize] as Idx).collect();
        let half = in_two(&first, &neighbors, &weights)?;
        let neighbors_of =
            |v: usize| neighbors[first[v] as usize..first[v + 1] as usize].iter().map(|w| *w as usize);
        let separates = separator(&half, neighbors_of);
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        for (place, vertex) in vertices.iter().enumerate() {
            parts[if separates[place] { 2 } else { half[place] as usize }].push(*vertex);
        }
        Some(parts)
    }
}

/// METIS's halves of a graph.
fn in_two(first: &[Idx], neighbors: &[Idx], weights: &[Idx]) -> Option<Vec<Idx>> {
    let mut half = vec![0 as Idx; weights.len()];
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let graph = Graph::new(1, 2, first, neighbors).ok()?.set_vwgt(weights);
    graph.set_option(Seed(1)).set_option(UFactor(IMBALANCE)).part_recursive(&mut half).ok()?;
    Some(half)
}

/// The fewest vertices without which no edge leads from one half to the other.
fn separator<I: Iterator<Item = usize>>(half: &[Idx], neighbors_of: impl Fn(usize) -> I) -> Vec<bool> {
    let across = |v: usize| neighbors_of(v).filter(move |w| half[*w] != half[v]);
    let on_border: Vec<usize> =
        (0..half.len()).filter(|v| half[*v] == 0 && across(*v).next().is_some()).collect();
    // The matching: of each vertex, the one on the other side.
    let mut partner = vec![usize::MAX; half.len()];
    for v in &on_border {
        if let Some(w) = across(*v).find(|w| partner[*w] == usize::MAX) {
            (partner[*v], partner[w]) = (w, *v);
        }
    }
    // From where a vertex of the other side was reached, in which search.
    let (mut from, mut search) = (vec![usize::MAX; half.len()], vec![usize::MAX; half.len()]);
    let mut open = VecDeque::new();
    for start in &on_border {
        if partner[*start] != usize::MAX {
            continue;
        }
        open.clear();
        open.push_back(*start);
        let end = 'found: loop {
            let Some(v) = open.pop_front() else { break None };
            for w in across(v) {
                if search[w] != *start {
                    (search[w], from[w]) = (*start, v);
                    if partner[w] == usize::MAX {
                        break 'found Some(w);
                    }
                    open.push_back(partner[w]);
                }
            }
        };
        let mut end = end.unwrap_or(usize::MAX);
        while end != usize::MAX {
            let v = from[end];
            let next = std::mem::replace(&mut partner[v], end);
            partner[end] = v;
            end = next;
        }
    }
    // What alternating paths from vertices without a partner reach.
    let mut reached = vec![false; half.len()];
    open.clear();
    open.extend(on_border.iter().filter(|v| partner[**v] == usize::MAX));
    open.iter().for_each(|v| reached[*v] = true);
    while let Some(v) = open.pop_front() {
        for w in across(v) {
            if !std::mem::replace(&mut reached[w], true) {
                reached[partner[w]] = true;
                open.push_back(partner[w]);
            }
        }
    }
    let mut separates = vec![false; half.len()];
    for v in on_border {
        separates[v] = !reached[v];
        across(v).for_each(|w| separates[w] = reached[w]);
    }
    separates
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    /// The graph of some edges.
    fn graph_of(n: u32, edges: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
        let mut pairs: Vec<(u32, u32)> = edges.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).collect();
        pairs.retain(|(a, b)| a != b);
        pairs.sort_unstable();
        pairs.dedup();
        let first = (0..=n).map(|v| pairs.partition_point(|(a, _)| *a < v) as u32).collect();
        (first, pairs.into_iter().map(|(_, b)| b).collect())
    }

    /// Asserts that each vertex is in one group and that what separates two groups comes after them: eliminated in this order, a
    /// group reaches earlier vertices only of its own halves.
    fn check(n: u32, edges: &[(u32, u32)], least: u64) -> Vec<Vec<u32>> {
        let (first, neighbors) = graph_of(n, edges);
        let graph = WeightedGraph { first: &first, neighbors: &neighbors, weights: &vec![1; n as usize] };
        let groups = dissect(graph, least);
        let mut all: Vec<u32> = groups.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..n).collect::<Vec<_>>());
        assert_eq!(groups, dissect(graph, least));
        groups
    }

    /// The edges of a grid.
    fn grid(nx: u32, ny: u32) -> Vec<(u32, u32)> {
        let at = |x: u32, y: u32| x + nx * y;
        let right = (0..ny).flat_map(|y| (1..nx).map(move |x| (at(x - 1, y), at(x, y))));
        let up = (1..ny).flat_map(|y| (0..nx).map(move |x| (at(x, y - 1), at(x, y))));
        right.chain(up).collect()
    }

    #[test]
    fn a_strip_falls_apart_where_it_is_narrow() {
        let edges = grid(5, 40);
        let groups = check(200, &edges, 101);
        let [a, b, between] = &groups[..] else { panic!("{} groups", groups.len()) };
        assert_eq!(between.len(), 5);
        assert!(a.len().abs_diff(b.len()) <= 15, "{} and {}", a.len(), b.len());
        let is_across =
            |(v, w): &(u32, u32)| a.contains(v) && b.contains(w) || a.contains(w) && b.contains(v);
        assert!(!edges.iter().any(is_across));
    }

    #[test]
    fn what_does_not_hang_together_has_nothing_between() {
        let mut edges = grid(4, 4);
        edges.extend(grid(4, 4).iter().map(|(a, b)| (a + 16, b + 16)));
        let groups = check(32, &edges, 17);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [16, 16]);
    }

    #[test]
    fn what_cannot_be_separated_stays_together() {
        let edges: Vec<(u32, u32)> = (0..30).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        assert_eq!(check(30, &edges, 4).len(), 1);
        assert!(check(0, &[], 4).is_empty());
        assert_eq!(check(1, &[], 0), [[0]]);
    }

    proptest! {
        #[test]
        fn halves_do_not_touch(n in 1..60_u32, pairs in prop::collection::vec((0..60_u32, 0..60_u32), 0..120)) {
            let edges: Vec<(u32, u32)> = pairs.into_iter().map(|(a, b)| (a % n, b % n)).collect();
            // One cut alone: two groups or three, of which the first two do not touch.
            let groups = check(n, &edges, u64::from(n) / 2 + 2);
            if let [a, b, _] = &groups[..] {
                prop_assert!(edges.iter().all(|(v, w)| !(a.contains(v) && b.contains(w) || a.contains(w) && b.contains(v))));
            }
            check(n, &edges, 5);
        }
    }
}
