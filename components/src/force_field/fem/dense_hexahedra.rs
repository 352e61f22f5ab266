//! Hexahedra in rotating frames whose stiffness is a full matrix for each element, from wherever it comes.
//!
//! In the frame Q of the current shape, with the rest shape X in the rest frame: u = Q p − X, f = −Qᵀ K u. What is stored is Q, with
//! which df = −κ Qᵀ K Q dx.

use sim_core::component::matrix::BlockSink;
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, dispatch};
use sim_core::math::{Mat3, Vec3};

use super::frame::{self, Method};
use super::lane_algebra::*;

/// A hexahedron.
#[derive(Clone, Copy, Debug)]
pub struct Hexahedron {
    /// Its points.
    pub nodes: [u32; 8],
    /// The points at rest, in the frame at rest [m].
    pub rest: [Vec3; 8],
    /// The blocks of the upper half of its stiffness, row after row [N/m].
    pub stiffness: [Mat3; 36],
}

/// The frames of up to eight elements, whose mean edges are rows.
struct Frames<'a> {
    method: Method,
    edges: &'a MRow,
    frames: &'a mut MRow,
}

impl LaneKernel for Frames<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        let mut at = 0;
        while at < BLOCK {
            let edges = load33::<L>(self.edges, at);
            let q = match self.method {
                Method::Small => frame::identity(),
                Method::Large => frame::from_two_edges(&edges[0], &edges[1]),
                Method::Polar | Method::Svd => frame::polar_factor(&edges),
            };
            store33(&q, self.frames, at);
            at += L::WIDTH;
        }
    }
}

/// The frames of up to eight elements with these points; rows are axes.
pub fn frames(method: Method, points: &[[Vec3; 8]]) -> [Mat3; BLOCK] {
    let (mut edges, mut found) = (ZERO_ROWS, ZERO_ROWS);
    for (slot, p) in points.iter().enumerate().take(BLOCK) {
        let mean = [
            p[1] - p[0] + p[2] - p[3] + p[5] - p[4] + p[6] - p[7],
            p[3] - p[0] + p[2] - p[1] + p[7] - p[4] + p[6] - p[5],
            p[4] - p[0] + p[5] - p[1] + p[7] - p[3] + p[6] - p[2],
        ];
        for (row, mean) in edges.iter_mut().zip(mean) {
            for (axis, row) in row.iter_mut().enumerate() {
                row.0[slot] = mean[axis] * 0.25;
            }
        }
    }
    dispatch(Frames { method, edges: &edges, frames: &mut found });
    std::array::from_fn(|slot| Mat3::from_fn(|i, j| found[i][j].0[slot]))
}

/// Where the block of two points of an element is in the upper half, the first not after the second.
fn place(i: usize, j: usize) -> usize {
    i * 8 - i * (i + 1) / 2 + j
}

impl Hexahedron {
    /// One with this frame at rest, on these points at rest, whose stiffness has these blocks.
    pub fn new(
        nodes: [u32; 8],
        frame: &Mat3,
        rest: &[Vec3; 8],
        block: impl Fn(usize, usize) -> Mat3,
    ) -> Self {
        let mut stiffness = [Mat3::zeros(); 36];
        for i in 0..8 {
            for j in i..8 {
                stiffness[place(i, j)] = block(i, j);
            }
        }
        Self { nodes, rest: rest.map(|p| frame * p), stiffness }
    }

    /// A block of the stiffness.
    pub fn block(&self, i: usize, j: usize) -> Mat3 {
        if i <= j { self.stiffness[place(i, j)] } else { self.stiffness[place(j, i)].transpose() }
    }

    /// K u.
    fn product(&self, u: &[Vec3; 8]) -> [Vec3; 8] {
        let mut product = [Vec3::zeros(); 8];
        let mut blocks = self.stiffness.iter();
        for i in 0..8 {
            for j in i..8 {
                let Some(block) = blocks.next() else { return product };
                product[i] += block * u[j];
                if i != j {
                    product[j] += block.tr_mul(&u[i]);
                }
            }
        }
        product
    }

    fn gather(&self, from: &[Vec3]) -> [Vec3; 8] {
        self.nodes.map(|n| from[n as usize])
    }
}

/// f += F(x), frames refreshed.
pub fn add_force(method: Method, elements: &[Hexahedron], stored: &mut [Mat3], f: &mut [Vec3], x: &[Vec3]) {
    for (elements, stored) in elements.chunks(BLOCK).zip(stored.chunks_mut(BLOCK)) {
        let mut points = [[Vec3::zeros(); 8]; BLOCK];
        for (points, e) in points.iter_mut().zip(elements) {
            *points = e.gather(x);
        }
        let frames = frames(method, &points[..elements.len()]);
        for (((e, stored), q), p) in elements.iter().zip(stored).zip(&frames).zip(&points) {
            *stored = *q;
            let u = std::array::from_fn(|n| q * p[n] - e.rest[n]);
            for (n, force) in e.nodes.iter().zip(e.product(&u)) {
                f[*n as usize] -= q.tr_mul(&force);
            }
        }
    }
}

/// df += κ ∂f/∂x dx
pub fn add_d_force(factor: f64, elements: &[Hexahedron], stored: &[Mat3], df: &mut [Vec3], dx: &[Vec3]) {
    for (e, q) in elements.iter().zip(stored) {
        let u = e.gather(dx).map(|d| q * d);
        for (n, force) in e.nodes.iter().zip(e.product(&u)) {
            df[*n as usize] -= q.tr_mul(&force) * factor;
        }
    }
}

/// Adds the blocks of κ ∂f/∂x; `turn` is what turns the stiffness into the world, from the frame of an element.
pub fn add_k_to_matrix(
    factor: f64,
    elements: &[Hexahedron],
    stored: &[Mat3],
    turn: impl Fn(&Mat3) -> Mat3,
    matrix: &mut dyn BlockSink,
) {
    for (e, q) in elements.iter().zip(stored) {
        let r = turn(q);
        for i in 0..8 {
            for j in 0..8 {
                let block = r * e.block(i, j) * r.transpose() * -factor;
                matrix.add_block(e.nodes[i], e.nodes[j], &block);
            }
        }
    }
}

/// Elastic energy ½ Σ uᵀ K u [J].
pub fn potential_energy(method: Method, elements: &[Hexahedron], x: &[Vec3]) -> f64 {
    let energy = |e: &Hexahedron| {
        let p = e.gather(x);
        let q = frames(method, &[p])[0];
        let u: [Vec3; 8] = std::array::from_fn(|n| q * p[n] - e.rest[n]);
        0.5 * u.iter().zip(e.product(&u)).map(|(u, f)| u.dot(&f)).sum::<f64>()
    };
    elements.iter().map(energy).sum()
}
