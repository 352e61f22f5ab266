//! The stiffness between the points of a triangle of springs, one block for each side.

use sim_core::math::{Mat3, Real, Vec3};

/// The blocks of a triangle's sides [N/m]: the force on point j + 1 by its displacement against point j + 2, for side j.
pub type Tangent = [Mat3; 3];

/// df += κ K dx of one triangle.
pub fn add_product(blocks: &Tangent, nodes: &[u32; 3], factor: Real, df: &mut [Vec3], dx: &[Vec3]) {
    for (side, block) in blocks.iter().enumerate() {
        let (i, j) = (nodes[(side + 1) % 3] as usize, nodes[(side + 2) % 3] as usize);
        let d = (dx[i] - dx[j]) * factor;
        df[i] += block * d;
        df[j] -= block.tr_mul(&d);
    }
}

/// The sides of a triangle of points: p_j goes from point j + 1 to point j + 2.
pub fn sides(nodes: &[u32; 3], x: &[Vec3]) -> [Vec3; 3] {
    [0, 1, 2].map(|j| x[nodes[(j + 2) % 3] as usize] - x[nodes[(j + 1) % 3] as usize])
}
