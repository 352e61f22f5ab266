//! Hexahedra of any shape, by 2 x 2 x 2 Gauss points.
//!
//! K u is summed over the points: H = Σ_k ∂u/∂ξ_k ⊗ ∇ξ_k, S = λ tr(H) 1 + μ (H + Hᵀ), and back, in the [`modes`] of the element.

use sim_core::component::matrix::BlockSink;
use sim_core::math::lane::{Lane, Row};
use sim_core::math::{Mat3, Vec3};

use super::hexahedra::{Constants, GAUSS, RestBlock, SIGNS, Tangent, put};
use super::hexahedron_loops::Hexahedra;
use super::lane_algebra::*;
use super::modes::{self, ModeRows, Modes};
use super::patches::Nodes;
use super::tetrahedra::isotropic_block;

/// Hexahedra of any shape.
#[derive(Clone, Copy, Debug)]
pub struct General;

/// One Gauss point of eight elements.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct Point {
    gradients: MRow,
    lambda: Row,
    mu: Row,
}

/// Eight hexahedra.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Points by node and element.
    pub nodes: Nodes<8>,
    rest: ModeRows,
    points: [Point; 8],
}

/// Blocks from rest shapes, and what they store at first.
pub fn build(shapes: &[RestBlock]) -> (Vec<Block>, Vec<Tangent>) {
    let empty = Point { gradients: ZERO_ROWS, lambda: Row::default(), mu: Row::default() };
    let mut blocks = Vec::with_capacity(shapes.len());
    for shape in shapes {
        let mut block = Block { nodes: shape.nodes, rest: shape.modes, points: [empty; 8] };
        for (slot, element) in shape.elements.iter().enumerate() {
            for (point, rest) in block.points.iter_mut().zip(&element.points) {
                put(&rest.gradients, &mut point.gradients, slot);
                // Both u = ⅛ Σ φ U and the forces have a factor ⅛.
                point.lambda.0[slot] = element.lame.lambda * rest.det / 64.0;
                point.mu.0[slot] = element.lame.mu * rest.det / 64.0;
            }
        }
        blocks.push(block);
    }
    (blocks, vec![Tangent::at_first(); shapes.len()])
}

/// The elastic modes −Fₘ of displacement modes, factors times the material.
#[inline(always)]
fn elastic<L: Lane>(u: &Modes<L>, points: &[Point; 8], factor: L, at: usize) -> Modes<L> {
    let zero = [L::splat(0.0); 3];
    let mut f = [zero; 7];
    let (a, a_a) = (L::splat(GAUSS), L::splat(1.0 / 3.0));
    // ξη, ηζ, ζξ and ξηζ in terms of coordinates that are ±1 at the Gauss points.
    let (xy, yz, zx, xyz) = (scale(&u[3], a), scale(&u[4], a), scale(&u[5], a), scale(&u[6], a_a));
    let mut q = 0;
    while q < 8 {
        let point = &points[q];
        let s = &SIGNS[q];
        let (x, y, z) = (L::splat(s[0]), L::splat(s[1]), L::splat(s[2]));
        let d = [
            add(&add(&u[0], &scale(&xy, y)), &scale(&add(&zx, &scale(&xyz, y)), z)),
            add(&add(&u[1], &scale(&yz, z)), &scale(&add(&xy, &scale(&xyz, z)), x)),
            add(&add(&u[2], &scale(&zx, x)), &scale(&add(&yz, &scale(&xyz, x)), y)),
        ];
        let g = load33::<L>(&point.gradients, at);
        let h = add_outer(&add_outer(&outer(&d[0], &g[0]), &d[1], &g[1]), &d[2], &g[2]);
        let s = stress(&h, factor * L::load(&point.lambda, at), factor * L::load(&point.mu, at));
        let p = [mul_symmetric(&s, &g[0]), mul_symmetric(&s, &g[1]), mul_symmetric(&s, &g[2])];
        f[0] = add(&f[0], &p[0]);
        f[1] = add(&f[1], &p[1]);
        f[2] = add(&f[2], &p[2]);
        f[3] = add(&f[3], &add(&scale(&p[0], y), &scale(&p[1], x)));
        f[4] = add(&f[4], &add(&scale(&p[1], z), &scale(&p[2], y)));
        f[5] = add(&f[5], &add(&scale(&p[2], x), &scale(&p[0], z)));
        f[6] = add(&f[6], &add(&add(&scale(&p[0], y * z), &scale(&p[1], z * x)), &scale(&p[2], x * y)));
        q += 1;
    }
    f[3] = scale(&f[3], a);
    f[4] = scale(&f[4], a);
    f[5] = scale(&f[5], a);
    f[6] = scale(&f[6], a_a);
    f
}

impl Hexahedra for General {
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
    fn refresh<L: Lane>(q: &M3<L>, _: &Block, stored: &mut Tangent, at: usize) {
        store33(q, &mut stored.frame, at);
    }

    #[inline(always)]
    fn elastic<L: Lane>(_: &Constants, block: &Block, u: &Modes<L>, factor: f64, at: usize) -> Modes<L> {
        elastic(u, &block.points, L::splat(factor), at)
    }

    #[inline(always)]
    fn product<L: Lane>(
        _: &Constants,
        (block, stored): (&Block, &Tangent),
        u: &Modes<L>,
        factor: f64,
        at: usize,
    ) -> Modes<L> {
        let q = load33::<L>(&stored.frame, at);
        modes::rotated_back(&q, &elastic(&modes::rotated(&q, u), &block.points, L::splat(factor), at))
    }

    fn add_stiffness(
        _: &Constants,
        (block, stored): (&Block, &Tangent),
        slot: usize,
        factor: f64,
        matrix: &mut dyn BlockSink,
    ) {
        let q = Mat3::from_fn(|i, j| stored.frame[i][j].0[slot]);
        let gradients = [0, 1, 2, 3, 4, 5, 6, 7].map(|p| {
            let point = &block.points[p];
            let g = [0, 1, 2].map(|k| q.transpose() * Vec3::from_fn(|i, _| point.gradients[k][i].0[slot]));
            SIGNS.map(|s| node_gradient(&s, &SIGNS[p], &g))
        });
        for i in 0..8 {
            for j in 0..8 {
                let mut k = Mat3::zeros();
                for (point, gradients) in block.points.iter().zip(&gradients) {
                    let (lambda, mu) = (factor * point.lambda.0[slot], factor * point.mu.0[slot]);
                    k += isotropic_block(&gradients[i], &gradients[j], lambda, mu);
                }
                matrix.add_block(block.nodes.points[i][slot], block.nodes.points[j][slot], &k);
            }
        }
    }
}

/// Eight times the gradient of a node's shape function at a Gauss point.
fn node_gradient(node: &[f64; 3], point: &[f64; 3], g: &[Vec3; 3]) -> Vec3 {
    let t = [0, 1, 2].map(|k| 1.0 + node[k] * point[k] * GAUSS);
    g[0] * (node[0] * t[1] * t[2]) + g[1] * (node[1] * t[0] * t[2]) + g[2] * (node[2] * t[0] * t[1])
}
