//! The walk through two bounding trees, in the order of SOFA's `BVHNarrowPhase`.
//!
//! That order is a function of the two trees' shapes alone: leaving out pairs of boxes that cannot yield a contact moves no output.
//! Hence the ranges of a work item are first thinned by the boxes above them, which SOFA does not do.

use super::SelfFilter;
use super::element_pair::ElementPair;
use crate::collision::{List, ModelView, TreeNode};

/// Siblings of one tree, or a single node.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Siblings {
    first: u32,
    count: u32,
    /// A node whose box contains them all.
    above: u32,
}

impl Siblings {
    fn children(tree: &[TreeNode], node: u32) -> Self {
        let n = &tree[node as usize];
        Self { first: n.first, count: n.count, above: node }
    }
    fn one(node: u32) -> Self {
        Self { first: node, count: 1, above: node }
    }
    fn range(&self) -> std::ops::Range<u32> {
        self.first..self.first + self.count
    }
}

/// An item of the walk's work list: boxes of the first tree to be tested against boxes of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    a: Siblings,
    b: Siblings,
}

/// A walk through the trees of two models.
pub(super) struct Walk<'a> {
    pub first: &'a ModelView<'a>,
    pub second: &'a ModelView<'a>,
    pub filter: &'a SelfFilter<'a>,
    /// Boxes up to so far apart count as near [m].
    pub margin: f64,
    /// A list, in the order of the walk, of pairs that the filter allows: it takes the place of the trees' upper levels.
    pub candidates: Option<&'a [ElementPair]>,
}

impl Walk<'_> {
    /// Calls `test` for each pair of elements whose boxes are near and that the filter allows.
    #[inline]
    pub fn each(&self, work: &mut impl List<Work>, mut test: impl FnMut(u32, u32)) {
        let (tree_a, tree_b) = (self.first.tree, self.second.tree);
        let mut test = |a: u32, b: u32| test(tree_a[a as usize].first, tree_b[b as usize].first);
        match self.candidates {
            None => self.each_leaf(work, test),
            Some(pairs) => {
                for &ElementPair { leaves: [a, b], .. } in pairs {
                    if self.are_near(a, b) {
                        test(a, b);
                    }
                }
            }
        }
    }

    /// The same with the elements' leaves, from the trees.
    #[inline]
    pub fn each_leaf(&self, work: &mut impl List<Work>, mut test: impl FnMut(u32, u32)) {
        let (tree_a, tree_b) = (self.first.tree, self.second.tree);
        traverse(tree_a, tree_b, self.margin, work, |a, b| {
            if self.filter.allows(tree_a[a as usize].first, tree_b[b as usize].first) {
                test(a, b);
            }
        });
    }

    /// Whether the walk tests two leaves.
    #[inline]
    pub fn are_near(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.first.tree[a as usize].bounds, &self.second.tree[b as usize].bounds);
        a.grown(self.margin).is_near(b, 0.0)
    }
}

/// How many siblings are thinned at most; longer ranges (of very shallow trees) are tested one by one.
const MAX_THINNED: usize = 64;

/// Calls `test` for each pair of leaves, by their places in the trees, whose boxes are at most `margin` apart along each axis.
///
/// **Source:** as SOFA's BVHNarrowPhase: a last-in-first-out list of ranges, from the children of both roots; within a range the first
/// model's boxes in the outer loop; leaves are tested at once, anything else is put on the list.
#[inline]
fn traverse(
    tree_a: &[TreeNode],
    tree_b: &[TreeNode],
    margin: f64,
    work: &mut impl List<Work>,
    mut test: impl FnMut(u32, u32),
) {
    work.clear();
    work.push(Work { a: Siblings::children(tree_a, 0), b: Siblings::children(tree_b, 0) });
    while let Some(Work { a, b }) = work.pop() {
        let above_a = tree_a[a.above as usize].bounds.grown(margin);
        let above_b = tree_b[b.above as usize].bounds;
        let mut hit = |i: u32, j: u32| {
            let (node_a, node_b) = (&tree_a[i as usize], &tree_b[j as usize]);
            match (node_a.is_leaf(), node_b.is_leaf()) {
                (true, true) => test(i, j),
                (true, false) => work.push(Work { a: Siblings::one(i), b: Siblings::children(tree_b, j) }),
                (false, true) => work.push(Work { a: Siblings::children(tree_a, i), b: Siblings::one(j) }),
                (false, false) => {
                    work.push(Work { a: Siblings::children(tree_a, i), b: Siblings::children(tree_b, j) });
                }
            }
        };
        let all_b = &tree_b[b.first as usize..][..b.count as usize];
        // Places in `all_b` of those near the box above all of a.
        let mut near = [0u32; MAX_THINNED];
        let mut n_near = 0;
        let thin = a.count > 2 && all_b.len() <= MAX_THINNED;
        if thin {
            for (place, node) in all_b.iter().enumerate() {
                near[n_near] = place as u32;
                n_near += usize::from(above_a.is_near(&node.bounds, 0.0));
            }
        }
        for i in a.range() {
            let grown = tree_a[i as usize].bounds.grown(margin);
            if !grown.is_near(&above_b, 0.0) {
                continue;
            }
            if thin {
                for &place in &near[..n_near] {
                    if grown.is_near(&all_b[place as usize].bounds, 0.0) {
                        hit(i, b.first + place);
                    }
                }
            } else {
                for (place, node) in all_b.iter().enumerate() {
                    if grown.is_near(&node.bounds, 0.0) {
                        hit(i, b.first + place as u32);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::test_meshes::{self, Body};
    use crate::collision::{Aabb, bounding_tree};
    use crate::collision::{CollisionModel, Positions};
    use proptest::prelude::*;
    use sim_core::math::Vec3;

    /// SOFA's walk as it is written down, without thinning; box tests as given.
    fn oracle(ta: &[TreeNode], tb: &[TreeNode], margin: f64) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        let range = |t: &[TreeNode], n: usize| t[n].first as usize..(t[n].first + t[n].count) as usize;
        let mut work = vec![(range(ta, 0), range(tb, 0))];
        while let Some((ra, rb)) = work.pop() {
            for i in ra {
                for j in rb.clone() {
                    if !ta[i].bounds.is_near(&tb[j].bounds, margin) {
                        continue;
                    }
                    match (ta[i].is_leaf(), tb[j].is_leaf()) {
                        (true, true) => out.push((ta[i].first, tb[j].first)),
                        (a, b) => work.push((
                            if a { i..i + 1 } else { range(ta, i) },
                            if b { j..j + 1 } else { range(tb, j) },
                        )),
                    }
                }
            }
        }
        out
    }

    fn walk(a: &[TreeNode], b: &[TreeNode], margin: f64) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        traverse(a, b, margin, &mut Vec::new(), |m, n| out.push((a[m as usize].first, b[n as usize].first)));
        out
    }

    #[test]
    fn tori_in_the_order_of_the_plain_walk() {
        let (topology, x) = test_meshes::torus(20, 10);
        let moved: Vec<Vec3> = x.iter().map(|p| Vec3::new(p.x + 1.1, p.z, p.y)).collect();
        let model = CollisionModel::triangles(&topology, x.len()).unwrap();
        let (a, b) = (Body::new(model.clone(), x), Body::new(model, moved));
        let pairs = walk(&a.tree, &b.tree, 0.05);
        assert!(pairs.len() > 100);
        assert_eq!(pairs, oracle(&a.tree, &b.tree, 0.05));
        assert_eq!(walk(&b.tree, &a.tree, 0.05), oracle(&b.tree, &a.tree, 0.05));
    }

    proptest! {
        #[test]
        fn the_walk_finds_the_near_leaves_in_the_order_of_the_plain_walk(
            first in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 1..150),
            second in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 1..60),
            depths in (0usize..8, 0usize..8),
            margin in 0.0..0.3f64,
        ) {
            let tree = |x: &[[f64; 3]], depth| {
                let body = Body::points(x);
                bounding_tree::build(&body.model.view(Positions::Points(&body.x), &[], 0.01), depth)
            };
            let (a, b) = (tree(&first, depths.0), tree(&second, depths.1));
            let mut pairs = walk(&a, &b, margin);
            prop_assert_eq!(&pairs, &oracle(&a, &b, margin));
            pairs.sort_unstable();
            let boxed = |x: &[f64; 3]| Aabb { min: *x, max: *x }.grown(0.01);
            let mut all = Vec::new();
            for (i, p) in first.iter().enumerate() {
                all.extend(second.iter().enumerate().filter(|(_, q)| boxed(p).is_near(&boxed(q), margin)).map(|(j, _)| (i as u32, j as u32)));
            }
            prop_assert_eq!(pairs, all);
        }
    }
}
