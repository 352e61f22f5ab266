//! Springs eight at a time: contiguous blocks, evaluated in lanes and added spring after spring.

use std::marker::PhantomData;

use sim_core::component::force_field::{AddDForce, AddForce, AddKToMatrix, ForceField, ForceFieldParts};
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};
use sim_core::math::{Real, Vec3, Vec3Type};

use super::kind::SpringKind;
use super::spring::{Spring, Tangent};

/// Eight springs; the last block of a field is filled up with springs that never act.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SpringBlock {
    /// First and second ends.
    ends: [[u32; BLOCK]; 2],
    /// [N/m]
    stiffness: Row,
    /// [N s/m]
    damping: Row,
    /// Rest lengths [m].
    length: Row,
    /// Lengths from which they act [m]; infinite for what fills the last block up.
    threshold: Row,
}

/// The tangents of a block: see [`Tangent`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct TangentBlock {
    n: [Row; 3],
    s: Row,
    t: Row,
}

/// Puts springs into blocks, in their order.
pub fn pack(springs: &[Spring]) -> Vec<SpringBlock> {
    let pack = |springs: &[Spring]| {
        let row = |of: fn(&Spring) -> Real, filling: Real| {
            Row(std::array::from_fn(|k| springs.get(k).map_or(filling, of)))
        };
        let end = |of: fn(&Spring) -> u32| std::array::from_fn(|k| of(springs.get(k).unwrap_or(&springs[0])));
        SpringBlock {
            ends: [end(|s| s.i), end(|s| s.j)],
            stiffness: row(|s| s.stiffness, 0.0),
            damping: row(|s| s.damping, 0.0),
            length: row(|s| s.length, 0.0),
            threshold: row(Spring::threshold, Real::INFINITY),
        }
    };
    springs.chunks(BLOCK).map(pack).collect()
}

impl SpringBlock {
    /// The springs with their places in the block, without what fills it up; which of them only pull is folded into the threshold.
    pub fn springs(&self) -> impl Iterator<Item = (usize, Spring)> + '_ {
        (0..BLOCK).filter(|k| self.threshold.0[*k].is_finite()).map(|k| {
            let spring = Spring {
                i: self.ends[0][k],
                j: self.ends[1][k],
                stiffness: self.stiffness.0[k],
                damping: self.damping.0[k],
                length: self.length.0[k],
                // The threshold of one that only pulls is its length; that of others does not depend on it.
                elongation_only: self.threshold.0[k] > super::spring::SHORTEST
                    && self.threshold.0[k] >= self.length.0[k],
            };
            (k, spring)
        })
    }
}

impl TangentBlock {
    fn get(&self, k: usize) -> Tangent {
        let n = Vec3::new(self.n[0].0[k], self.n[1].0[k], self.n[2].0[k]);
        Tangent { n, s: self.s.0[k], t: self.t.0[k] }
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
            let [i, j] = &block.ends;
            let mut at = 0;
            while at < BLOCK {
                let [u, w] = [differences::<L>(self.x, i, j, at), differences::<L>(self.v, i, j, at)];
                let d = inner(&u, &u).sqrt();
                let acts = d.gt(L::load(&block.threshold, at));
                let inverse = L::splat(1.0) / d;
                let n = [u[0] * inverse, u[1] * inverse, u[2] * inverse];
                let stiffness = L::load(&block.stiffness, at);
                let phi = stiffness * (d - L::load(&block.length, at))
                    + L::load(&block.damping, at) * inner(&n, &w);
                let t = phi * inverse;
                let s = stiffness - t;
                let zero = L::splat(0.0);
                // A spring that does nothing has a force and a tangent of 0, whatever its direction came out as.
                let n =
                    [L::select(acts, n[0], zero), L::select(acts, n[1], zero), L::select(acts, n[2], zero)];
                let phi = L::select(acts, phi, zero);
                n[0].store(&mut tangent.n[0], at);
                n[1].store(&mut tangent.n[1], at);
                n[2].store(&mut tangent.n[2], at);
                L::select(acts, s, zero).store(&mut tangent.s, at);
                L::select(acts, t, zero).store(&mut tangent.t, at);
                let f = [n[0] * phi, n[1] * phi, n[2] * phi];
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
            let [i, j] = &block.ends;
            let mut at = 0;
            while at < BLOCK {
                let u = differences::<L>(self.dx, i, j, at);
                let n = [L::load(&tangent.n[0], at), L::load(&tangent.n[1], at), L::load(&tangent.n[2], at)];
                let (s, t) = (L::load(&tangent.s, at), L::load(&tangent.t, at));
                // The rows of D = s n nᵀ + t I, as a matrix would have them: SOFA's bits.
                let sn = [s * n[0], s * n[1], s * n[2]];
                let df = [
                    inner(&[sn[0] * n[0] + t, sn[0] * n[1], sn[0] * n[2]], &u) * k,
                    inner(&[sn[1] * n[0], sn[1] * n[1] + t, sn[1] * n[2]], &u) * k,
                    inner(&[sn[2] * n[0], sn[2] * n[1], sn[2] * n[2] + t], &u) * k,
                ];
                L::scatter_add(self.df, &block.ends, &[df, [-df[0], -df[1], -df[2]]], at, BLOCK);
                at += L::WIDTH;
            }
        }
    }
}

/// of[j] - of[i].
#[inline(always)]
fn differences<L: Lane>(of: &[Vec3], i: &[u32; BLOCK], j: &[u32; BLOCK], at: usize) -> [L; 3] {
    let (a, b) = (L::gather(of, i, at), L::gather(of, j, at));
    [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
}

#[inline(always)]
fn inner<L: Lane>(a: &[L; 3], b: &[L; 3]) -> L {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

/// Springs between points of one state.
pub struct BlockSprings<K>(PhantomData<K>);

impl<K: SpringKind> BlockSprings<K> {
    /// The force field of some springs.
    pub fn parts(springs: &[Spring]) -> ForceFieldParts<Self> {
        let mut elements = pack(springs);
        for threshold in elements.iter_mut().flat_map(|block| &mut block.threshold.0) {
            *threshold = threshold.max(K::SHORTEST);
        }
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
                tangent.get(k).each_block(at.k_factor, |[a, _], [b, _], block| {
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
