//! Triangles against triangles from a list: vertices of one model against triangles of the other, several at a time.
//!
//! The tests are those of `new_proximity` in the same arithmetic, operation by operation, so that they have its bits. Vertices of the
//! first model and vertices of the second lie in blocks of their own, since a block reads the points of one model and the triangles
//! of the other. So do those that are farther apart, which most steps pass over. What comes near in any of them is merged by the
//! candidates' places in the list. Of what is near enough for an output
//! the boxes are asked too, as the walk through the trees would have asked them.

use sim_core::math::Vec3;
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};

use super::bvh::{LeafPairs, Walk, Work, grown};
use super::element_pair::ElementPair;
use super::elements::{Coincident, Distances, Emitter};
use super::new_proximity::{POINT_RULE, TriangleTriangle};
use super::room::Room;
use super::{DetectionOutput, NewProximity, SelfFilter};
use crate::collision::{Element, List, ModelView};

/// Up to eight candidates: a vertex of one model and a triangle of the other.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureBlock {
    vertex: [u32; BLOCK],
    corners: [[u32; BLOCK]; 3],
    /// The triangles' flags.
    flags: [u32; BLOCK],
    /// Leaves of the two elements in the trees of the first and of the second model.
    leaves: [[u32; BLOCK]; 2],
    /// Of the output.
    id: [u32; BLOCK],
    /// Places among all candidates of the list, ascending.
    order: [u32; BLOCK],
    /// How many there are; the rest repeats the first.
    len: u32,
    /// See [`RUNS`].
    run: u32,
    /// No vertex was closer to its triangle when the list was made [m].
    least: f64,
}

/// Blocks form runs, in each of which the candidates are in order: of the first model's vertices and of the second's (even and odd),
/// each of what is near when the list is made (0 and 1), and of what can come close in the later part of its life only (2 and 3).
const RUNS: usize = 4;

/// One candidate of a block.
#[derive(Clone, Copy)]
struct Feature {
    vertex: u32,
    corners: [u32; 3],
    flags: u32,
    leaves: [u32; 2],
    id: u32,
    order: u32,
    least: f64,
}

impl FeatureBlock {
    fn of(f: &Feature, run: usize) -> Self {
        Self {
            vertex: [f.vertex; BLOCK],
            corners: f.corners.map(|v| [v; BLOCK]),
            flags: [f.flags; BLOCK],
            leaves: f.leaves.map(|l| [l; BLOCK]),
            id: [f.id; BLOCK],
            order: [f.order; BLOCK],
            len: 1,
            run: run as u32,
            least: f.least,
        }
    }

    fn get(&self, k: usize) -> Feature {
        Feature {
            vertex: self.vertex[k],
            corners: [self.corners[0][k], self.corners[1][k], self.corners[2][k]],
            flags: self.flags[k],
            leaves: [self.leaves[0][k], self.leaves[1][k]],
            id: self.id[k],
            order: self.order[k],
            least: self.least,
        }
    }

    fn push(&mut self, f: &Feature) {
        let k = self.len as usize;
        self.vertex[k] = f.vertex;
        for (corners, v) in self.corners.iter_mut().zip(f.corners) {
            corners[k] = v;
        }
        self.flags[k] = f.flags;
        for (leaves, l) in self.leaves.iter_mut().zip(f.leaves) {
            leaves[k] = l;
        }
        (self.id[k], self.order[k]) = (f.id, f.order);
        self.least = self.least.min(f.least);
        self.len += 1;
    }
}

/// Fills the blocks of a list from its front, those of all runs side by side.
struct Filling {
    /// Of each run the block that is not full.
    open: [Option<usize>; RUNS],
    /// How many blocks are in use.
    used: usize,
}

impl Filling {
    const START: Self = Self { open: [None; RUNS], used: 0 };

    #[inline]
    fn push(&mut self, run: usize, feature: &Feature, blocks: &mut impl List<FeatureBlock>) {
        if let Some(at) = self.open[run] {
            let block = &mut blocks.as_mut_slice()[at];
            block.push(feature);
            if block.len as usize == BLOCK {
                self.open[run] = None;
            }
            return;
        }
        let block = FeatureBlock::of(feature, run);
        match blocks.as_mut_slice().get_mut(self.used) {
            Some(place) => *place = block,
            None => blocks.push(block),
        }
        self.open[run] = Some(self.used);
        self.used += 1;
    }
}

/// The lists of two models with triangles.
pub(super) struct Lists<'l, P, F> {
    /// Pairs of triangles whose edges may meet, if edges are wanted.
    pub pairs: &'l mut P,
    pub features: &'l mut F,
}

/// Lists what may come near while both models together go no farther than there is room for.
pub(super) fn list(
    method: &NewProximity,
    [a, b]: [&ModelView; 2],
    filter: &SelfFilter,
    room: &Room,
    work: &mut impl List<Work>,
    lists: Lists<'_, impl List<ElementPair>, impl List<FeatureBlock>>,
) {
    let Lists { pairs, features } = lists;
    pairs.clear();
    features.clear();
    let (x, y) = (a.positions.points(), b.positions.points());
    let mut listing = Listing {
        models: [a, b],
        x,
        y,
        is_same_model: filter.is_same_model(),
        lists_edges: method.use_line_line,
        margin: room.margin,
        base: 3 * a.len(),
        filling: Filling::START,
        order: 0,
        lists: Lists { pairs: &mut *pairs, features: &mut *features },
    };
    let walk = Walk { first: a, second: b, filter, margin: room.margin, candidates: None };
    walk.each_pair(work, &mut listing);
    if room.way > 0.0 {
        select(features, x, y, room);
    }
}

/// Lists the vertices and triangles of the pairs of leaves that a walk finds.
struct Listing<'a, P, F> {
    models: [&'a ModelView<'a>; 2],
    x: &'a [Vec3],
    y: &'a [Vec3],
    is_same_model: bool,
    lists_edges: bool,
    margin: f64,
    /// Where the ids of the second model's vertices begin.
    base: u32,
    filling: Filling,
    order: u32,
    lists: Lists<'a, P, F>,
}

impl<P: List<ElementPair>, F: List<FeatureBlock>> LeafPairs for Listing<'_, P, F> {
    #[inline(always)]
    fn take<L: Lane>(&mut self, leaf_a: u32, leaf_b: u32, near_first: [L::Corner; 2]) {
        let [a, b] = self.models;
        let (s, t) = (&a.tree[leaf_a as usize], &b.tree[leaf_b as usize]);
        let (e, f) = (&a.elements[s.first as usize], &b.elements[t.first as usize]);
        if self.is_same_model && e.vertices.iter().any(|v| f.vertices.contains(v)) {
            return;
        }
        let near_second = grown::<L>(&t.bounds, self.margin);
        // The first model's first vertex whether its triangle owns it or not, as `TriangleTriangle` has it.
        let of_first = inside::<L>(near_second, self.x, e) & vertex_flags(e.flags | Element::VERTEX_1);
        let of_second = inside::<L>(near_first, self.y, f) & vertex_flags(f.flags);
        if of_first | of_second != 0 {
            let ids = [3 * s.first, self.base + 12 * t.first];
            let leaves = [leaf_a, leaf_b];
            self.push(0, of_first, (e, f), leaves, ids[0]);
            self.push(1, of_second, (f, e), leaves, ids[1]);
        }
        if self.lists_edges {
            self.lists.pairs.push(ElementPair { leaves: [leaf_a, leaf_b], order: self.order });
            self.order += 1;
        }
    }
}

impl<P: List<ElementPair>, F: List<FeatureBlock>> Listing<'_, P, F> {
    /// Lists vertices of one element, the bits of `which`, against another; `id` is that of the first vertex.
    #[inline(always)]
    fn push(
        &mut self,
        run: usize,
        which: u32,
        (of, triangle): (&Element, &Element),
        leaves: [u32; 2],
        id: u32,
    ) {
        let (corners, flags) = (triangle.vertices, triangle.flags);
        let mut left = which;
        while left != 0 {
            let k = left.trailing_zeros();
            left &= left - 1;
            let (vertex, order) = (of.vertices[k as usize], self.order);
            let feature = Feature { vertex, corners, flags, leaves, id: id + k, order, least: 0.0 };
            self.filling.push(run, &feature, &mut *self.lists.features);
            self.order += 1;
        }
    }
}

/// Which vertices of an element, bits 0 to 2, are in a box.
#[inline(always)]
fn inside<L: Lane>(reach: [L::Corner; 2], x: &[Vec3], element: &Element) -> u32 {
    let [a, b, c] = element.vertices;
    let (a, b, c) = (is_in::<L>(reach, x, a), is_in::<L>(reach, x, b), is_in::<L>(reach, x, c));
    u32::from(a) | u32::from(b) << 1 | u32::from(c) << 2
}

#[inline(always)]
fn is_in<L: Lane>(reach: [L::Corner; 2], x: &[Vec3], vertex: u32) -> bool {
    let at = L::corner(x[vertex as usize].as_ref());
    L::meet([at, at], reach)
}

/// The vertices, bits 0 to 2, that flags name.
#[inline(always)]
fn vertex_flags(flags: u32) -> u32 {
    const { assert!(Element::VERTEX_1 == 1 && Element::VERTEX_2 == 2 && Element::VERTEX_3 == 4) };
    flags & (Element::VERTEX_1 | Element::VERTEX_2 | Element::VERTEX_3)
}

/// Keeps, in order, the candidates whose vertex is not certainly too far from its triangle, and divides them into runs.
fn select(features: &mut impl List<FeatureBlock>, x: &[Vec3], y: &[Vec3], room: &Room) {
    let n_raw = features.as_slice().len();
    // With more runs than sides, blocks could be written before those in their places are read. So what is selected goes behind what
    // there is, and is moved to the front at last.
    let mut filling = Filling { used: n_raw, ..Filling::START };
    let soon = room.margin - 0.5 * room.way;
    for at in 0..n_raw {
        let block = features.as_slice()[at];
        let (points, triangles) = if block.run == 0 { (x, y) } else { (y, x) };
        let least = dispatch(LeastKernel { block: &block, points, triangles });
        for (k, least) in least.0.into_iter().enumerate().take(block.len as usize) {
            if least <= room.margin {
                let run = block.run as usize + if least > soon { 2 } else { 0 };
                let least = least - room.rounding;
                filling.push(run, &Feature { least, ..block.get(k) }, features);
            }
        }
    }
    features.as_mut_slice().copy_within(n_raw..filling.used, 0);
    features.truncate(filling.used - n_raw);
}

/// Says how far the vertices of a block are from their triangles at least [m].
///
/// For any direction, the triangle lies on one side of the plane through its farthest corner in that direction. A vertex beyond that
/// plane is at least as far from the triangle as from the plane. The direction is that from the nearest point, as well as it can be
/// computed; a poor one makes the distance too small.
struct LeastKernel<'a> {
    block: &'a FeatureBlock,
    points: &'a [Vec3],
    triangles: &'a [Vec3],
}

impl LaneKernel for LeastKernel<'_> {
    type Output = Row;

    #[inline(always)]
    fn run<L: Lane>(self) -> Row {
        let mut least = Row::splat(0.0);
        let mut at = 0;
        while at < BLOCK {
            let p = L::gather(self.points, &self.block.vertex, at);
            let t = corners::<L>(self.triangles, self.block, at);
            let d = sub(p, nearest(&t, p).point);
            let beyond = dot(d, p) - dot(d, t[0]).max(dot(d, t[1])).max(dot(d, t[2]));
            let outside = beyond.gt(L::splat(0.0));
            L::select(outside, beyond / dot(d, d).sqrt(), L::splat(0.0)).store(&mut least, at);
            at += L::WIDTH;
        }
        least
    }
}

/// A candidate close enough for an output.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    order: u32,
    id: u32,
    leaves: [u32; 2],
    vertex: u32,
    /// The nearest point of the triangle [m].
    point: Vec3,
}

/// Appends the outputs of listed candidates, in the order of the list; the models have `gone` so far since it was made [m].
pub(super) fn detect<L: List<DetectionOutput>>(
    method: &NewProximity,
    [first, second]: [&ModelView; 2],
    lists: Lists<'_, impl List<ElementPair>, impl List<FeatureBlock>>,
    gone: f64,
    hits: &mut impl List<Hit>,
    out: &mut L,
) {
    let (x, y) = (first.positions.points(), second.positions.points());
    let d = Distances::of_models(method.alarm_distance, method.contact_distance, first, second);
    let (square, reached) = (d.alarm * d.alarm, d.alarm + gone);
    let blocks = lists.features.as_slice();
    hits.clear();
    let mut ends = [0; RUNS];
    for (run, end) in ends.iter_mut().enumerate() {
        let (points, triangles) = if run % 2 == 0 { (x, y) } else { (y, x) };
        dispatch(NearestKernel {
            blocks,
            run: run as u32,
            points,
            triangles,
            square,
            reached,
            hits: &mut *hits,
        });
        *end = hits.as_slice().len();
    }
    let mut runs = Runs::new(hits.as_slice(), ends);
    let walk = Walk { first, second, filter: &SelfFilter::NONE, margin: d.alarm, candidates: None };
    let test = TriangleTriangle { method, first, second, x, y, d };
    let mut emit = Emitter { out, coincident: Coincident::Zero };
    for pair in lists.pairs.as_slice() {
        while let Some((run, hit)) = runs.next_before(pair.order) {
            emit_hit(&walk, hit, run % 2, &test, &mut emit);
        }
        let [a, b] = pair.leaves;
        if walk.are_near(a, b) {
            test.edges([first.tree[a as usize].first, second.tree[b as usize].first], &mut emit);
        }
    }
    while let Some((run, hit)) = runs.next_before(u32::MAX) {
        emit_hit(&walk, hit, run % 2, &test, &mut emit);
    }
}

/// The hits of all runs, to be merged by their order.
struct Runs<'a> {
    left: [&'a [Hit]; RUNS],
}

impl<'a> Runs<'a> {
    /// Of hits in one list, where run `r` ends at `ends[r]`.
    fn new(hits: &'a [Hit], ends: [usize; RUNS]) -> Self {
        let mut start = 0;
        Self { left: ends.map(|end| &hits[std::mem::replace(&mut start, end)..end]) }
    }

    /// The first hit of what is left, with its run, if it comes before `order`.
    #[inline]
    fn next_before(&mut self, order: u32) -> Option<(usize, &'a Hit)> {
        let (mut best, mut run) = (order, RUNS);
        for (r, left) in self.left.iter().enumerate() {
            let next = left.first().map_or(u32::MAX, |hit| hit.order);
            if next < best {
                (best, run) = (next, r);
            }
        }
        let (hit, rest) = self.left.get(run)?.split_first()?;
        self.left[run] = rest;
        Some((run, hit))
    }
}

/// An output for a hit, if the walk would have come to its elements, and its vertex is in the other element's grown box.
fn emit_hit<L: List<DetectionOutput>>(
    walk: &Walk,
    hit: &Hit,
    side: usize,
    test: &TriangleTriangle,
    emit: &mut Emitter<L>,
) {
    let [a, b] = hit.leaves;
    let (leaf_a, leaf_b) = (&test.first.tree[a as usize], &test.second.tree[b as usize]);
    let (vertices, triangle) = if side == 0 { (test.x, leaf_b) } else { (test.y, leaf_a) };
    let p = vertices[hit.vertex as usize];
    if walk.are_near(a, b) && triangle.bounds.grown(test.d.alarm).contains(&p) {
        let elements = [leaf_a.first, leaf_b.first];
        let [from, to] = if side == 0 { [p, hit.point] } else { [hit.point, p] };
        emit.points(elements, hit.id, from, to, &test.d);
    }
}

/// Finds the candidates of one run whose distance squared is below `square`, and that their triangle may report.
struct NearestKernel<'a, H> {
    blocks: &'a [FeatureBlock],
    run: u32,
    points: &'a [Vec3],
    triangles: &'a [Vec3],
    square: f64,
    /// Blocks of which all were farther when the list was made cannot have come close enough [m].
    reached: f64,
    hits: &'a mut H,
}

impl<H: List<Hit>> LaneKernel for NearestKernel<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for block in self.blocks {
            if block.run != self.run || block.least > self.reached {
                continue;
            }
            let mut at = 0;
            while at < block.len as usize {
                let p = L::gather(self.points, &block.vertex, at);
                let t = corners::<L>(self.triangles, block, at);
                let on = nearest(&t, p);
                let pq = sub(on.point, p);
                let near = L::splat(self.square).gt(dot(pq, pq));
                if L::any(near) {
                    let mut rows = [Row::splat(0.0); 4];
                    on.point[0].store(&mut rows[0], at);
                    on.point[1].store(&mut rows[1], at);
                    on.point[2].store(&mut rows[2], at);
                    on.needed.store(&mut rows[3], at);
                    push_hits(block, L::bits(near) << at, &rows, self.hits);
                }
                at += L::WIDTH;
            }
        }
    }
}

#[inline(never)]
fn push_hits(block: &FeatureBlock, near: u8, rows: &[Row; 4], hits: &mut impl List<Hit>) {
    for k in 0..block.len as usize {
        let needed = rows[3].0[k] as u32;
        if near >> k & 1 != 0 && (needed == 0 || block.flags[k] & needed != 0) {
            hits.push(Hit {
                order: block.order[k],
                id: block.id[k],
                leaves: [block.leaves[0][k], block.leaves[1][k]],
                vertex: block.vertex[k],
                point: Vec3::new(rows[0].0[k], rows[1].0[k], rows[2].0[k]),
            });
        }
    }
}

#[inline(always)]
fn corners<L: Lane>(points: &[Vec3], block: &FeatureBlock, at: usize) -> [[L; 3]; 3] {
    [
        L::gather(points, &block.corners[0], at),
        L::gather(points, &block.corners[1], at),
        L::gather(points, &block.corners[2], at),
    ]
}

/// The point of a triangle nearest to another, and the flag that the triangle needs to report it (0: none).
struct Nearest<L> {
    point: [L; 3],
    needed: L,
}

/// What `new_proximity::nearest_owned` computes by its rule for points, without a branch; each operation as there.
#[inline(always)]
fn nearest<L: Lane>([a, b, c]: &[[L; 3]; 3], p: [L; 3]) -> Nearest<L> {
    let (low, high) = (L::splat(POINT_RULE.low), L::splat(POINT_RULE.high));
    let low_ac = L::splat(POINT_RULE.low_ac);
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let (ab, ac, ap) = (sub(*b, *a), sub(*c, *a), sub(p, *a));
    let (a00, a01, a11) = (dot(ab, ab), dot(ab, ac), dot(ac, ac));
    let (b0, b1) = (dot(ap, ab), dot(ap, ac));
    let det = a00 * a11 - a01 * a01;
    let alpha = (b0 * a11 - b1 * a01) / det;
    let beta = (b1 * a00 - b0 * a01) / det;
    let inside = L::and(L::and(alpha.ge(low), beta.ge(low)), high.ge(alpha + beta));
    let (s, u) = (b0 / a00, b1 / a11);
    let w = (b1 - b0 + a00 - a01) / (a00 + a11 - L::splat(2.0) * a01);
    let on_a = L::and(low.gt(s), low_ac.gt(u));
    let on_ab = L::and(L::and(s.ge(low), high.gt(s)), low.gt(beta));
    let on_ac = L::and(L::and(u.ge(low_ac), high.gt(u)), low.gt(alpha));
    let (on_b, on_c) = (low.gt(w), w.gt(high));
    // The last case first: what is chosen later comes earlier in the order of the cases.
    let mut at = Place { needed: L::splat(f64::from(POINT_RULE.on_bc)), alpha: one - w, beta: w };
    at = at.unless(on_c, Element::VERTEX_3, zero, one);
    at = at.unless(on_b, Element::VERTEX_2, one, zero);
    at = at.unless(on_ac, POINT_RULE.on_ac, zero, u);
    at = at.unless(on_ab, POINT_RULE.on_ab, s, zero);
    at = at.unless(on_a, Element::VERTEX_1, zero, zero);
    at = at.unless(inside, 0, alpha, beta);
    let point = [
        a[0] + ab[0] * at.alpha + ac[0] * at.beta,
        a[1] + ab[1] * at.alpha + ac[1] * at.beta,
        a[2] + ab[2] * at.alpha + ac[2] * at.beta,
    ];
    Nearest { point, needed: at.needed }
}

/// Coordinates on a triangle, and the flag needed there.
#[derive(Clone, Copy)]
struct Place<L> {
    needed: L,
    alpha: L,
    beta: L,
}

impl<L: Lane> Place<L> {
    /// This one, or where the mask holds another.
    #[inline(always)]
    fn unless(self, mask: L::Mask, needed: u32, alpha: L, beta: L) -> Self {
        Self {
            needed: L::select(mask, L::splat(f64::from(needed)), self.needed),
            alpha: L::select(mask, alpha, self.alpha),
            beta: L::select(mask, beta, self.beta),
        }
    }
}

#[inline(always)]
fn sub<L: Lane>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<L: Lane>(a: [L; 3], b: [L; 3]) -> L {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}
