//! Many springs of a regular net: eight neighbors at a time, whose points are read and added to as they lie in memory.
//!
//! ```text
//! round 0   16 blocks of 8 springs ──> ring: their forces         round 1   16 blocks ──> ring ...
//!                                        │ points, eight in line, whose springs have all been evaluated
//!                                        └──> f[p] = ((f[p] + a) - b) + ...   in the recorded order of the springs at p
//! ```
//!
//! A block is springs whose first ends follow each other, and whose second ends do, so nothing is looked up by an index: the difference of
//! two stretches of points is turned into lanes. A force is written once, and what is added to eight points stays in
//! registers until all of it is added. Every sum is taken in recorded order, so the bits are those of adding spring after
//! spring. `plan.rs` says what is evaluated when. What products read lies in streams of its own, without gaps.

mod kernels;
mod parts;

use std::marker::PhantomData;

use sim_core::component::force_field::{AddDForce, AddForce, AddKToMatrix, ForceField, ForceFieldParts};
use sim_core::math::lane::{BLOCK, dispatch};
use sim_core::math::{Real, Vec3, Vec3Type};

use self::kernels::{ForceKernel, ProductKernel, with_ring};
pub use self::parts::{Extent, RunPart, springs};
use self::parts::{Parts, lay_out};
use super::kind::SpringKind;
use super::lanes::TangentBlock;
use super::plan::Plan;
use super::spring::Spring;

/// Many springs between points of one state.
pub struct RunSprings<K>(PhantomData<K>);

impl<K: SpringKind> RunSprings<K> {
    /// The force field of some springs, where this is how they are computed fastest; else [`super::BlockSprings`] are.
    pub fn parts(springs: &[Spring]) -> Option<ForceFieldParts<Self>> {
        let plan = Plan::new(springs)?;
        let (extent, parts) = lay_out(&plan, springs, K::SHORTEST);
        Some(ForceFieldParts::new(extent, parts, vec![TangentBlock::default(); plan.blocks.len()]))
    }
}

impl<K: SpringKind> ForceField for RunSprings<K> {
    type State = Vec3Type;
    type Constants = Extent;
    type Element = RunPart;
    type Stored = TangentBlock;
    const NAME: &'static str = K::NAME;
    const JOINS_STATES: bool = true;

    fn add_force(c: &Extent, at: AddForce<'_, Self>) {
        let AddForce { elements, stored: tangents, f, x, v, .. } = at;
        let parts = Parts::new(c, elements);
        with_ring(c.ring, |ring| dispatch(ForceKernel { ring, parts, tangents, f, x, v }));
    }

    fn add_d_force(c: &Extent, at: AddDForce<'_, Self>) {
        let AddDForce { k_factor, elements, stored: tangents, df, dx, .. } = at;
        let parts = Parts::new(c, elements);
        with_ring(c.ring, |ring| dispatch(ProductKernel { ring, k_factor, parts, tangents, df, dx }));
    }

    fn add_k_to_matrix(c: &Extent, at: AddKToMatrix<'_, Self>) {
        if !K::ASSEMBLED {
            return;
        }
        for (place, spring) in Parts::new(c, at.elements).recorded(c.springs) {
            let ends = [spring.i, spring.j];
            let tangent = at.stored[place / BLOCK].get(place % BLOCK, spring.stiffness);
            tangent.each_block(at.k_factor, |[a, _], [b, _], block| {
                at.matrix.add_block(ends[a], ends[b], block);
            });
        }
    }

    fn potential_energy(c: &Extent, parts: &[RunPart], x: &[Vec3]) -> Option<Real> {
        let energy = |(_, s): (usize, Spring)| s.energy(&x[s.i as usize], &x[s.j as usize]);
        Some(Parts::new(c, parts).recorded(c.springs).map(energy).sum())
    }
}

#[cfg(test)]
mod tests;
