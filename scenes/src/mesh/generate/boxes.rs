//! Boxes: grids of hexahedra, and their surfaces.

use sim_core::math::Vec3;

use super::border::border;
use crate::mesh::Mesh;

/// A box cut into `n` hexahedra along its edges, points and cells as SOFA's regular grid numbers them.
pub fn box_hexahedra(size: Vec3, n: [usize; 3]) -> Mesh {
    let n = n.map(|n| n.max(1));
    let mut mesh = Mesh::default();
    for k in 0..=n[2] {
        for j in 0..=n[1] {
            for i in 0..=n[0] {
                let at = |i: usize, a: usize| (i as f64 / n[a] as f64 - 0.5) * size[a];
                mesh.positions.push(Vec3::new(at(i, 0), at(j, 1), at(k, 2)));
            }
        }
    }
    mesh.hexahedra = cells(n, n[2] + 1);
    mesh
}

/// The surface of a box of the given size, `n` cells along its edges; `4 (nx ny + ny nz + nz nx)` triangles.
pub fn box_surface(size: Vec3, n: [usize; 3]) -> Mesh {
    border(&box_hexahedra(size, n))
}

/// The hexahedra of a grid of `n` cells with `layers` layers of points: as many as cells if it closes upon itself.
pub(super) fn cells(n: [usize; 3], layers: usize) -> Vec<[u32; 8]> {
    let point = |x: usize, y: usize, z: usize| (x + (n[0] + 1) * (y + (n[1] + 1) * (z % layers))) as u32;
    let mut cells = Vec::with_capacity(n.iter().product());
    for z in 0..n[2] {
        for y in 0..n[1] {
            for x in 0..n[0] {
                let [a, b, c, d] = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
                let at = |[x, y]: [usize; 2], z| point(x, y, z);
                let next = z + 1;
                cells.push([
                    at(a, z),
                    at(b, z),
                    at(c, z),
                    at(d, z),
                    at(a, next),
                    at(b, next),
                    at(c, next),
                    at(d, next),
                ]);
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_numbered_as_a_regular_grid() {
        let grid = components::topology::RegularGridTopology { n: [3, 4, 5], ..Default::default() };
        let topology = grid.build().unwrap();
        let mesh = box_hexahedra(Vec3::new(1.0, 1.0, 1.0), [2, 3, 4]);
        assert_eq!(mesh.hexahedra, topology.hexahedra);
        let half = Vec3::new(0.5, 0.5, 0.5);
        assert!(mesh.positions.iter().zip(&topology.points).all(|(a, b)| (a + half - b).norm() < 1e-15));
    }
}
