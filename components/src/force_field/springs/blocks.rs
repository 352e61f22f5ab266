//! Springs eight at a time: contiguous blocks, evaluated in lanes and added spring after spring.
//!
//! This is how few springs are computed, and those of nets without regularity; [`super::runs`] has the others.

use std::marker::PhantomData;

use sim_core::component::force_field::{AddDForce, AddForce, AddKToMatrix, ForceField, ForceFieldParts};
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, dispatch};
use sim_core::math::{Real, Vec3, Vec3Type};

use super::kind::SpringKind;
use super::lanes::{Ends, LawBlock, TangentBlock, differences, eight, ends, force, product};
use super::spring::Spring;

/// Eight springs; the last block of a field is filled up with springs that never act.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SpringBlock {
    /// First and second ends.
    ends: Ends,
    /// What they are made of.
    law: LawBlock,
}

/// Puts springs into blocks, in their order.
pub fn pack(springs: &[Spring]) -> Vec<SpringBlock> {
    let block = |springs| SpringBlock { ends: ends(&springs), law: LawBlock::new(&springs) };
    springs.chunks(BLOCK).map(|springs| block(eight(springs))).collect()
}

impl SpringBlock {
    /// The springs with their places in the block, without what fills it up; which of them only pull is folded into the threshold.
    pub fn springs(&self) -> impl Iterator<Item = (usize, Spring)> + '_ {
        (0..BLOCK).filter_map(|k| Some((k, self.law.spring(&self.ends, k)?)))
    }
}

struct ForceKernel<'a> {
    blocks: &'a [SpringBlock],
    tangents: &'a mut [TangentBlock],
    f: &'a mut [Vec3],
    x: &'a [Vec3],
    v: &'a [Vec3],
}

impl LaneKernel for ForceKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for (block, tangent) in self.blocks.iter().zip(self.tangents) {
            let mut at = 0;
            while at < BLOCK {
                let apart = [differences(self.x, &block.ends, at), differences(self.v, &block.ends, at)];
                let f = force::<L>(&apart, &block.law, tangent, at);
                L::scatter_add(self.f, &block.ends, &[f, [-f[0], -f[1], -f[2]]], at, BLOCK);
                at += L::WIDTH;
            }
        }
    }
}

struct ProductKernel<'a> {
    k_factor: Real,
    blocks: &'a [SpringBlock],
    tangents: &'a [TangentBlock],
    df: &'a mut [Vec3],
    dx: &'a [Vec3],
}

impl LaneKernel for ProductKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let k = L::splat(self.k_factor);
        for (block, tangent) in self.blocks.iter().zip(self.tangents) {
            let mut at = 0;
            while at < BLOCK {
                let (u, stiffness) = (differences(self.dx, &block.ends, at), block.law.stiffness(at));
                let df = product::<L>(&u, tangent, stiffness, k, at);
                L::scatter_add(self.df, &block.ends, &[df, [-df[0], -df[1], -df[2]]], at, BLOCK);
                at += L::WIDTH;
            }
        }
    }
}

/// Springs between points of one state.
pub struct BlockSprings<K>(PhantomData<K>);

impl<K: SpringKind> BlockSprings<K> {
    /// The force field of some springs.
    pub fn parts(springs: &[Spring]) -> ForceFieldParts<Self> {
        let mut elements = pack(springs);
        elements.iter_mut().for_each(|block| block.law.act_from(K::SHORTEST));
        let stored = vec![TangentBlock::default(); elements.len()];
        ForceFieldParts::new((), elements, stored)
    }
}

impl<K: SpringKind> ForceField for BlockSprings<K> {
    type State = Vec3Type;
    type Constants = ();
    type Element = SpringBlock;
    type Stored = TangentBlock;
    const NAME: &'static str = K::NAME;
    const JOINS_STATES: bool = true;

    fn add_force(_: &(), at: AddForce<'_, Self>) {
        let AddForce { elements: blocks, stored: tangents, f, x, v, .. } = at;
        dispatch(ForceKernel { blocks, tangents, f, x, v });
    }

    fn add_d_force(_: &(), at: AddDForce<'_, Self>) {
        let AddDForce { k_factor, elements: blocks, stored: tangents, df, dx, .. } = at;
        dispatch(ProductKernel { k_factor, blocks, tangents, df, dx });
    }

    fn add_k_to_matrix(_: &(), at: AddKToMatrix<'_, Self>) {
        if !K::ASSEMBLED {
            return;
        }
        for (block, tangent) in at.elements.iter().zip(at.stored) {
            for (k, spring) in block.springs() {
                let ends = [spring.i, spring.j];
                tangent.get(k, spring.stiffness).each_block(at.k_factor, |[a, _], [b, _], block| {
                    at.matrix.add_block(ends[a], ends[b], block);
                });
            }
        }
    }

    fn potential_energy(_: &(), blocks: &[SpringBlock], x: &[Vec3]) -> Option<Real> {
        let energy = |(_, s): (usize, Spring)| s.energy(&x[s.i as usize], &x[s.j as usize]);
        Some(blocks.iter().flat_map(SpringBlock::springs).map(energy).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::lane::{Instructions, dispatch_with};
    use sim_core::testing::{ForceFieldCheck, Random};

    struct Assembled;
    impl SpringKind for Assembled {
        const NAME: &'static str = "springs";
        const ASSEMBLED: bool = true;
    }

    fn parts(springs: &[Spring]) -> ForceFieldParts<BlockSprings<Assembled>> {
        BlockSprings::parts(springs)
    }

    /// Springs of a random net: stretched ones, compressed ones and ones that only pull.
    fn net(random: &mut Random, n: u32, damping: Real) -> (Vec<Spring>, Vec<Vec3>) {
        let x = random.moved(&vec![Vec3::zeros(); n as usize], 1.0);
        let mut springs = Vec::new();
        for i in 0..n {
            for j in (i + 1..n).step_by(2) {
                springs.push(Spring {
                    i,
                    j,
                    stiffness: 50.0 + 20.0 * random.real(),
                    damping,
                    length: 0.7 + 0.5 * random.real(),
                    elongation_only: (i + j) % 5 == 0,
                });
            }
        }
        (springs, x)
    }

    #[test]
    fn conforms_without_damping() {
        let mut random = Random::new(1);
        let (springs, x) = net(&mut random, 9, 0.0);
        let v = random.derivs(9);
        ForceFieldCheck::new(&parts(&springs), x, v)
            .seed(1)
            .internal()
            .symmetric()
            .conservative()
            .assembled()
            .run();
    }

    /// The tangent holds the velocity of the elongation.
    #[test]
    fn conforms_with_the_elongation_velocity_held() {
        let mut random = Random::new(2);
        let (springs, x) = net(&mut random, 8, 3.0);
        let v: Vec<Vec3> = random.derivs(8);
        let rate = |s: &Spring| {
            let n = (x[s.j as usize] - x[s.i as usize]).normalize();
            n.dot(&(v[s.j as usize] - v[s.i as usize]))
        };
        let rates: Vec<Real> = springs.iter().map(rate).collect();
        let frozen = |f: &mut [Vec3], x: &[Vec3]| {
            for (s, rate) in springs.iter().zip(&rates) {
                let u = x[s.j as usize] - x[s.i as usize];
                let d = u.norm();
                if d > s.threshold() {
                    let force = u / d * (s.stiffness * (d - s.length) + s.damping * rate);
                    f[s.i as usize] += force;
                    f[s.j as usize] -= force;
                }
            }
        };
        let parts = parts(&springs);
        let check = ForceFieldCheck::new(&parts, x.clone(), v.clone()).seed(2).internal().symmetric();
        check.frozen(|_, _, _, f, x, _| frozen(f, x)).run();
    }

    #[test]
    fn blocks_have_the_bits_of_single_springs_with_all_instructions() {
        let mut random = Random::new(3);
        let (mut springs, mut x) = net(&mut random, 11, 2.0);
        x[10] = x[9];
        springs.push(Spring { i: 9, j: 10, ..springs[0] });
        let (v, dx): (Vec<Vec3>, Vec<Vec3>) = (random.derivs(11), random.derivs(11));
        let (mut f, mut df) = (vec![Vec3::zeros(); 11], vec![Vec3::zeros(); 11]);
        for s in &springs {
            let (i, j) = (s.i as usize, s.j as usize);
            if let Some((force, tangent)) = s.force(&x[i], &x[j], &v[i], &v[j]) {
                f[i] += force;
                f[j] -= force;
                let d = tangent.times(&(dx[j] - dx[i])) * 0.3;
                df[i] += d;
                df[j] -= d;
            }
        }
        let parts = parts(&springs);
        for instructions in Instructions::available() {
            let blocks = &parts.elements;
            let mut tangents = parts.stored.clone();
            let (mut g, mut dg) = (vec![Vec3::zeros(); 11], vec![Vec3::zeros(); 11]);
            dispatch_with(
                instructions,
                ForceKernel { blocks, tangents: &mut tangents, f: &mut g, x: &x, v: &v },
            );
            dispatch_with(
                instructions,
                ProductKernel { k_factor: 0.3, blocks, tangents: &tangents, df: &mut dg, dx: &dx },
            );
            assert!(g == f && dg == df, "{instructions:?}");
        }
    }
}
