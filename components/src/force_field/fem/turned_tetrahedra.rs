//! Linear tetrahedra in the frames of their deformation gradients.
//!
//! With F = Σ x gᵀ and its polar factor R: H = Σ (Rᵀ x − X) gᵀ = Rᵀ F − I, f = −V R S(H) g. What is stored is R, whose derivative is left
//! out.

use sim_core::component::matrix::BlockSink;
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, dispatch};
use sim_core::math::{Mat3, Vec3};

use super::frame;
use super::lane_algebra::*;
use super::material::{Lame, Material};
use super::tetrahedra::{ElementError, check_nodes, isotropic_block};

/// A tetrahedron at rest.
#[derive(Clone, Copy, Debug)]
pub struct Tetrahedron {
    nodes: [u32; 4],
    /// Gradients of the nodes' shape functions [1/m].
    gradients: [Vec3; 4],
    /// The material's constants times the volume [N m].
    lame: Lame,
}

/// Tetrahedra of points at rest.
///
/// # Errors
/// One without volume, or of points that do not exist.
pub fn build(
    rest: &[Vec3],
    tetrahedra: &[[u32; 4]],
    material: &Material,
) -> Result<Vec<Tetrahedron>, ElementError> {
    check_nodes("tetrahedron", tetrahedra, rest.len())?;
    let of = |(element, nodes): (usize, &[u32; 4])| {
        let p = nodes.map(|n| rest[n as usize]);
        let (gradients, volume) = gradients(&p).ok_or_else(|| ElementError::NoVolume {
            kind: "tetrahedron",
            element,
            nodes: nodes.to_vec(),
        })?;
        let Lame { lambda, mu } = material.lame(element, 1.0);
        let lame = Lame { lambda: lambda * volume, mu: mu * volume };
        Ok(Tetrahedron { nodes: *nodes, gradients, lame })
    };
    tetrahedra.iter().enumerate().map(of).collect()
}

/// The gradients of the shape functions of a tetrahedron, and its volume, never negative; none if it has no volume.
pub fn gradients(p: &[Vec3; 4]) -> Option<([Vec3; 4], f64)> {
    let edges = Mat3::from_columns(&[p[1] - p[0], p[2] - p[0], p[3] - p[0]]);
    let (det, size) = (edges.determinant().abs(), edges.column_iter().map(|c| c.norm()).product::<f64>());
    let inverse = edges.try_inverse().filter(|_| det > 1e-15 * size)?;
    let g = [0, 1, 2].map(|k| inverse.row(k).transpose());
    Some(([-(g[0] + g[1] + g[2]), g[0], g[1], g[2]], det / 6.0))
}

/// The polar factors of eight matrices.
struct Polar<'a>(&'a mut MRow);

impl LaneKernel for Polar<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        let mut at = 0;
        while at < BLOCK {
            store33(&frame::polar_factor(&load33::<L>(self.0, at)), self.0, at);
            at += L::WIDTH;
        }
    }
}

impl Tetrahedron {
    /// Σ d gᵀ.
    fn gradient(&self, of: &[Vec3]) -> Mat3 {
        let [a, b, c, d] = self.nodes.map(|n| of[n as usize]);
        let g = &self.gradients;
        (b - a) * g[1].transpose() + (c - a) * g[2].transpose() + (d - a) * g[3].transpose()
    }

    /// Adds −factor R S(H) g to each node.
    fn scatter(&self, r: &Mat3, h: &Mat3, factor: f64, f: &mut [Vec3]) {
        let stress =
            Mat3::from_diagonal_element(self.lame.lambda * h.trace()) + (h + h.transpose()) * self.lame.mu;
        let stress = r * stress * factor;
        for (n, g) in self.nodes.iter().zip(&self.gradients) {
            f[*n as usize] -= stress * g;
        }
    }
}

/// f += F(x), rotations refreshed.
pub fn add_force(elements: &[Tetrahedron], stored: &mut [Mat3], f: &mut [Vec3], x: &[Vec3]) {
    for (elements, stored) in elements.chunks(BLOCK).zip(stored.chunks_mut(BLOCK)) {
        let (mut rows, mut gradients) = (ZERO_ROWS, [Mat3::zeros(); BLOCK]);
        for (slot, e) in elements.iter().enumerate() {
            gradients[slot] = e.gradient(x);
            super::hexahedra::put(&gradients[slot], &mut rows, slot);
        }
        dispatch(Polar(&mut rows));
        for (slot, (e, stored)) in elements.iter().zip(stored).enumerate() {
            let r = Mat3::from_fn(|i, j| rows[i][j].0[slot]);
            *stored = r;
            e.scatter(&r, &(r.tr_mul(&gradients[slot]) - Mat3::identity()), 1.0, f);
        }
    }
}

/// df += κ ∂f/∂x dx
pub fn add_d_force(factor: f64, elements: &[Tetrahedron], stored: &[Mat3], df: &mut [Vec3], dx: &[Vec3]) {
    for (e, r) in elements.iter().zip(stored) {
        e.scatter(r, &r.tr_mul(&e.gradient(dx)), factor, df);
    }
}

/// Adds the blocks of κ ∂f/∂x.
pub fn add_k_to_matrix(factor: f64, elements: &[Tetrahedron], stored: &[Mat3], matrix: &mut dyn BlockSink) {
    for (e, r) in elements.iter().zip(stored) {
        let g = e.gradients.map(|g| r * g);
        for (row, first) in e.nodes.iter().zip(&g) {
            for (column, second) in e.nodes.iter().zip(&g) {
                let (lambda, mu) = (-factor * e.lame.lambda, -factor * e.lame.mu);
                matrix.add_block(*row, *column, &isotropic_block(first, second, lambda, mu));
            }
        }
    }
}
