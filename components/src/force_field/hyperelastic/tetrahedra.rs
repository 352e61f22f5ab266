//! Forces and tangents of hyperelastic linear tetrahedra.
//!
//! With the gradients g of the shape functions at rest and F = Σ x gᵀ: f_n = −V F S g_n. The tangent is one block for each edge of a
//! tetrahedron; the diagonal follows, since a translation has no force.

use sim_core::component::matrix::BlockSink;
use sim_core::math::{Mat3, Vec3};

use super::Material;
use crate::force_field::fem::tetrahedra::{ElementError, check_nodes};
use crate::force_field::fem::turned_tetrahedra::gradients;
use crate::topology::derive::EDGES_IN_TETRAHEDRON;

/// A tetrahedron at rest.
#[derive(Clone, Copy, Debug)]
pub struct Tetrahedron {
    nodes: [u32; 4],
    /// Gradients of the nodes' shape functions [1/m].
    gradients: [Vec3; 4],
    /// Its volume, never negative [m³].
    volume: f64,
}

/// What `add_force` leaves: minus the derivative of the first node's force by the second node's position, for each edge [N/m].
pub type Tangent = [Mat3; 6];

/// Tetrahedra of points at rest.
///
/// # Errors
/// One without volume, or of points that do not exist.
pub fn build(rest: &[Vec3], tetrahedra: &[[u32; 4]]) -> Result<Vec<Tetrahedron>, ElementError> {
    check_nodes("tetrahedron", tetrahedra, rest.len())?;
    let of = |(element, nodes): (usize, &[u32; 4])| {
        let p = nodes.map(|n| rest[n as usize]);
        let (gradients, volume) = gradients(&p).ok_or_else(|| ElementError::NoVolume {
            kind: "tetrahedron",
            element,
            nodes: nodes.to_vec(),
        })?;
        Ok(Tetrahedron { nodes: *nodes, gradients, volume })
    };
    tetrahedra.iter().enumerate().map(of).collect()
}

/// f += F(x), tangents refreshed.
pub fn add_force(m: &Material, elements: &[Tetrahedron], stored: &mut [Tangent], f: &mut [Vec3], x: &[Vec3]) {
    for (e, tangent) in elements.iter().zip(stored) {
        let [a, b, c, d] = e.nodes.map(|n| x[n as usize]);
        let g = &e.gradients;
        let deformation =
            (b - a) * g[1].transpose() + (c - a) * g[2].transpose() + (d - a) * g[3].transpose();
        let stress = m.stress(m.strain(deformation));
        let first = deformation * stress.stress;
        for (n, g) in e.nodes.iter().zip(g) {
            f[*n as usize] -= first * g * e.volume;
        }
        *tangent = [Mat3::zeros(); 6];
        for moved in 1..4 {
            for axis in 0..3 {
                let row = deformation.row(axis).transpose();
                let h = g[moved] * row.transpose() + row * g[moved].transpose();
                let change = deformation * stress.change(&h);
                for (block, [k, m]) in tangent.iter_mut().zip(EDGES_IN_TETRAHEDRON) {
                    if m == moved {
                        let mut column = change * g[k];
                        column[axis] += g[k].dot(&(stress.stress * g[m]));
                        block.set_column(axis, &(column * e.volume));
                    }
                }
            }
        }
    }
}

/// df += κ ∂f/∂x dx
pub fn add_d_force(factor: f64, elements: &[Tetrahedron], stored: &[Tangent], df: &mut [Vec3], dx: &[Vec3]) {
    for (e, tangent) in elements.iter().zip(stored) {
        for (block, [k, m]) in tangent.iter().zip(EDGES_IN_TETRAHEDRON) {
            let (k, m) = (e.nodes[k] as usize, e.nodes[m] as usize);
            let d = (dx[m] - dx[k]) * factor;
            df[k] -= block * d;
            df[m] += block.tr_mul(&d);
        }
    }
}

/// Adds the blocks of κ ∂f/∂x.
pub fn add_k_to_matrix(
    factor: f64,
    elements: &[Tetrahedron],
    stored: &[Tangent],
    matrix: &mut dyn BlockSink,
) {
    for (e, tangent) in elements.iter().zip(stored) {
        for (block, [k, m]) in tangent.iter().zip(EDGES_IN_TETRAHEDRON) {
            let (k, m, block) = (e.nodes[k], e.nodes[m], block * factor);
            matrix.add_block(k, m, &-block);
            matrix.add_block(m, k, &-block.transpose());
            matrix.add_block(k, k, &block);
            matrix.add_block(m, m, &block.transpose());
        }
    }
}
