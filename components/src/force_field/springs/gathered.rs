//! Many springs: evaluated in lanes, in an order in which their forces need not be kept for long, and added point by point.
//!
//! ```text
//! group 0   64 springs ──> ring: their forces, and the negatives      group 1   64 springs ──> ring ...
//!                            │ the points whose springs have all been evaluated
//!                            └──> f[p] = ((f[p] + a) + b) + ...   in the recorded order of the springs at p
//! ```
//!
//! Nothing is scattered: a force is written once, in line, and what is added to a point stays in a register until all of it is
//! added. Every sum is taken in recorded order, so the bits are those of adding spring after spring. `plan.rs` says
//! which spring is evaluated when.

use std::marker::PhantomData;

use sim_core::component::force_field::{AddDForce, AddForce, AddKToMatrix, ForceField, ForceFieldParts};
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, PointRow, ROW_OF, SIGNED_ROWS, dispatch};
use sim_core::math::{Real, Vec3, Vec3Type};

use super::kind::SpringKind;
use super::lanes::{Ends, LawBlock, TangentBlock, ends, force, product};
use super::plan::{GROUP, POINTS, Plan, RINGS, Sums, TERMS, Term};
use super::spring::Spring;

/// Blocks of eight springs in a group.
const BLOCKS: usize = GROUP / BLOCK;

/// Some springs, and the sums that are taken after them.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct SpringGroup {
    /// First and second ends.
    ends: [Ends; BLOCKS],
    /// The rows of the ring that are added: those of the first point, of the second and so on.
    terms: [u16; TERMS],
    /// The points whose sums are taken.
    points: [u32; POINTS],
    /// How many rows are added to each.
    counts: [u16; POINTS],
    n_points: u32,
    n_blocks: u32,
    /// What they are made of: read once a step.
    law: [LawBlock; BLOCKS],
    /// The places of as many springs of the recorded order: read where the order of springs counts.
    places: [u32; GROUP],
}

/// The tangents of a group.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupTangents([TangentBlock; BLOCKS]);

/// The number of springs, and of those whose forces are kept, a multiple of 8.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    springs: usize,
    ring: usize,
}

impl SpringGroup {
    /// Its springs with their places in it, in the order of evaluation.
    pub fn springs(&self) -> impl Iterator<Item = (usize, Spring)> + '_ {
        let places = (0..self.n_blocks as usize).flat_map(|b| (0..BLOCK).map(move |k| (b, k)));
        places.filter_map(|(b, k)| Some((b * BLOCK + k, self.law[b].spring(&self.ends[b], k)?)))
    }

    fn new(springs: &[Spring], sums: &Sums, ring: usize) -> Self {
        let filler =
            &[Spring { i: 0, j: 0, stiffness: 0.0, damping: 0.0, length: 0.0, elongation_only: false }];
        let mut group = Self {
            ends: [ends(filler); BLOCKS],
            terms: [0; TERMS],
            points: [0; POINTS],
            counts: [0; POINTS],
            n_points: sums.points.len() as u32,
            n_blocks: springs.len().div_ceil(BLOCK) as u32,
            law: [LawBlock::new(&[]); BLOCKS],
            places: [u32::MAX; GROUP],
        };
        for (b, springs) in springs.chunks(BLOCK).enumerate() {
            (group.ends[b], group.law[b]) = (ends(springs), LawBlock::new(springs));
        }
        for (k, (point, count)) in sums.points.iter().enumerate() {
            (group.points[k], group.counts[k]) = (*point, *count);
        }
        for (row, term) in group.terms.iter_mut().zip(&sums.terms) {
            *row = row_of(*term, ring);
        }
        group
    }
}

/// The row of the ring in which the force of a term waits.
fn row_of(term: Term, ring: usize) -> u16 {
    let (place, negative) = (term.place as usize % ring, if term.second { BLOCK } else { 0 });
    // The largest ring has 8192 rows.
    (place / BLOCK * SIGNED_ROWS + negative) as u16 + ROW_OF[place % BLOCK]
}

/// Forces that wait for being added.
#[repr(C, align(64))]
struct Ring<const ROWS: usize> {
    rows: [PointRow; ROWS],
    /// Which block of springs is next, of how many that are kept: no more than needed, so that they stay in the nearest cache.
    next: usize,
    blocks: usize,
}

impl<const ROWS: usize> Ring<ROWS> {
    #[inline(always)]
    fn new(springs: usize) -> Self {
        Self { rows: [PointRow::default(); ROWS], next: 0, blocks: springs / BLOCK }
    }

    /// The rows of the next block of springs.
    #[inline(always)]
    fn block(&mut self) -> &mut [PointRow; SIGNED_ROWS] {
        const { assert!(ROWS.is_power_of_two() && ROWS >= SIGNED_ROWS) };
        let number = self.next;
        self.next = if number + 1 >= self.blocks { 0 } else { number + 1 };
        &mut self.rows.as_chunks_mut::<SIGNED_ROWS>().0[number & (ROWS / SIGNED_ROWS - 1)]
    }

    /// Adds what has come together.
    #[inline(always)]
    fn add<L: Lane>(&self, group: &SpringGroup, f: &mut [Vec3]) {
        let (mut begin, mut k) = (0, 0);
        while k < POINTS.min(group.n_points as usize) {
            let end = begin + usize::from(group.counts[k]);
            L::add_rows(&mut f[group.points[k] as usize], &self.rows, &group.terms[begin..end]);
            begin = end;
            k += 1;
        }
    }
}

struct ForceKernel<'a, const ROWS: usize> {
    ring: usize,
    groups: &'a [SpringGroup],
    tangents: &'a mut [GroupTangents],
    f: &'a mut [Vec3],
    x: &'a [Vec3],
    v: &'a [Vec3],
}

impl<const ROWS: usize> LaneKernel for ForceKernel<'_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let mut ring = Ring::<ROWS>::new(self.ring);
        for (group, tangents) in self.groups.iter().zip(self.tangents) {
            let mut b = 0;
            while b < BLOCKS.min(group.n_blocks as usize) {
                let rows = ring.block();
                let mut at = 0;
                while at < BLOCK {
                    let f = force::<L>(&group.ends[b], &group.law[b], &mut tangents.0[b], self.x, self.v, at);
                    L::store_signed(&f, rows, at);
                    at += L::WIDTH;
                }
                b += 1;
            }
            ring.add::<L>(group, self.f);
        }
    }
}

struct ProductKernel<'a, const ROWS: usize> {
    ring: usize,
    k_factor: Real,
    groups: &'a [SpringGroup],
    tangents: &'a [GroupTangents],
    df: &'a mut [Vec3],
    dx: &'a [Vec3],
}

impl<const ROWS: usize> LaneKernel for ProductKernel<'_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let mut ring = Ring::<ROWS>::new(self.ring);
        let k = L::splat(self.k_factor);
        for (group, tangents) in self.groups.iter().zip(self.tangents) {
            let mut b = 0;
            while b < BLOCKS.min(group.n_blocks as usize) {
                let rows = ring.block();
                let mut at = 0;
                while at < BLOCK {
                    let df = product(&group.ends[b], &tangents.0[b], self.dx, k, at);
                    L::store_signed(&df, rows, at);
                    at += L::WIDTH;
                }
                b += 1;
            }
            ring.add::<L>(group, self.df);
        }
    }
}

/// Rows of the rings.
const ROWS: [usize; 4] = [2 * RINGS[0], 2 * RINGS[1], 2 * RINGS[2], 2 * RINGS[3]];

/// Many springs between points of one state.
pub struct GatheredSprings<K>(PhantomData<K>);

impl<K: SpringKind> GatheredSprings<K> {
    /// The force field of some springs, where this is how they are computed fastest; else [`super::BlockSprings`] are.
    pub fn parts(springs: &[Spring]) -> Option<ForceFieldParts<Self>> {
        let plan = Plan::new(springs)?;
        let ordered: Vec<Spring> = plan.order.iter().map(|s| springs[*s as usize]).collect();
        let none = Sums::default();
        let n = plan.sums.len().max(springs.len().div_ceil(GROUP));
        let mut groups: Vec<SpringGroup> = (0..n)
            .map(|g| {
                let own = ordered.chunks(GROUP).nth(g).unwrap_or_default();
                SpringGroup::new(own, plan.sums.get(g).unwrap_or(&none), plan.ring)
            })
            .collect();
        for (group, places) in groups.iter_mut().zip(plan.place.chunks(GROUP)) {
            group.places[..places.len()].copy_from_slice(places);
        }
        groups.iter_mut().flat_map(|g| &mut g.law).for_each(|law| law.act_from(K::SHORTEST));
        let stored = vec![GroupTangents::default(); groups.len()];
        let extent = Extent { springs: springs.len(), ring: plan.ring };
        Some(ForceFieldParts::new(extent, groups, stored))
    }
}

/// The springs in their recorded order, each with the number of its group and its place there.
fn recorded<'a>(
    extent: &Extent,
    groups: &'a [SpringGroup],
) -> impl Iterator<Item = (usize, usize, Spring)> + 'a {
    let places = groups.iter().flat_map(|g| g.places).take(extent.springs);
    places.filter_map(|place| {
        let (g, at) = (place as usize / GROUP, place as usize % GROUP);
        let (b, k) = (at / BLOCK, at % BLOCK);
        Some((g, at, groups[g].law[b].spring(&groups[g].ends[b], k)?))
    })
}

impl<K: SpringKind> ForceField for GatheredSprings<K> {
    type State = Vec3Type;
    type Constants = Extent;
    type Element = SpringGroup;
    type Stored = GroupTangents;
    const NAME: &'static str = K::NAME;
    const JOINS_STATES: bool = true;

    fn add_force(c: &Extent, at: AddForce<'_, Self>) {
        let AddForce { elements: groups, stored: tangents, f, x, v, .. } = at;
        let ring = c.ring;
        match RINGS.iter().position(|r| ring <= *r) {
            Some(0) => dispatch(ForceKernel::<{ ROWS[0] }> { ring, groups, tangents, f, x, v }),
            Some(1) => dispatch(ForceKernel::<{ ROWS[1] }> { ring, groups, tangents, f, x, v }),
            Some(2) => dispatch(ForceKernel::<{ ROWS[2] }> { ring, groups, tangents, f, x, v }),
            _ => dispatch(ForceKernel::<{ ROWS[3] }> { ring, groups, tangents, f, x, v }),
        }
    }

    fn add_d_force(c: &Extent, at: AddDForce<'_, Self>) {
        let AddDForce { k_factor, elements: groups, stored: tangents, df, dx, .. } = at;
        let ring = c.ring;
        match RINGS.iter().position(|r| ring <= *r) {
            Some(0) => dispatch(ProductKernel::<{ ROWS[0] }> { ring, k_factor, groups, tangents, df, dx }),
            Some(1) => dispatch(ProductKernel::<{ ROWS[1] }> { ring, k_factor, groups, tangents, df, dx }),
            Some(2) => dispatch(ProductKernel::<{ ROWS[2] }> { ring, k_factor, groups, tangents, df, dx }),
            _ => dispatch(ProductKernel::<{ ROWS[3] }> { ring, k_factor, groups, tangents, df, dx }),
        }
    }

    fn add_k_to_matrix(c: &Extent, at: AddKToMatrix<'_, Self>) {
        if !K::ASSEMBLED {
            return;
        }
        for (g, place, spring) in recorded(c, at.elements) {
            let ends = [spring.i, spring.j];
            let tangent = at.stored[g].0[place / BLOCK].get(place % BLOCK);
            tangent.each_block(at.k_factor, |[a, _], [b, _], block| {
                at.matrix.add_block(ends[a], ends[b], block);
            });
        }
    }

    fn potential_energy(c: &Extent, groups: &[SpringGroup], x: &[Vec3]) -> Option<Real> {
        let energy = |(_, _, s): (usize, usize, Spring)| s.energy(&x[s.i as usize], &x[s.j as usize]);
        Some(recorded(c, groups).map(energy).sum())
    }
}

#[cfg(test)]
mod tests;
