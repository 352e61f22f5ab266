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
//! with g_ξ the gradient of ξ, constant, and U the [`modes`](super::modes). A product takes
//! 214 multiplications where a dense 24 x 24 matrix between two rotations takes 720, and reads 11 numbers instead of 309.

use sim_core::component::matrix::BlockSink;
use sim_core::math::lane::{Lane, Row};
use sim_core::math::{Mat3, Vec3};

pub use super::hexahedra::Constants;
use super::hexahedra::{self, RestBlock, put};
use super::hexahedron_loops::Hexahedra;
use super::lane_algebra::*;
use super::modes::{ModeRows, Modes};
use super::patches::Nodes;
use super::tetrahedra::isotropic_block;

/// Hexahedra that are parallelepipeds at rest.
#[derive(Clone, Copy, Debug)]
pub struct Bricks;

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

impl Hexahedra for Bricks {
    type Constants = Constants;
    type Block = Block;
    type Tangent = Tangent;

    #[inline(always)]
    fn constants(c: &Constants) -> &Constants {
        c
    }

    #[inline(always)]
    fn nodes(block: &Block) -> &Nodes<8> {
        &block.nodes
    }

    #[inline(always)]
    fn rest(block: &Block) -> &ModeRows {
        &block.rest
    }

    #[inline(always)]
    fn refresh<L: Lane>(q: &M3<L>, block: &Block, stored: &mut Tangent, at: usize) {
        let g = load33::<L>(&block.gradients, at);
        let world = [mul_transposed(q, &g[0]), mul_transposed(q, &g[1]), mul_transposed(q, &g[2])];
        store33(&world, &mut stored.gradients, at);
    }

    #[inline(always)]
    fn elastic<L: Lane>(_: &Constants, block: &Block, u: &Modes<L>, factor: f64, at: usize) -> Modes<L> {
        block.elastic(u, &block.gradients, factor, at)
    }

    #[inline(always)]
    fn product<L: Lane>(
        _: &Constants,
        (block, stored): (&Block, &Tangent),
        u: &Modes<L>,
        factor: f64,
        at: usize,
    ) -> Modes<L> {
        block.elastic(u, &stored.gradients, factor, at)
    }

    fn add_stiffness(
        _: &Constants,
        (block, stored): (&Block, &Tangent),
        slot: usize,
        factor: f64,
        matrix: &mut dyn BlockSink,
    ) {
        let g = [0, 1, 2].map(|k| Vec3::from_fn(|i, _| stored.gradients[k][i].0[slot]));
        let (lambda, mu) = (factor * block.lambda.0[slot], factor * block.mu.0[slot]);
        add_element(&block.nodes, slot, &g, lambda, mu, matrix);
    }
}

impl Block {
    /// The elastic modes, times a factor, where the gradients of ξ, η, ζ are these.
    #[inline(always)]
    fn elastic<L: Lane>(&self, u: &Modes<L>, gradients: &MRow, factor: f64, at: usize) -> Modes<L> {
        let factor = L::splat(factor);
        let (lambda, mu) = (factor * L::load(&self.lambda, at), factor * L::load(&self.mu, at));
        elastic(u, &load33::<L>(gradients, at), lambda, mu)
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
