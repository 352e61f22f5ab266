//! The plain way: dense element matrices by the textbook, as an oracle for the kernels.

use sim_core::component::MechanicalParams;
use sim_core::component::force_field::{AddForce, ForceField, ForceFieldParts};
use sim_core::math::{Mat3, Vec3, Vec3Type, quat_from_euler_degrees, quat_to_matrix};
use sim_core::testing::Random;

use super::lane_algebra::MRow;

/// A dense symmetric matrix, row by row.
pub(crate) struct Dense {
    pub(crate) n: usize,
    pub(crate) k: Vec<f64>,
}

impl Dense {
    /// K u, three scalars per node.
    pub(crate) fn product(&self, u: &[Vec3]) -> Vec<Vec3> {
        let u: Vec<f64> = u.iter().flat_map(|u| [u.x, u.y, u.z]).collect();
        let k: Vec<f64> =
            self.k.chunks(self.n).map(|row| row.iter().zip(&u).map(|(k, u)| k * u).sum()).collect();
        k.chunks(3).map(Vec3::from_column_slice).collect()
    }

    /// K += w Bᵀ C B for the gradients of one integration point, strains in the order xx yy zz xy yz zx.
    fn add_point(&mut self, gradients: &[Vec3], young: f64, poisson: f64, w: f64) {
        let f = young / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let mut c = [[0.0; 6]; 6];
        for (i, row) in c.iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                *value = match (i == j, i < 3 && j < 3) {
                    (true, true) => f * (1.0 - poisson),
                    (false, true) => f * poisson,
                    (true, false) => young / (2.0 * (1.0 + poisson)),
                    (false, false) => 0.0,
                };
            }
        }
        let b = |n: usize, strain: usize, axis: usize| -> f64 {
            let g = gradients[n];
            match (strain, axis) {
                (0, 0) | (3, 1) | (5, 2) => g.x,
                (1, 1) | (3, 0) | (4, 2) => g.y,
                (2, 2) | (4, 1) | (5, 0) => g.z,
                _ => 0.0,
            }
        };
        for i in 0..self.n {
            for j in 0..self.n {
                for (s, row) in c.iter().enumerate() {
                    for (t, value) in row.iter().enumerate() {
                        self.k[i * self.n + j] += w * b(i / 3, s, i % 3) * value * b(j / 3, t, j % 3);
                    }
                }
            }
        }
    }
}

/// The stiffness of a tetrahedron.
pub(crate) fn tetrahedron(p: &[Vec3; 4], young: f64, poisson: f64) -> Dense {
    let edges = Mat3::from_columns(&[p[1] - p[0], p[2] - p[0], p[3] - p[0]]);
    let inverse = edges.try_inverse().expect("a tetrahedron of some volume");
    let g: Vec<Vec3> = (0..3).map(|n| inverse.row(n).transpose()).collect();
    let mut k = Dense { n: 12, k: vec![0.0; 144] };
    k.add_point(&[-(g[0] + g[1] + g[2]), g[0], g[1], g[2]], young, poisson, edges.determinant().abs() / 6.0);
    k
}

/// Signs of the nodes of a hexahedron.
pub(crate) const SIGNS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// The stiffness of a hexahedron by 2 x 2 x 2 Gauss points; with `constant`, the Jacobian of the edges at the first node throughout.
pub(crate) fn hexahedron(p: &[Vec3; 8], young: f64, poisson: f64, constant: bool) -> Dense {
    let mut k = Dense { n: 24, k: vec![0.0; 576] };
    for q in SIGNS {
        let at = q.map(|s| s / 3f64.sqrt());
        let local: Vec<Vec3> = SIGNS
            .iter()
            .map(|s| {
                let t = [1.0 + s[0] * at[0], 1.0 + s[1] * at[1], 1.0 + s[2] * at[2]];
                Vec3::new(s[0] * t[1] * t[2], s[1] * t[0] * t[2], s[2] * t[0] * t[1]) / 8.0
            })
            .collect();
        let jacobian = if constant {
            Mat3::from_columns(&[p[1] - p[0], p[3] - p[0], p[4] - p[0]]) * 0.5
        } else {
            p.iter().zip(&local).fold(Mat3::zeros(), |j, (p, g)| j + p * g.transpose())
        };
        let inverse = jacobian.try_inverse().expect("a hexahedron of some volume");
        let gradients: Vec<Vec3> = local.iter().map(|g| inverse.transpose() * g).collect();
        k.add_point(&gradients, young, poisson, jacobian.determinant());
    }
    k
}

/// A bar of unit cubes: points with x fastest, hexahedra in SOFA's node order.
pub(crate) fn bar(cells: [u32; 3]) -> (Vec<Vec3>, Vec<[u32; 8]>) {
    let n = cells.map(|c| c + 1);
    let at = |i: u32, j: u32, k: u32| i + n[0] * (j + n[1] * k);
    let (mut points, mut hexahedra) = (Vec::new(), Vec::new());
    for k in 0..n[2] {
        for j in 0..n[1] {
            for i in 0..n[0] {
                points.push(Vec3::new(f64::from(i), f64::from(j), f64::from(k)));
                if i < cells[0] && j < cells[1] && k < cells[2] {
                    let square = |k| [at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k)];
                    let (a, b) = (square(k), square(k + 1));
                    hexahedra.push([a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]);
                }
            }
        }
    }
    (points, hexahedra)
}

/// The points turned as a whole, moved, and each shaken by up to `size`.
pub(crate) fn deformed(points: &[Vec3], size: f64, seed: u64) -> Vec<Vec3> {
    let r = quat_to_matrix(&quat_from_euler_degrees(Vec3::new(20.0, 40.0, -70.0)));
    let turned: Vec<Vec3> = points.iter().map(|p| r * p + Vec3::new(1.0, 2.0, -1.0)).collect();
    Random::new(seed).moved(&turned, size)
}

/// The rotation R of an element since it was at rest, from rows that turn with it: now = R rest.
pub(crate) fn rotation(now: &MRow, at_rest: &MRow, slot: usize) -> Mat3 {
    let matrix = |rows: &MRow| Mat3::from_fn(|i, j| rows[i][j].0[slot]);
    let inverse = matrix(at_rest).try_inverse().expect("independent rows");
    (inverse * matrix(now)).transpose()
}

/// Forces on points that do not move, and what they leave for products.
pub(crate) fn force<F: ForceField<State = Vec3Type>>(
    parts: &ForceFieldParts<F>,
    x: &[Vec3],
) -> (Vec<Vec3>, Vec<F::Stored>) {
    let (mut f, mut stored) = (vec![Vec3::zeros(); x.len()], parts.stored.clone());
    let (params, v) = (MechanicalParams { dt: 0.01, time: 0.0 }, vec![Vec3::zeros(); x.len()]);
    let at = AddForce { params, elements: &parts.elements, stored: &mut stored, f: &mut f, x, v: &v };
    F::add_force(&parts.constants, at);
    (f, stored)
}
