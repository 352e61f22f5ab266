//! Elements that share points lie behind each other in a lane, so that a point is fetched once and written once for all of them.
//!
//! A mesh that a regular rule has made repeats itself: six tetrahedra of a cut cell, then six more of the same form; a row of
//! hexahedra, then the next. A *patch* is a stretch of consecutive elements. Eight patches of the same form lie in the eight lanes:
//! block k holds the k-th element of each. Within a patch, the values at a node wait in a *slot* from the first element that
//! has the node to the last, and so does the sum of the forces. What is regular is found by looking at the elements' nodes;
//! elements that repeat nothing are patches of one, whose nodes are fetched and written for each.
//!
//! The forces of a patch are added up before they are added to a point. [`Order::OfMesh`] keeps every single addition in the
//! order of the mesh.

use std::collections::BTreeMap;

use sim_core::math::Vec3;
use sim_core::math::lane::{BLOCK, Lane, Row};
use sim_core::scene::Scene;

use super::lane_algebra::*;

/// Nodes of a patch that may wait at one time.
const SLOTS: usize = 32;
/// Longest patch that is looked for, in elements.
const LONGEST: usize = 64;
/// How many elements are looked at to choose the length of patches.
const SAMPLE: usize = 4096;
/// What a node that waits in a slot costs, relative to fetching and writing it.
const WAITING: f64 = 0.15;

/// How elements may be put into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they are computed fastest.
    Fastest,
    /// As the mesh lists them, eight to a block.
    OfMesh,
}

impl Order {
    /// What a scene asks for.
    pub(crate) fn of(scene: &Scene) -> Self {
        if scene.mesh_order { Self::OfMesh } else { Self::Fastest }
    }
}

/// The points of a block of eight elements of `N` nodes, and how values at them come and go.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Nodes<const N: usize> {
    /// Points by node and element.
    pub points: [[u32; BLOCK]; N],
    /// Where the elements 8 b, 8 b + 1 ... of the mesh lie, b being this block's number: eight times the block, plus the lane.
    places: [u32; BLOCK],
    /// In which slot the values at each node wait.
    slots: [u8; N],
    /// Bit n: no earlier element of the patch has node n.
    first: u8,
    /// Bit n: no later element of the patch has node n.
    last: u8,
    /// How many lanes hold elements; the others hold copies of the last one.
    pub count: u8,
}

/// A block before what it needs of the mesh is computed.
pub(crate) struct Laid<const N: usize> {
    pub(crate) nodes: Nodes<N>,
    /// Numbers of its elements, `nodes.count` of them.
    pub(crate) elements: [u32; BLOCK],
}

/// Block and lane of element `e`.
pub(crate) fn place<'a, const N: usize>(of: impl Fn(usize) -> &'a Nodes<N>, e: usize) -> (usize, usize) {
    let place = of(e / BLOCK).places[e % BLOCK] as usize;
    (place / BLOCK, place % BLOCK)
}

/// Puts elements into blocks; `work` is what the arithmetic of one costs, relative to fetching and writing a node.
pub(crate) fn lay_out<const N: usize>(elements: &[[u32; N]], work: f64, order: Order) -> Vec<Laid<N>> {
    const { assert!(N <= 8, "the nodes are bits of a byte") };
    let mut search = Search::new(elements, work);
    let length = match order {
        Order::Fastest => search.best_length(),
        Order::OfMesh => 1,
    };
    let plan = search.plan(elements, length);
    let mut blocks = Vec::with_capacity(elements.len() / BLOCK + 1);
    for group in &plan.groups {
        for (k, waiting) in plan.forms[group.form].0.iter().enumerate() {
            blocks.push(block(elements, &group.starts, k, Some(waiting)));
        }
    }
    for alone in plan.alone.chunks(BLOCK) {
        blocks.push(block(elements, alone, 0, None));
    }
    let mut places = vec![0; elements.len()];
    for (b, block) in blocks.iter().enumerate() {
        for (lane, e) in block.elements.iter().enumerate().take(usize::from(block.nodes.count)) {
            places[*e as usize] = (b * BLOCK + lane) as u32;
        }
    }
    for (block, places) in blocks.iter_mut().zip(places.chunks(BLOCK)) {
        block.nodes.places[..places.len()].copy_from_slice(places);
    }
    blocks
}

/// The block of the elements `k` after each start.
fn block<const N: usize>(
    elements: &[[u32; N]],
    starts: &[usize],
    k: usize,
    waiting: Option<&Waiting<N>>,
) -> Laid<N> {
    let lane = |lane: usize| starts[lane.min(starts.len() - 1)] + k;
    let all = u8::MAX >> (8 - N);
    let (slots, first, last) = waiting.map_or(([0; N], all, all), |w| (w.slots, w.first, w.last));
    Laid {
        nodes: Nodes {
            points: std::array::from_fn(|n| std::array::from_fn(|l| elements[lane(l)][n])),
            places: [0; BLOCK],
            slots,
            first,
            last,
            count: starts.len() as u8,
        },
        elements: std::array::from_fn(|l| lane(l) as u32),
    }
}

/// How the values of one element of a form wait.
struct Waiting<const N: usize> {
    slots: [u8; N],
    first: u8,
    last: u8,
}

/// What patches of the same form have in common: how the values of each element wait.
struct Form<const N: usize>(Vec<Waiting<N>>);

impl<const N: usize> Form<N> {
    /// From the nodes of a patch, numbered as they first appear; none where too many wait at a time.
    fn new(labels: &[u8]) -> Option<Self> {
        let n_nodes = labels.iter().max().map_or(0, |m| usize::from(*m) + 1);
        let mut last_use = vec![0; n_nodes];
        labels.iter().enumerate().for_each(|(at, label)| last_use[usize::from(*label)] = at);
        let mut free: Vec<u8> = (0..SLOTS as u8).rev().collect();
        let mut slot_of = vec![0; n_nodes];
        let mut seen = 0;
        let mut waiting = Vec::with_capacity(labels.len() / N);
        for (k, labels) in labels.chunks_exact(N).enumerate() {
            let mut w = Waiting { slots: [0; N], first: 0, last: 0 };
            for (n, label) in labels.iter().map(|l| usize::from(*l)).enumerate() {
                if label == seen {
                    slot_of[label] = free.pop()?;
                    w.first |= 1 << n;
                    seen += 1;
                }
                w.slots[n] = slot_of[label];
                w.last |= u8::from(last_use[label] == k * N + n) << n;
            }
            free.extend((0..N).filter(|n| w.last >> n & 1 == 1).map(|n| w.slots[n]));
            waiting.push(w);
        }
        Some(Self(waiting))
    }
}

/// Up to eight patches of one form, by their first elements.
struct Group {
    form: usize,
    starts: Vec<usize>,
}

/// How the elements of a mesh are put into blocks.
struct Plan<const N: usize> {
    forms: Vec<Form<N>>,
    groups: Vec<Group>,
    /// Elements that are patches of one.
    alone: Vec<usize>,
    cost: f64,
}

/// Finds the patches of a mesh.
struct Search<'a, const N: usize> {
    elements: &'a [[u32; N]],
    work: f64,
    /// By point: the patch that saw it last, and its number there.
    seen: Vec<(u32, u8)>,
    n_patches: u32,
}

impl<'a, const N: usize> Search<'a, N> {
    fn new(elements: &'a [[u32; N]], work: f64) -> Self {
        let n_points = elements.as_flattened().iter().max().map_or(0, |m| *m as usize + 1);
        Self { elements, work, seen: vec![(0, 0); n_points], n_patches: 0 }
    }

    /// The length of patches with which the first elements cost least.
    fn best_length(&mut self) -> usize {
        let sample = &self.elements[..self.elements.len().min(SAMPLE)];
        let mut best = (1, self.plan(sample, 1).cost);
        for length in 2..=LONGEST.min(sample.len() / 2) {
            let cost = self.plan(sample, length).cost;
            if cost < best.1 {
                best = (length, cost);
            }
        }
        best.0
    }

    /// Cuts elements into patches of a length, and puts those of a form together.
    fn plan(&mut self, elements: &[[u32; N]], length: usize) -> Plan<N> {
        let mut plan = Plan { forms: Vec::new(), groups: Vec::new(), alone: Vec::new(), cost: 0.0 };
        let (mut known, mut kinds) = (BTreeMap::<Vec<u8>, usize>::new(), Vec::<(Vec<u8>, Vec<usize>)>::new());
        let mut labels = Vec::with_capacity(length * N);
        for start in (0..elements.len()).step_by(length) {
            let patch = &elements[start..elements.len().min(start + length)];
            if length == 1 || patch.len() < length || !self.label(patch, &mut labels) {
                plan.alone.extend(start..start + patch.len());
            } else if let Some(kind) = known.get(&labels) {
                kinds[*kind].1.push(start);
            } else {
                known.insert(labels.clone(), kinds.len());
                kinds.push((labels.clone(), vec![start]));
            }
        }
        let of_alone = |n: usize| n.div_ceil(BLOCK) as f64 * (self.work + N as f64);
        for (labels, starts) in &kinds {
            let n_nodes = labels.iter().max().map_or(0.0, |m| f64::from(*m) + 1.0);
            let cost = length as f64 * (self.work + WAITING * N as f64) + n_nodes;
            let pays = |starts: &[usize]| cost < of_alone(starts.len() * length);
            let form = if starts.chunks(BLOCK).any(pays) { Form::new(labels) } else { None };
            for starts in starts.chunks(BLOCK) {
                if form.is_some() && pays(starts) {
                    plan.cost += cost;
                    plan.groups.push(Group { form: plan.forms.len(), starts: starts.to_vec() });
                } else {
                    plan.alone.extend(starts.iter().flat_map(|s| *s..s + length));
                }
            }
            plan.forms.extend(form);
        }
        plan.alone.sort_unstable();
        plan.cost += of_alone(plan.alone.len());
        plan
    }

    /// Numbers the nodes of a patch as they first appear; false where there are too many.
    fn label(&mut self, patch: &[[u32; N]], labels: &mut Vec<u8>) -> bool {
        self.n_patches += 1;
        labels.clear();
        let mut n_nodes = 0;
        for point in patch.as_flattened() {
            let seen = &mut self.seen[*point as usize];
            if seen.0 != self.n_patches {
                if n_nodes == u8::MAX {
                    return false;
                }
                *seen = (self.n_patches, n_nodes);
                n_nodes += 1;
            }
            labels.push(seen.1);
        }
        true
    }
}

/// How values at nodes come to a kernel, and its forces to the points.
pub(crate) trait Route {
    /// The values at the nodes of the elements `at ..`.
    fn gather<L: Lane, const N: usize>(&mut self, nodes: &Nodes<N>, values: &[Vec3], at: usize)
    -> [V3<L>; N];
    /// Takes the forces on the nodes of the elements `at ..`.
    fn add<L: Lane, const N: usize>(
        &mut self,
        nodes: &Nodes<N>,
        to: &mut [Vec3],
        forces: &[V3<L>; N],
        at: usize,
    );
    /// Adds what no later element adds to; after all elements of the block.
    fn finish<L: Lane, const N: usize>(&mut self, nodes: &Nodes<N>, to: &mut [Vec3]);
}

/// Every node is fetched and written for each element: for blocks that are all patches of one.
pub(crate) struct Direct;

impl Route for Direct {
    #[inline(always)]
    fn gather<L: Lane, const N: usize>(
        &mut self,
        nodes: &Nodes<N>,
        values: &[Vec3],
        at: usize,
    ) -> [V3<L>; N] {
        let mut gathered = [[L::splat(0.0); 3]; N];
        let mut n = 0;
        while n < N {
            gathered[n] = L::gather(values, &nodes.points[n], at);
            n += 1;
        }
        gathered
    }

    #[inline(always)]
    fn add<L: Lane, const N: usize>(
        &mut self,
        nodes: &Nodes<N>,
        to: &mut [Vec3],
        forces: &[V3<L>; N],
        at: usize,
    ) {
        L::scatter_add(to, &nodes.points, forces, at, usize::from(nodes.count));
    }

    #[inline(always)]
    fn finish<L: Lane, const N: usize>(&mut self, _: &Nodes<N>, _: &mut [Vec3]) {}
}

/// Values and sums of forces that wait.
pub(crate) struct Slots {
    values: [VRow; SLOTS],
    sums: [VRow; SLOTS],
}

impl Slots {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let none = [[Row::splat(0.0); 3]; SLOTS];
        Self { values: none, sums: none }
    }
}

impl<const N: usize> Nodes<N> {
    /// Whether these are patches of one.
    #[inline(always)]
    pub(crate) fn is_alone(&self) -> bool {
        self.first & self.last == u8::MAX >> (8 - N)
    }

    #[inline(always)]
    fn slot(&self, n: usize) -> usize {
        usize::from(self.slots[n]) % SLOTS
    }
}

impl Route for Slots {
    #[inline(always)]
    fn gather<L: Lane, const N: usize>(
        &mut self,
        nodes: &Nodes<N>,
        values: &[Vec3],
        at: usize,
    ) -> [V3<L>; N] {
        if nodes.is_alone() {
            return Direct.gather(nodes, values, at);
        }
        let zero = L::splat(0.0);
        let mut n = 0;
        while n < N {
            if nodes.first >> n & 1 == 1 {
                let slot = nodes.slot(n);
                store3::<L>(&L::gather(values, &nodes.points[n], at), &mut self.values[slot], at);
                store3(&[zero; 3], &mut self.sums[slot], at);
            }
            n += 1;
        }
        let mut gathered = [[zero; 3]; N];
        n = 0;
        while n < N {
            gathered[n] = load3(&self.values[nodes.slot(n)], at);
            n += 1;
        }
        gathered
    }

    #[inline(always)]
    fn add<L: Lane, const N: usize>(
        &mut self,
        nodes: &Nodes<N>,
        to: &mut [Vec3],
        forces: &[V3<L>; N],
        at: usize,
    ) {
        if nodes.is_alone() {
            return Direct.add(nodes, to, forces, at);
        }
        let mut n = 0;
        while n < N {
            let sum = &mut self.sums[nodes.slot(n)];
            store3(&add(&load3(sum, at), &forces[n]), sum, at);
            n += 1;
        }
    }

    #[inline(always)]
    fn finish<L: Lane, const N: usize>(&mut self, nodes: &Nodes<N>, to: &mut [Vec3]) {
        if nodes.is_alone() {
            return;
        }
        let mut n = 0;
        while n < N {
            if nodes.last >> n & 1 == 1 {
                let (points, sum) = ([nodes.points[n]], &self.sums[nodes.slot(n)]);
                let mut at = 0;
                while at < BLOCK {
                    L::scatter_add(to, &points, &[load3::<L>(sum, at)], at, usize::from(nodes.count));
                    at += L::WIDTH;
                }
            }
            n += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::oracle::bar;
    use crate::topology::{HexaCut, cut_hexahedra};
    use proptest::prelude::*;

    /// Checks that each element is in one place, and that slots carry its nodes from their first use to their last; how many nodes are fetched.
    fn check<const N: usize>(elements: &[[u32; N]], blocks: &[Laid<N>]) -> usize {
        let mut places = vec![0; elements.len()];
        let mut held: Vec<Option<[u32; BLOCK]>> = vec![None; SLOTS];
        let mut fetched = 0;
        for (b, laid) in blocks.iter().enumerate() {
            let nodes = &laid.nodes;
            assert!((1..=BLOCK).contains(&usize::from(nodes.count)));
            for lane in 0..BLOCK {
                let e = laid.elements[lane] as usize;
                (0..N).for_each(|n| assert_eq!(nodes.points[n][lane], elements[e][n]));
                if lane < usize::from(nodes.count) {
                    places[e] += 1;
                    assert_eq!(place(|b| &blocks[b].nodes, e), (b, lane));
                }
            }
            if nodes.is_alone() {
                fetched += N;
                continue;
            }
            for n in 0..N {
                let slot = &mut held[nodes.slot(n)];
                if nodes.first >> n & 1 == 1 {
                    assert!(slot.is_none(), "a slot that is in use");
                    *slot = Some(nodes.points[n]);
                    fetched += 1;
                }
                assert_eq!(*slot, Some(nodes.points[n]));
            }
            for n in 0..N {
                if nodes.last >> n & 1 == 1 {
                    assert!(held[nodes.slot(n)].take().is_some());
                }
            }
        }
        assert!(held.iter().all(Option::is_none), "a node that never goes back");
        assert!(places.iter().all(|n| *n == 1));
        fetched
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn every_element_is_somewhere_and_nodes_wait_in_slots(
            n in [1..6u32, 1..6u32, 1..9u32],
            left_out in prop::collection::vec(any::<u16>(), 0..4),
            mirrored in any::<bool>(),
        ) {
            let mut cells = bar(n).1;
            for k in left_out {
                cells.remove(k as usize % cells.len());
                if cells.is_empty() {
                    break;
                }
            }
            let how = if mirrored { HexaCut::Mirrored } else { HexaCut::Plain };
            let tetrahedra = cut_hexahedra(&cells, None, how);
            for order in [Order::Fastest, Order::OfMesh] {
                let laid = lay_out(&cells, 7.0, order);
                check(&cells, &laid);
                prop_assert!(order == Order::Fastest || laid.iter().all(|l| l.nodes.is_alone()));
                check(&tetrahedra, &lay_out(&tetrahedra, 2.0, order));
            }
        }
    }

    #[test]
    fn a_cut_grid_fetches_less_than_half_of_the_nodes() {
        let cells = bar([3, 3, 15]).1;
        let tetrahedra = cut_hexahedra(&cells, None, HexaCut::Plain);
        let fetched = |order| {
            let (a, b) = (lay_out(&cells, 7.0, order), lay_out(&tetrahedra, 2.0, order));
            (check(&cells, &a), check(&tetrahedra, &b))
        };
        let (fast, plain) = (fetched(Order::Fastest), fetched(Order::OfMesh));
        assert_eq!(plain, (17 * 8, 102 * 4));
        assert!(2 * fast.0 < plain.0 && 2 * fast.1 < plain.1, "{fast:?}");
    }

    #[test]
    fn elements_that_repeat_nothing_stay_as_they_are() {
        let mut tetrahedra: Vec<[u32; 4]> = cut_hexahedra(&bar([4, 4, 4]).1, None, HexaCut::Plain);
        let n = tetrahedra.len();
        (0..n).for_each(|i| tetrahedra.swap(i, (i * i * 31 + 17) % n));
        let laid = lay_out(&tetrahedra, 2.0, Order::Fastest);
        assert_eq!(check(&tetrahedra, &laid), 4 * n.div_ceil(BLOCK));
        assert_eq!(laid[0].elements, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(lay_out::<4>(&[], 2.0, Order::Fastest).is_empty());
    }
}
