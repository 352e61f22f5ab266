//! Shape functions and quadrature of finite elements: the mass and the stiffness matrix of one element.

use sim_core::math::{Mat3, Real, Vec3};

use super::hexahedra::SIGNS;
use super::material::Lame;
use super::tetrahedra::isotropic_block;

/// A point of a quadrature.
pub(crate) struct QuadraturePoint<const N: usize> {
    weight: Real,
    /// The shape functions there.
    shape: [Real; N],
    /// Their derivatives by the element's own coordinates, of which there may be fewer than three.
    gradients: [[Real; 3]; N],
}

/// A kind of elements with `N` nodes.
pub(crate) trait FiniteElement<const N: usize>: Send + Sync + 'static {
    /// Number of the element's own coordinates.
    const DIMENSIONS: usize;
    /// What it is called in errors.
    const KIND: &'static str;
    /// The points at which it is integrated.
    ///
    /// **Source:** as SOFA's finite elements: one point for edges, triangles and tetrahedra, two for prisms, three for quads, eight for
    /// hexahedra and pyramids, at numbers with so many digits as stand there.
    fn quadrature() -> Vec<QuadraturePoint<N>>;
}

/// An edge from -1 to 1.
pub(crate) struct Edge;
/// A triangle (0, 0), (1, 0), (0, 1).
pub(crate) struct Triangle;
/// A square from -1 to 1.
pub(crate) struct Quad;
/// A tetrahedron of the origin and the ends of the axes.
pub(crate) struct Tetrahedron;
/// A cube from -1 to 1.
pub(crate) struct Hexahedron;
/// A pyramid whose base is the square from -1 to 1 at z = -1 and whose tip is at z = 1.
pub(crate) struct Pyramid;
/// A prism over the triangle (0, 0), (1, 0), (0, 1), from z = 0 to 1.
pub(crate) struct Prism;

impl FiniteElement<2> for Edge {
    const DIMENSIONS: usize = 1;
    const KIND: &'static str = "edge";
    fn quadrature() -> Vec<QuadraturePoint<2>> {
        let gradients = [[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]];
        vec![QuadraturePoint { weight: 2.0, shape: [0.5; 2], gradients }]
    }
}

impl FiniteElement<3> for Triangle {
    const DIMENSIONS: usize = 2;
    const KIND: &'static str = "triangle";
    fn quadrature() -> Vec<QuadraturePoint<3>> {
        let gradients = [[-1.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        vec![QuadraturePoint { weight: 0.5, shape: [1.0 / 3.0; 3], gradients }]
    }
}

impl FiniteElement<4> for Tetrahedron {
    const DIMENSIONS: usize = 3;
    const KIND: &'static str = "tetrahedron";
    fn quadrature() -> Vec<QuadraturePoint<4>> {
        let gradients = [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        vec![QuadraturePoint { weight: 1.0 / 6.0, shape: [0.25; 4], gradients }]
    }
}

impl FiniteElement<4> for Quad {
    const DIMENSIONS: usize = 2;
    const KIND: &'static str = "quad";
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
    const KIND: &'static str = "hexahedron";
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

/// The corners of a square, in order.
const CORNERS: [[Real; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

impl FiniteElement<5> for Pyramid {
    const DIMENSIONS: usize = 3;
    const KIND: &'static str = "pyramid";
    /// Those of a cube: the pyramid is one whose upper four corners are at one place.
    fn quadrature() -> Vec<QuadraturePoint<5>> {
        let at = |point: [Real; 3]| {
            let [x, y, z] = point.map(|sign| sign / 1.732_050_807_57);
            let (mut shape, mut gradients) = ([0.5 * (1.0 + z); 5], [[0.0, 0.0, 0.5]; 5]);
            for (n, [s, t]) in CORNERS.into_iter().enumerate() {
                let [a, b, c] = [1.0 + s * x, 1.0 + t * y, 1.0 - z];
                shape[n] = 0.125 * a * b * c;
                gradients[n] = [0.125 * s * b * c, 0.125 * a * t * c, -0.125 * a * b];
            }
            QuadraturePoint { weight: 1.0, shape, gradients }
        };
        SIGNS.into_iter().map(at).collect()
    }
}

impl FiniteElement<6> for Prism {
    const DIMENSIONS: usize = 3;
    const KIND: &'static str = "prism";
    fn quadrature() -> Vec<QuadraturePoint<6>> {
        const TRIANGLE: [[Real; 2]; 3] = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
        let third = 1.0 / 3.0;
        let at = |sign: Real| {
            let z = 0.5 * (1.0 + sign * 0.577_350_269_19);
            let height = |n: usize| if n < 3 { (1.0 - z, -1.0) } else { (z, 1.0) };
            QuadraturePoint {
                weight: 0.25,
                shape: std::array::from_fn(|n| third * height(n).0),
                gradients: std::array::from_fn(|n| {
                    let ((h, dh), [gx, gy]) = (height(n), TRIANGLE[n % 3]);
                    [gx * h, gy * h, third * dh]
                }),
            }
        };
        [-1.0, 1.0].into_iter().map(at).collect()
    }
}

/// What the map from an element's own coordinates to space does at a quadrature point: the measure there, and the gradients of the
/// shape functions in space [1/m]; none where the element has no volume (area, length) there.
///
/// Of elements with fewer coordinates than space the gradients lie in the element: those of the pseudo-inverse.
fn in_space<const N: usize>(
    dimensions: usize,
    q: &QuadraturePoint<N>,
    x: &[Vec3; N],
) -> Option<(Real, [Vec3; N])> {
    let along = |k: usize| x.iter().zip(&q.gradients).map(|(x, g)| x * g[k]).sum::<Vec3>();
    let (a, b, c) = (along(0), along(1), along(2));
    let (measure, dual) = match dimensions {
        1 => (a.norm(), [a / a.norm_squared(), Vec3::zeros(), Vec3::zeros()]),
        2 => {
            let (aa, ab, bb) = (a.norm_squared(), a.dot(&b), b.norm_squared());
            let det = aa * bb - ab * ab;
            (a.cross(&b).norm(), [(a * bb - b * ab) / det, (b * aa - a * ab) / det, Vec3::zeros()])
        }
        _ => {
            let det = a.cross(&b).dot(&c);
            (det.abs(), [b.cross(&c) / det, c.cross(&a) / det, a.cross(&b) / det])
        }
    };
    let gradients = q.gradients.map(|g| dual[0] * g[0] + dual[1] * g[1] + dual[2] * g[2]);
    (measure > 0.0 && gradients.iter().flatten().all(|c| c.is_finite())).then_some((measure, gradients))
}

/// The stiffness matrix of one element with points `x` at rest [N/m], by blocks; none where it has no volume somewhere.
///
/// **Source:** as SOFA's: Σ w |det J| Bᵀ C B, with the material of solids for edges and faces in space, too, which count as one unit thick.
pub(crate) fn element_stiffness<E: FiniteElement<N>, const N: usize>(
    quadrature: &[QuadraturePoint<N>],
    x: &[Vec3; N],
    material: &Lame,
) -> Option<[[Mat3; N]; N]> {
    let mut stiffness = [[Mat3::zeros(); N]; N];
    for q in quadrature {
        let (measure, gradients) = in_space(E::DIMENSIONS, q, x)?;
        let (lambda, mu) = (material.lambda * q.weight * measure, material.mu * q.weight * measure);
        for (row, g) in stiffness.iter_mut().zip(&gradients) {
            for (block, h) in row.iter_mut().zip(&gradients) {
                *block += isotropic_block(g, h, lambda, mu);
            }
        }
    }
    Some(stiffness)
}

/// The mass matrix of one element at `x`: entry (i, j) is the integral of density times both shape functions [kg].
pub(crate) fn element_matrix<E: FiniteElement<N>, const N: usize>(
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

    /// The functions sum to 1 and their gradients to 0; two prisms and six pyramids weigh what their cube does.
    #[test]
    fn prisms_and_pyramids_fill_a_cube() {
        let sums = |shape: &[Real], gradients: &[[Real; 3]]| {
            assert!((shape.iter().sum::<Real>() - 1.0).abs() < 1e-12);
            (0..3).for_each(|k| assert!(gradients.iter().map(|g| g[k]).sum::<Real>().abs() < 1e-12));
        };
        Prism::quadrature().iter().for_each(|q| sums(&q.shape, &q.gradients));
        Pyramid::quadrature().iter().for_each(|q| sums(&q.shape, &q.gradients));
        let (a, b, c) = ([0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]);
        let up = |p: [Real; 3]| [p[0], p[1], 2.0];
        let prism = matrix::<Prism, 6>(&[a, b, c, up(a), up(b), up(c)], [1.0; 6]);
        assert!((prism.as_flattened().iter().sum::<Real>() - 4.0).abs() < 1e-9);
        let pyramid = matrix::<Pyramid, 5>(&[a, b, [2.0, 2.0, 0.0], c, [1.0; 3]], [1.0; 5]);
        let weight: Real = pyramid.as_flattened().iter().sum();
        assert!((weight - 8.0 / 6.0).abs() < 1e-9, "{weight}");
    }

    /// A linear displacement has the energy of its strain: ½ V (λ tr(ε)² + 2 μ ε:ε).
    #[test]
    fn stiffness_is_exact_for_uniform_strain() {
        fn check<E: FiniteElement<N>, const N: usize>(x: [[Real; 3]; N], measure: Real) {
            let (x, lame) = (x.map(Vec3::from), Lame { lambda: 3.0, mu: 2.0 });
            let strain = Mat3::new(0.1, 0.02, 0.03, 0.02, -0.05, 0.01, 0.03, 0.01, 0.07);
            let k = element_stiffness::<E, N>(&E::quadrature(), &x, &lame).unwrap();
            let u = x.map(|x| strain * x);
            let energy: Real = (0..N)
                .flat_map(|i| (0..N).map(move |j| (i, j)))
                .map(|(i, j)| u[i].dot(&(k[i][j] * u[j])))
                .sum();
            let wanted =
                measure * (lame.lambda * strain.trace().powi(2) + 2.0 * lame.mu * strain.norm_squared());
            assert!((energy - wanted).abs() < 1e-9, "{}: {energy} {wanted}", E::KIND);
        }
        let (a, b, c) = ([0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]);
        let up = |p: [Real; 3]| [p[0] + 0.3, p[1], 2.0];
        check::<Prism, 6>([a, b, c, up(a), up(b), up(c)], 4.0);
        check::<Pyramid, 5>([a, b, [2.0, 2.0, 0.0], c, [1.0, 0.7, 1.5]], 2.0);
        check::<Tetrahedron, 4>([a, b, c, [0.0, 0.0, 2.0]], 8.0 / 6.0);
    }
}
