//! Shape functions and quadrature of finite elements, as far as masses need them.

use sim_core::math::{Real, Vec3};

use crate::force_field::fem::hexahedra::SIGNS;

/// A point of a quadrature.
pub(super) struct QuadraturePoint<const N: usize> {
    weight: Real,
    /// The shape functions there.
    shape: [Real; N],
    /// Their derivatives by the element's own coordinates, of which there may be fewer than three.
    gradients: [[Real; 3]; N],
}

/// A kind of elements with `N` nodes.
pub(super) trait FiniteElement<const N: usize> {
    /// Number of the element's own coordinates.
    const DIMENSIONS: usize;
    /// The points at which it is integrated.
    ///
    /// **Source:** as SOFA's finite elements: one point for edges, triangles and tetrahedra, three for quads, eight for hexahedra, at
    /// numbers with so many digits as stand there.
    fn quadrature() -> Vec<QuadraturePoint<N>>;
}

/// An edge from -1 to 1.
pub(super) struct Edge;
/// A triangle (0, 0), (1, 0), (0, 1).
pub(super) struct Triangle;
/// A square from -1 to 1.
pub(super) struct Quad;
/// A tetrahedron of the origin and the ends of the axes.
pub(super) struct Tetrahedron;
/// A cube from -1 to 1.
pub(super) struct Hexahedron;

impl FiniteElement<2> for Edge {
    const DIMENSIONS: usize = 1;
    fn quadrature() -> Vec<QuadraturePoint<2>> {
        let gradients = [[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]];
        vec![QuadraturePoint { weight: 2.0, shape: [0.5; 2], gradients }]
    }
}

impl FiniteElement<3> for Triangle {
    const DIMENSIONS: usize = 2;
    fn quadrature() -> Vec<QuadraturePoint<3>> {
        let gradients = [[-1.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        vec![QuadraturePoint { weight: 0.5, shape: [1.0 / 3.0; 3], gradients }]
    }
}

impl FiniteElement<4> for Tetrahedron {
    const DIMENSIONS: usize = 3;
    fn quadrature() -> Vec<QuadraturePoint<4>> {
        let gradients = [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        vec![QuadraturePoint { weight: 1.0 / 6.0, shape: [0.25; 4], gradients }]
    }
}

impl FiniteElement<4> for Quad {
    const DIMENSIONS: usize = 2;
    fn quadrature() -> Vec<QuadraturePoint<4>> {
        const SIGNS: [[Real; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let (x, y) = (-1.0 / 2.449_489_742_78, std::f64::consts::FRAC_1_SQRT_2);
        let points = [[0.816_496_580_928, 0.0], [x, -y], [x, y]];
        let at = |[x, y]: [Real; 2]| QuadraturePoint {
            weight: 4.0 / 3.0,
            shape: SIGNS.map(|[s, t]| 0.25 * (1.0 + s * x) * (1.0 + t * y)),
            gradients: SIGNS.map(|[s, t]| [0.25 * s * (1.0 + t * y), 0.25 * (1.0 + s * x) * t, 0.0]),
        };
        points.into_iter().map(at).collect()
    }
}

impl FiniteElement<8> for Hexahedron {
    const DIMENSIONS: usize = 3;
    fn quadrature() -> Vec<QuadraturePoint<8>> {
        let at = |point: [Real; 3]| {
            let [x, y, z] = point.map(|sign| sign / 1.732_050_807_57);
            let factors = SIGNS.map(|[r, s, t]| [1.0 + r * x, 1.0 + s * y, 1.0 + t * z]);
            QuadraturePoint {
                weight: 1.0,
                shape: factors.map(|[a, b, c]| 0.125 * a * b * c),
                gradients: std::array::from_fn(|n| {
                    let ([r, s, t], [a, b, c]) = (SIGNS[n], factors[n]);
                    [0.125 * r * b * c, 0.125 * a * s * c, 0.125 * a * b * t]
                }),
            }
        };
        SIGNS.into_iter().map(at).collect()
    }
}

/// The mass matrix of one element at `x`: entry (i, j) is the integral of density times both shape functions [kg].
pub(super) fn element_matrix<E: FiniteElement<N>, const N: usize>(
    quadrature: &[QuadraturePoint<N>],
    x: &[Vec3; N],
    densities: &[Real; N],
) -> [[Real; N]; N] {
    let mut matrix = [[0.0; N]; N];
    for q in quadrature {
        let along = |k: usize| x.iter().zip(&q.gradients).map(|(x, g)| x * g[k]).sum::<Vec3>();
        let measure = match E::DIMENSIONS {
            1 => along(0).norm(),
            2 => along(0).cross(&along(1)).norm(),
            _ => along(0).cross(&along(1)).dot(&along(2)).abs(),
        };
        let density: Real = q.shape.iter().zip(densities).map(|(shape, density)| shape * density).sum();
        for (row, n_row) in matrix.iter_mut().zip(q.shape) {
            for (entry, n_column) in row.iter_mut().zip(q.shape) {
                *entry += q.weight * density * measure * n_row * n_column;
            }
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix<E: FiniteElement<N>, const N: usize>(
        x: &[[Real; 3]; N],
        densities: [Real; N],
    ) -> [[Real; N]; N] {
        element_matrix::<E, N>(&E::quadrature(), &x.map(Vec3::from), &densities)
    }

    #[test]
    fn elements_of_one_point_have_equal_entries() {
        let edge = matrix::<Edge, 2>(&[[1.0, 0.0, 0.0], [1.0, 0.0, 3.0]], [2.0, 4.0]);
        assert_eq!(edge, [[2.25; 2]; 2]);
        let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 4.0]];
        let tetrahedron = matrix::<Tetrahedron, 4>(&corners, [1.0; 4]);
        assert!(tetrahedron.as_flattened().iter().all(|m| (m - 4.0 / 16.0).abs() < 1e-15));
        let triangle = matrix::<Triangle, 3>(&[corners[0], corners[1], corners[2]], [1.0; 3]);
        assert!(triangle.as_flattened().iter().all(|m| (m - 3.0 / 9.0).abs() < 1e-15));
    }

    /// Eight points integrate the products of trilinear functions on a brick exactly: each axis has 1/3 on the node, 1/6 beside it.
    #[test]
    fn a_brick_has_the_consistent_matrix() {
        let [a, b, c] = [2.0, 3.0, 4.0];
        let corners = [
            [0.0, 0.0, 0.0],
            [a, 0.0, 0.0],
            [a, b, 0.0],
            [0.0, b, 0.0],
            [0.0, 0.0, c],
            [a, 0.0, c],
            [a, b, c],
            [0.0, b, c],
        ];
        let m = matrix::<Hexahedron, 8>(&corners, [5.0; 8]);
        let mass = 5.0 * a * b * c;
        for i in 0..8 {
            for j in 0..8 {
                let apart = (0..3).filter(|k| corners[i][*k] != corners[j][*k]).count();
                let wanted = mass * [1.0 / 27.0, 1.0 / 54.0, 1.0 / 108.0, 1.0 / 216.0][apart];
                assert!((m[i][j] - wanted).abs() < 1e-9 * mass, "{i} {j}: {} {wanted}", m[i][j]);
            }
        }
    }

    #[test]
    fn a_quad_weighs_its_area_in_space() {
        let m = matrix::<Quad, 4>(&[[0.0; 3], [2.0, 0.0, 0.0], [2.0, 0.0, 3.0], [0.0, 0.0, 3.0]], [1.0; 4]);
        assert!((m.as_flattened().iter().sum::<Real>() - 6.0).abs() < 1e-9);
    }
}
