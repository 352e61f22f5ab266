//! Hexahedra that are equal boxes at rest, as the cells of a grid are: their stiffness has 45 entries.
//!
//! In the frame of its edges a box's gradients of ξ, η, ζ are along the axes. Between the [`modes`], the stiffness of an isotropic
//! material then falls apart: each strain is felt by one component of a mode, or by two or three of different modes. Of 576
//! entries 45 remain, of 30 different values, the same for all elements of equal edges and material. A product is two
//! transforms of additions, two rotations of seven modes, and these 45 products.
//!
//! | modes | what is coupled |
//! |---|---|
//! | ξ, η, ζ | the three stretches; in each plane, the two shears |
//! | ξη, ηζ, ζξ | each component with itself, and in each plane two pairs |
//! | ξηζ | each component with itself |

use sim_core::component::matrix::BlockSink;
use sim_core::math::lane::Lane;
use sim_core::math::{Mat3, Vec3};

use super::bricks;
pub use super::hexahedra::Tangent;
use super::hexahedra::{self, RestShapes};
use super::hexahedron_loops::Hexahedra;
use super::lane_algebra::*;
use super::modes::{self, ModeRows, Modes};
use super::patches::Nodes;

/// How much of a number may be rounding: what is smaller beside the others counts as zero, what differs less as equal.
const ROUNDING: f64 = 1e-12;

/// Hexahedra that are equal boxes at rest.
#[derive(Clone, Copy, Debug)]
pub struct Boxes;

/// Eight boxes.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Points by node and element.
    pub nodes: Nodes<8>,
    /// Modes of the rest positions in the rest frame [m].
    rest: ModeRows,
}

/// Numbers that hold for all elements.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// What all hexahedra have.
    pub elements: hexahedra::Constants,
    /// The box.
    shape: Shape,
    stiffness: Stiffness,
}

/// A box and its material.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Lengths of the gradients of ξ, η, ζ [1/m], negative where they are against the axes.
    gradients: [f64; 3],
    /// First Lamé constant times det J / 8 [N m].
    lambda: f64,
    /// Shear modulus times det J / 8 [N m].
    mu: f64,
}

/// The entries of the stiffness between modes [N/m]. Pairs of axes are yz, zx, xy.
#[derive(Clone, Copy, Debug)]
struct Stiffness {
    /// Of stretches along axes with themselves, and with those along the others.
    stretch: [f64; 3],
    stretches: [f64; 3],
    /// Of the shears: by the axis of the gradient, and between the two of a pair.
    shear: [f64; 3],
    shears: [f64; 3],
    /// Of modes of two coordinates with themselves, by mode (ξη, ηζ, ζξ) and component.
    second: [[f64; 3]; 3],
    /// Between stretches and between shears of two of them.
    second_stretches: [f64; 3],
    second_shears: [f64; 3],
    /// Of the mode ξηζ with itself.
    third: [f64; 3],
}

impl Stiffness {
    fn new(Shape { gradients: g, lambda, mu }: Shape) -> Self {
        let pairs = [g[1] * g[2], g[2] * g[0], g[0] * g[1]];
        let squares = g.map(|g| g * g);
        let along = lambda + 2.0 * mu;
        // Component i of a mode whose gradients lie along the given axes.
        let itself = |i: usize, axes: &[usize]| -> f64 {
            axes.iter().map(|a| if *a == i { along } else { mu } * squares[*a]).sum()
        };
        let second = [[0, 1], [1, 2], [2, 0]].map(|axes| [0, 1, 2].map(|i| itself(i, &axes) / 3.0));
        Self {
            stretch: squares.map(|s| along * s),
            stretches: pairs.map(|p| lambda * p),
            shear: squares.map(|s| mu * s),
            shears: pairs.map(|p| mu * p),
            second,
            second_stretches: pairs.map(|p| lambda * p / 3.0),
            second_shears: pairs.map(|p| mu * p / 3.0),
            third: [0, 1, 2].map(|i| itself(i, &[0, 1, 2]) / 9.0),
        }
    }
}

/// The box that all elements are, if they are.
fn shape_of(shapes: &RestShapes) -> Option<Shape> {
    let mut elements = shapes.blocks.iter().flat_map(|b| &b.elements);
    let shape = |e: &hexahedra::RestElement| {
        let point = &e.points[0];
        let g = point.gradients.diagonal();
        // Beside these entries of the transformed stiffness all others are rounding if the gradients lie along the axes.
        let beside = (point.gradients - Mat3::from_diagonal(&g)).amax();
        let (lambda, mu) = (e.lame.lambda * point.det / 8.0, e.lame.mu * point.det / 8.0);
        (beside <= ROUNDING * g.amin()).then_some(Shape { gradients: [g.x, g.y, g.z], lambda, mu })
    };
    let first = shape(elements.next()?)?;
    let equal = |a: f64, b: f64| (a - b).abs() <= ROUNDING * a.abs();
    let all = shapes.all_bricks
        && elements.all(|e| {
            shape(e).is_some_and(|s| {
                equal(first.lambda, s.lambda)
                    && equal(first.mu, s.mu)
                    && first.gradients.iter().zip(s.gradients).all(|(a, b)| equal(*a, b))
            })
        });
    all.then_some(first)
}

/// Constants, blocks and what they store at first; none where the elements are not equal boxes.
pub fn build(
    shapes: &RestShapes,
    constants: hexahedra::Constants,
) -> Option<(Constants, Vec<Block>, Vec<Tangent>)> {
    let shape = shape_of(shapes)?;
    let constants = Constants { elements: constants, shape, stiffness: Stiffness::new(shape) };
    let blocks: Vec<Block> = shapes.blocks.iter().map(|b| Block { nodes: b.nodes, rest: b.modes }).collect();
    let stored = vec![Tangent::at_first(); blocks.len()];
    Some((constants, blocks, stored))
}

/// The elastic modes −Fₘ of displacement modes, times a factor.
#[inline(always)]
fn elastic<L: Lane>(u: &Modes<L>, k: &Stiffness, factor: f64) -> Modes<L> {
    let [x, y, z, xy, yz, zx, xyz] = u;
    let s = |value: f64| L::splat(factor * value);
    let (stretch, shear) = (&k.stretch, &k.shear);
    let [s_yz, s_zx, s_xy] = [s(k.stretches[0]), s(k.stretches[1]), s(k.stretches[2])];
    let [t_yz, t_zx, t_xy] = [s(k.shears[0]), s(k.shears[1]), s(k.shears[2])];
    let fx = [
        (s(stretch[0]) * x[0] + s_xy * y[1]) + s_zx * z[2],
        s(shear[0]) * x[1] + t_xy * y[0],
        s(shear[0]) * x[2] + t_zx * z[0],
    ];
    let fy = [
        s(shear[1]) * y[0] + t_xy * x[1],
        (s(stretch[1]) * y[1] + s_xy * x[0]) + s_yz * z[2],
        s(shear[1]) * y[2] + t_yz * z[1],
    ];
    let fz = [
        s(shear[2]) * z[0] + t_zx * x[2],
        s(shear[2]) * z[1] + t_yz * y[2],
        (s(stretch[2]) * z[2] + s_zx * x[0]) + s_yz * y[1],
    ];
    let [s_yz, s_zx, s_xy] = [s(k.second_stretches[0]), s(k.second_stretches[1]), s(k.second_stretches[2])];
    let [t_yz, t_zx, t_xy] = [s(k.second_shears[0]), s(k.second_shears[1]), s(k.second_shears[2])];
    let [d_xy, d_yz, d_zx] = &k.second;
    let fxy = [
        s(d_xy[0]) * xy[0] + s_zx * yz[2],
        s(d_xy[1]) * xy[1] + s_yz * zx[2],
        (s(d_xy[2]) * xy[2] + t_yz * zx[1]) + t_zx * yz[0],
    ];
    let fyz = [
        (s(d_yz[0]) * yz[0] + t_zx * xy[2]) + t_xy * zx[1],
        s(d_yz[1]) * yz[1] + s_xy * zx[0],
        s(d_yz[2]) * yz[2] + s_zx * xy[0],
    ];
    let fzx = [
        s(d_zx[0]) * zx[0] + s_xy * yz[1],
        (s(d_zx[1]) * zx[1] + t_yz * xy[2]) + t_xy * yz[0],
        s(d_zx[2]) * zx[2] + s_yz * xy[1],
    ];
    let fxyz = [s(k.third[0]) * xyz[0], s(k.third[1]) * xyz[1], s(k.third[2]) * xyz[2]];
    [fx, fy, fz, fxy, fyz, fzx, fxyz]
}

impl Hexahedra for Boxes {
    type Constants = Constants;
    type Block = Block;
    type Tangent = Tangent;

    #[inline(always)]
    fn constants(c: &Constants) -> &hexahedra::Constants {
        &c.elements
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
    fn elastic<L: Lane>(c: &Constants, _: &Block, u: &Modes<L>, factor: f64, _: usize) -> Modes<L> {
        elastic(u, &c.stiffness, factor)
    }

    #[inline(always)]
    fn product<L: Lane>(
        c: &Constants,
        (_, stored): (&Block, &Tangent),
        u: &Modes<L>,
        factor: f64,
        at: usize,
    ) -> Modes<L> {
        let q = load33::<L>(&stored.frame, at);
        modes::rotated_back(&q, &elastic(&modes::rotated(&q, u), &c.stiffness, factor))
    }

    fn add_stiffness(
        c: &Constants,
        (block, stored): (&Block, &Tangent),
        slot: usize,
        factor: f64,
        matrix: &mut dyn BlockSink,
    ) {
        let Shape { gradients, lambda, mu } = c.shape;
        let g = [0, 1, 2].map(|k| Vec3::from_fn(|i, _| stored.frame[k][i].0[slot]) * gradients[k]);
        bricks::add_element(&block.nodes, slot, &g, factor * lambda, factor * mu, matrix);
    }
}
