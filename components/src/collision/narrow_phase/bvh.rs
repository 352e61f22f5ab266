//! The walk through two bounding trees, in the order of SOFA's `BVHNarrowPhase`.
//!
//! That order is a function of the two trees' shapes alone: leaving out pairs of boxes that cannot yield a contact moves no output.
//! Hence the ranges of a work item are first thinned by the boxes above them, which SOFA does not do.

use sim_core::math::lane::{Lane, LaneKernel, dispatch, fetch, run_plain};

use super::SelfFilter;
use super::element_pair::ElementPair;
use crate::collision::{Aabb, List, ModelView, TreeNode};

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
    pub fn each_leaf(&self, work: &mut impl List<Work>, test: impl FnMut(u32, u32)) {
        run_plain(Traversal { walk: self, work, pairs: &mut Called(test) });
    }

    /// Gives each pair of leaves whose boxes are near and that the filter allows to `pairs`.
    pub fn each_pair(&self, work: &mut impl List<Work>, pairs: &mut impl LeafPairs) {
        dispatch(Traversal { walk: self, work, pairs });
    }

    /// Whether the walk tests two leaves.
    #[inline]
    pub fn are_near(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.first.tree[a as usize].bounds, &self.second.tree[b as usize].bounds);
        a.grown(self.margin).is_near(b, 0.0)
    }
}

/// What takes the pairs of leaves that a walk finds.
pub(super) trait LeafPairs {
    /// Takes two leaves, by their places in the trees; must be `#[inline(always)]`. `reach` is the box of the first one, grown by the
    /// margin.
    fn take<L: Lane>(&mut self, a: u32, b: u32, reach: [L::Corner; 2]);
}

/// Calls a function.
struct Called<F>(F);

impl<F: FnMut(u32, u32)> LeafPairs for Called<F> {
    #[inline(always)]
    fn take<L: Lane>(&mut self, a: u32, b: u32, _: [L::Corner; 2]) {
        self.0(a, b);
    }
}

/// The corners of a box.
#[inline(always)]
pub(super) fn corners<L: Lane>(b: &Aabb) -> [L::Corner; 2] {
    [L::corner(&b.min), L::corner(&b.max)]
}

/// The corners of a box grown by `margin` on each side.
#[inline(always)]
pub(super) fn grown<L: Lane>(b: &Aabb, margin: f64) -> [L::Corner; 2] {
    [L::shifted(L::corner(&b.min), -margin), L::shifted(L::corner(&b.max), margin)]
}

/// How many siblings are looked at together at most.
const TOGETHER: usize = 64;

/// Gives each pair of leaves, by their places in the trees, whose boxes are at most a margin apart along each axis to `pairs`.
///
/// **Source:** as SOFA's BVHNarrowPhase: a last-in-first-out list of ranges, from the children of both roots; within a range the first
/// model's boxes in the outer loop; leaves are tested at once, anything else is put on the list.
struct Traversal<'a, W, P> {
    walk: &'a Walk<'a>,
    work: &'a mut W,
    pairs: &'a mut P,
}

impl<W: List<Work>, P: LeafPairs> LaneKernel for Traversal<'_, W, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { walk, work, pairs } = self;
        let (tree_a, tree_b, filter) = (walk.first.tree, walk.second.tree, walk.filter);
        work.clear();
        work.push(Work { a: Siblings::children(tree_a, 0), b: Siblings::children(tree_b, 0) });
        while let Some(Work { a, b }) = work.pop() {
            let above_a = grown::<L>(&tree_a[a.above as usize].bounds, walk.margin);
            let above_b = corners::<L>(&tree_b[b.above as usize].bounds);
            let all_b = &tree_b[b.first as usize..][..b.count as usize];
            // Which of the second model's siblings are near the box above all of the first model's; of more than fit, none is left out.
            let thins = a.count > 2 && all_b.len() <= TOGETHER;
            let near_all = if thins { near::<L>(above_a, all_b, u64::MAX) } else { u64::MAX };
            for i in a.range() {
                let node_a = &tree_a[i as usize];
                let reach = grown::<L>(&node_a.bounds, walk.margin);
                if !L::meet(reach, above_b) {
                    continue;
                }
                let mut start = 0;
                while start < all_b.len() {
                    let several = &all_b[start..all_b.len().min(start + TOGETHER)];
                    let mut left = near::<L>(reach, several, near_all);
                    while left != 0 {
                        let place = start + left.trailing_zeros() as usize;
                        left &= left - 1;
                        let j = b.first + place as u32;
                        match (node_a.is_leaf(), all_b[place].is_leaf()) {
                            (true, true) => {
                                if filter.allows(node_a.first, all_b[place].first) {
                                    pairs.take::<L>(i, j, reach);
                                }
                            }
                            (is_leaf_a, is_leaf_b) => {
                                let a = siblings(tree_a, i, is_leaf_a);
                                let b = siblings(tree_b, j, is_leaf_b);
                                work.push(Work { a, b });
                            }
                        }
                    }
                    start += TOGETHER;
                }
            }
        }
    }
}

/// A leaf alone, or a cell's children, which are fetched from memory.
#[inline(always)]
fn siblings(tree: &[TreeNode], node: u32, is_leaf: bool) -> Siblings {
    if is_leaf {
        return Siblings::one(node);
    }
    let children = Siblings::children(tree, node);
    fetch(tree, children.first as usize);
    fetch(tree, children.first as usize + 1);
    children
}

/// Those of the bits of `candidates` whose nodes meet a box; bit `k` stands for node `k`.
#[inline(always)]
fn near<L: Lane>(reach: [L::Corner; 2], nodes: &[TreeNode], candidates: u64) -> u64 {
    let mut left = candidates & (u64::MAX >> (TOGETHER - nodes.len().clamp(1, TOGETHER)));
    let mut near = 0;
    while left != 0 {
        let k = left.trailing_zeros();
        near |= u64::from(L::meet(reach, corners::<L>(&nodes[k as usize].bounds))) << k;
        left &= left - 1;
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::bounding_tree;
    use crate::collision::test_meshes::{self, Body};
    use crate::collision::{CollisionModel, Positions};
    use proptest::prelude::*;
    use sim_core::math::Vec3;
    use sim_core::math::lane::{Instructions, dispatch_with};

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

    /// What the walk finds, the same with all instruction sets.
    fn walk(a: &[TreeNode], b: &[TreeNode], margin: f64) -> Vec<(u32, u32)> {
        let point = CollisionModel::points(1);
        let view = |tree| point.view(Positions::Points(&[]), tree, 0.0);
        let (first, second) = (&view(a), &view(b));
        let walk = Walk { first, second, filter: &SelfFilter::NONE, margin, candidates: None };
        let mut found = Vec::new();
        for instructions in Instructions::available() {
            let (mut out, work) = (Vec::new(), &mut Vec::new());
            let pairs = &mut Called(|m, n| out.push((a[m as usize].first, b[n as usize].first)));
            dispatch_with(instructions, Traversal { walk: &walk, work, pairs });
            found.push(out);
        }
        assert!(found.windows(2).all(|w| w[0] == w[1]));
        found.pop().unwrap()
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
