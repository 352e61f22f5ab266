//! Hexahedra that are parallelepipeds at rest: one Jacobian, so the eight Gauss points need not be visited.
//!
//! With a constant Jacobian the displacement gradient is a combination of 1, ξ, η, ζ, ηζ, ζξ, ξη, and the products of two
//! different ones integrate to zero over the cube, by 2 x 2 x 2 Gauss points as exactly as by hand. The energy is therefore a sum
//! of seven terms, with weights 1, 1/3 and 1/9 (the integrals of 1, ξ² and ξ²η² over 8), each of the gradient
//!
//! | term | H |
//! |---|---|
//! | 1 | U_ξ ⊗ g_ξ + U_η ⊗ g_η + U_ζ ⊗ g_ζ |
//! | ξ | U_ξη ⊗ g_η + U_ζξ ⊗ g_ζ (η, ζ alike) |
//! | ηζ | U_ξηζ ⊗ g_ξ (ζξ, ξη alike) |
//!
//! with g_ξ the gradient of ξ, constant, and U the [`modes`]. A product takes
//! 214 multiplications where a dense 24 x 24 matrix between two rotations takes 720, and reads 11 numbers instead of 309.

use sim_core::component::matrix::BlockSink;
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};
use sim_core::math::{Mat3, Vec3};

pub use super::hexahedra::Constants;
use super::hexahedra::{self, RestBlock, put};
use super::lane_algebra::*;
use super::modes::{self, ModeRows, Modes};
use super::patches::{self, Direct, Nodes, Route, Slots};
use super::tetrahedra::isotropic_block;

/// Eight bricks.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Points by node and element.
    pub nodes: Nodes<8>,
    /// First Lamé constant times det J / 8 [N m].
    pub lambda: Row,
    /// Shear modulus times det J / 8 [N m].
    pub mu: Row,
    /// Gradients of ξ, η, ζ in the rest frame [1/m].
    gradients: MRow,
    /// Modes of the rest positions in the rest frame [m].
    rest: ModeRows,
}

/// What `add_force` leaves: the gradients of ξ, η, ζ in world axes [1/m].
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Tangent {
    /// By coordinate, then axis.
    pub gradients: MRow,
}

/// Blocks from rest shapes, and what they store at first.
pub fn build(shapes: &[RestBlock]) -> (Vec<Block>, Vec<Tangent>) {
    let mut blocks = Vec::with_capacity(shapes.len());
    let mut stored = Vec::with_capacity(shapes.len());
    for shape in shapes {
        let mut block = Block {
            nodes: shape.nodes,
            lambda: Row::default(),
            mu: Row::default(),
            gradients: ZERO_ROWS,
            rest: shape.modes,
        };
        for (slot, element) in shape.elements.iter().enumerate() {
            let point = &element.points[0];
            put(&point.gradients, &mut block.gradients, slot);
            block.lambda.0[slot] = element.lame.lambda * point.det / 8.0;
            block.mu.0[slot] = element.lame.mu * point.det / 8.0;
        }
        stored.push(Tangent { gradients: block.gradients });
        blocks.push(block);
    }
    (blocks, stored)
}

/// The elastic modes −Fₘ of displacement modes.
#[inline(always)]
fn elastic<L: Lane>(u: &Modes<L>, g: &M3<L>, lambda: L, mu: L) -> Modes<L> {
    let [x, y, z, xy, yz, zx, xyz] = u;
    let third = L::splat(1.0 / 3.0);
    let s = stress(&add_outer(&add_outer(&outer(x, &g[0]), y, &g[1]), z, &g[2]), lambda, mu);
    let (fx, fy, fz) = (mul_symmetric(&s, &g[0]), mul_symmetric(&s, &g[1]), mul_symmetric(&s, &g[2]));

    let (lambda, mu) = (lambda * third, mu * third);
    let s = stress(&add_outer(&outer(xy, &g[1]), zx, &g[2]), lambda, mu); // ξ
    let (fxy, fzx) = (mul_symmetric(&s, &g[1]), mul_symmetric(&s, &g[2]));
    let s = stress(&add_outer(&outer(xy, &g[0]), yz, &g[2]), lambda, mu); // η
    let (fxy, fyz) = (add(&fxy, &mul_symmetric(&s, &g[0])), mul_symmetric(&s, &g[2]));
    let s = stress(&add_outer(&outer(zx, &g[0]), yz, &g[1]), lambda, mu); // ζ
    let (fzx, fyz) = (add(&fzx, &mul_symmetric(&s, &g[0])), add(&fyz, &mul_symmetric(&s, &g[1])));

    // The three terms of ξηζ at once: Σ λ g (g·u) + μ (g (g·u) + u |g|²).
    let (lambda, mu) = (lambda * third, mu * third);
    let (a, b, c) = (dot(&g[0], xyz), dot(&g[1], xyz), dot(&g[2], xyz));
    let squares = (dot(&g[0], &g[0]) + dot(&g[1], &g[1])) + dot(&g[2], &g[2]);
    let along = mul_transposed(g, &[a, b, c]);
    let fxyz = add(&scale(&along, lambda + mu), &scale(xyz, mu * squares));
    [fx, fy, fz, fxy, fyz, fzx, fxyz]
}

/// f += F(x), rotated gradients refreshed.
pub fn add_force(c: &Constants, blocks: &[Block], stored: &mut [Tangent], f: &mut [Vec3], x: &[Vec3]) {
    dispatch(Force { c: *c, blocks, stored, f, x });
}

struct Force<'a> {
    c: Constants,
    blocks: &'a [Block],
    stored: &'a mut [Tangent],
    f: &'a mut [Vec3],
    x: &'a [Vec3],
}

impl LaneKernel for Force<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        if self.c.patched {
            self.by::<L, _>(Slots::new());
        } else {
            self.by::<L, _>(Direct);
        }
    }
}

impl Force<'_> {
    #[inline(always)]
    fn by<L: Lane, R: Route>(self, mut route: R) {
        let Self { c, blocks, stored, f, x } = self;
        for (block, stored) in blocks.iter().zip(stored) {
            let mut at = 0;
            while at < BLOCK {
                let positions = modes::of_nodes::<L>(&route.gather(&block.nodes, x, at));
                let q = hexahedra::frame(c.method, &positions);
                let u = modes::local_displacement(&q, &positions, &block.rest, at);
                let g = load33::<L>(&block.gradients, at);
                let world = [mul_transposed(&q, &g[0]), mul_transposed(&q, &g[1]), mul_transposed(&q, &g[2])];
                store33(&world, &mut stored.gradients, at);
                let (lambda, mu) = (-L::load(&block.lambda, at), -L::load(&block.mu, at));
                let forces = modes::rotated_back(&q, &elastic(&u, &g, lambda, mu));
                route.add(&block.nodes, f, &modes::to_nodes(&forces), at);
                at += L::WIDTH;
            }
            route.finish::<L, 8>(&block.nodes, f);
        }
    }
}

/// df += κ ∂f/∂x dx
pub fn add_d_force(
    c: &Constants,
    factor: f64,
    blocks: &[Block],
    stored: &[Tangent],
    df: &mut [Vec3],
    dx: &[Vec3],
) {
    dispatch(DForce { patched: c.patched, factor, blocks, stored, df, dx });
}

struct DForce<'a> {
    patched: bool,
    factor: f64,
    blocks: &'a [Block],
    stored: &'a [Tangent],
    df: &'a mut [Vec3],
    dx: &'a [Vec3],
}

impl LaneKernel for DForce<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        if self.patched {
            self.by::<L, _>(Slots::new());
        } else {
            self.by::<L, _>(Direct);
        }
    }
}

impl DForce<'_> {
    #[inline(always)]
    fn by<L: Lane, R: Route>(self, mut route: R) {
        let Self { factor, blocks, stored, df, dx, .. } = self;
        let factor = L::splat(-factor);
        for (block, stored) in blocks.iter().zip(stored) {
            let mut at = 0;
            while at < BLOCK {
                let u = modes::of_nodes::<L>(&route.gather(&block.nodes, dx, at));
                let g = load33::<L>(&stored.gradients, at);
                let (lambda, mu) = (factor * L::load(&block.lambda, at), factor * L::load(&block.mu, at));
                let forces = modes::to_nodes(&elastic(&u, &g, lambda, mu));
                route.add(&block.nodes, df, &forces, at);
                at += L::WIDTH;
            }
            route.finish::<L, 8>(&block.nodes, df);
        }
    }
}

/// Elastic energy ½ Σ uᵀ K u [J].
pub fn potential_energy(c: &Constants, blocks: &[Block], x: &[Vec3]) -> f64 {
    dispatch(Energy { c: *c, blocks, x })
}

struct Energy<'a> {
    c: Constants,
    blocks: &'a [Block],
    x: &'a [Vec3],
}

impl LaneKernel for Energy<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lane>(self) -> f64 {
        let Self { c, blocks, x } = self;
        let mut energy = 0.0;
        for block in blocks {
            let (mut at, mut row) = (0, Row::default());
            while at < BLOCK {
                let positions = modes::of_nodes::<L>(&Direct.gather(&block.nodes, x, at));
                let q = hexahedra::frame(c.method, &positions);
                let u = modes::local_displacement(&q, &positions, &block.rest, at);
                let g = load33::<L>(&block.gradients, at);
                let f = elastic(&u, &g, L::load(&block.lambda, at), L::load(&block.mu, at));
                modes::work(&u, &f).store(&mut row, at);
                at += L::WIDTH;
            }
            for e in row.0.iter().take(usize::from(block.nodes.count)) {
                energy += 0.5 * e;
            }
        }
        energy
    }
}

/// Adds the blocks of κ ∂f/∂x of each element.
pub fn add_k_to_matrix(
    c: &Constants,
    factor: f64,
    blocks: &[Block],
    stored: &[Tangent],
    matrix: &mut dyn BlockSink,
) {
    for e in 0..c.n_elements {
        let (b, slot) = patches::place(|b| &blocks[b].nodes, e);
        let (block, tangent) = (&blocks[b], &stored[b]);
        let g = [0, 1, 2].map(|k| Vec3::from_fn(|i, _| tangent.gradients[k][i].0[slot]));
        let (lambda, mu) = (-factor * block.lambda.0[slot], -factor * block.mu.0[slot]);
        add_element(&block.nodes, slot, &g, lambda, mu, matrix);
    }
}

/// Adds the blocks of one element with the gradients of ξ, η, ζ in world axes.
pub(super) fn add_element(
    nodes: &Nodes<8>,
    slot: usize,
    g: &[Vec3; 3],
    lambda: f64,
    mu: f64,
    matrix: &mut dyn BlockSink,
) {
    let terms = hexahedra::SIGNS.map(|s| terms(&s, g));
    for i in 0..8 {
        for j in 0..8 {
            let mut k = Mat3::zeros();
            for (t, weight) in WEIGHTS.iter().enumerate() {
                k += isotropic_block(&terms[i][t], &terms[j][t], lambda * weight, mu * weight);
            }
            matrix.add_block(nodes.points[i][slot], nodes.points[j][slot], &k);
        }
    }
}

/// Weights of the seven terms.
const WEIGHTS: [f64; 7] = [1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0];

/// A node's gradient in each of the seven terms.
fn terms(s: &[f64; 3], g: &[Vec3; 3]) -> [Vec3; 7] {
    let (xy, yz, zx) = (s[0] * s[1], s[1] * s[2], s[2] * s[0]);
    let xyz = xy * s[2];
    [
        g[0] * s[0] + g[1] * s[1] + g[2] * s[2],
        g[1] * xy + g[2] * zx,
        g[0] * xy + g[2] * yz,
        g[0] * zx + g[1] * yz,
        g[0] * xyz,
        g[1] * xyz,
        g[2] * xyz,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::frame::Method;
    use crate::force_field::fem::material::Material;
    use crate::force_field::fem::oracle::{bar, deformed};
    use crate::force_field::fem::patches::Order;
    use sim_core::math::lane::{Instructions, dispatch_with};

    #[test]
    fn all_instruction_sets_give_the_same_bits() {
        for (cells, patched) in [([3, 3, 1], false), ([3, 4, 5], true)] {
            let (rest, elements) = bar(cells); // the last block is incomplete
            same_bits(&rest, &elements, patched);
        }
    }

    fn same_bits(rest: &[Vec3], elements: &[[u32; 8]], patched: bool) {
        let x = deformed(rest, 0.1, 1);
        for method in [Method::Small, Method::Large, Method::Polar] {
            let material = Material::uniform(1000.0, 0.3);
            let shapes = hexahedra::rest_shapes(rest, elements, &material, method, Order::Fastest).unwrap();
            let (blocks, at_first) = build(&shapes.blocks);
            let c = shapes.constants(method);
            assert_eq!(c.patched, patched);
            let mut results = Vec::new();
            for instructions in Instructions::available() {
                let (mut f, mut df, mut stored) = (rest.to_vec(), rest.to_vec(), at_first.clone());
                let blocks = &blocks[..];
                dispatch_with(instructions, Force { c, blocks, stored: &mut stored, f: &mut f, x: &x });
                let product = DForce { patched, factor: -0.3, blocks, stored: &stored, df: &mut df, dx: &x };
                dispatch_with(instructions, product);
                results.push((f, df, dispatch_with(instructions, Energy { c, blocks, x: &x })));
            }
            assert!(results.windows(2).all(|w| w[0] == w[1]), "{method:?}");
        }
    }
}
