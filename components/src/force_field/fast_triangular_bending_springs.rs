//! `FastTriangularBendingSprings`: linear bending stiffness across the edges of a mesh of triangles.

use sim_core::prelude::*;

use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::checked_rest;
use crate::topology::adjacency::pairs_on_edges;
use crate::topology::derive::EDGES_IN_TRIANGLE;

/// Linear bending stiffness across the edges of a mesh of triangles that is flat at rest.
#[derive(Attributes)]
#[attributes(ignored("edgeSprings"))]
struct Settings {
    /// bending stiffness of the sheet [N m]
    #[attribute(default = "1", alias = "stiffness")]
    bending_stiffness: Real,
    /// length up to which an edge, or the distance of the points opposite to it, is left out [m]
    #[attribute(default = "0.000001")]
    min_dist_validity: Real,
    /// topology with the triangles; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "FastTriangularBendingSprings", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("bendingStiffness='3'").elements("triangles")]);

/// The bending of two triangles at their common edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// The points opposite to the edge, then its own.
    nodes: [u32; 4],
    /// Weights of the points in the vector that bending makes different from 0; their sum is 0.
    weights: [Real; 4],
    /// Stiffness against it [N/m].
    lambda: Real,
}

/// Hinges between triangles.
///
/// Of an edge CD with the opposite points A and B, N(A) and N(B) are twice the areas of ACD and BCD, N(C) and N(D) those of ABC and ABD.
/// The weights α are N(B)/(N(A) + N(B)) of A, N(A)/(N(A) + N(B)) of B, −N(D)/(N(C) + N(D)) of C and −N(C)/(N(C) + N(D)) of D. With R = Σ
/// αᵢ xᵢ and λ = 2/3 (h₁ + h₂)/(h₁ h₂)² L k, h₁ and h₂ the heights of A and B over the edge of length L, k from `bendingStiffness`: fᵢ =
/// −λ αᵢ R, of energy λ |R|²/2. It is linear, and its own tangent.
///
/// **Source:** as SOFA's (Volino and Magnenat-Thalmann 2006, Simple linear bending stiffness in particle systems). As there, the
/// assembled matrix lacks the rows and columns of the edge's second point: it acts on the right-hand side only.
pub struct FastTriangularBendingSprings;

/// How many of a hinge's points have rows and columns in assembled matrices.
const ASSEMBLED: usize = 3;

impl Hinge {
    /// Of the points at rest; none where a length is not above `shortest`, or a triangle has no area.
    fn new(nodes: [u32; 4], rest: &[Vec3], stiffness: Real, shortest: Real) -> Option<Self> {
        let [a, b, c, d] = nodes.map(|n| rest[n as usize]);
        let edge = (d - c).norm();
        if edge <= shortest || (b - a).norm() <= shortest {
            return None;
        }
        let twice_area = |p: Vec3, q: Vec3, r: Vec3| (q - p).cross(&(r - p)).norm();
        let (at_a, at_b) = (twice_area(c, a, d), twice_area(c, b, d));
        let (at_c, at_d) = (twice_area(c, b, a), twice_area(d, b, a));
        let (opposite, along) = (at_a + at_b, at_c + at_d);
        let weights = [at_b / opposite, at_a / opposite, -at_d / along, -at_c / along];
        let (height_a, height_b) = (at_a / edge, at_b / edge);
        let product = height_a * height_b;
        let lambda = 2.0 / 3.0 * (height_a + height_b) / (product * product) * edge * stiffness;
        lambda.is_finite().then_some(Self { nodes, weights, lambda })
    }

    /// The weighted sum of some vectors of the four points.
    fn sum(&self, of: &[Vec3]) -> Vec3 {
        let [a, b, c, d] = self.nodes.map(|n| of[n as usize]);
        let [wa, wb, wc, wd] = self.weights;
        a * wa + b * wb + c * wc + d * wd
    }
}

impl ForceField for FastTriangularBendingSprings {
    type State = Vec3Type;
    type Constants = ();
    type Element = Hinge;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(_: &(), AddForce { elements, f, x, .. }: AddForce<'_, Self>) {
        for h in elements {
            let bent = h.sum(x) * h.lambda;
            for (n, weight) in h.nodes.iter().zip(h.weights) {
                f[*n as usize] -= bent * weight;
            }
        }
    }

    fn add_d_force(_: &(), at: AddDForce<'_, Self>) {
        for h in at.elements {
            let bent = h.sum(at.dx) * (h.lambda * at.k_factor);
            for (n, weight) in h.nodes.iter().zip(h.weights) {
                at.df[*n as usize] -= bent * weight;
            }
        }
    }

    fn add_k_to_matrix(_: &(), at: AddKToMatrix<'_, Self>) {
        for h in at.elements {
            for (row, wr) in h.nodes.iter().zip(h.weights).take(ASSEMBLED) {
                for (column, wc) in h.nodes.iter().zip(h.weights).take(ASSEMBLED) {
                    let entry = -at.k_factor * h.lambda * wr * wc;
                    at.matrix.add_block(*row, *column, &(Mat3::identity() * entry));
                }
            }
        }
    }

    fn potential_energy(_: &(), hinges: &[Hinge], x: &[Vec3]) -> Option<Real> {
        Some(hinges.iter().map(|h| 0.5 * h.lambda * h.sum(x).norm_squared()).sum())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let t = topology(b)?.clone();
    let rest = checked_rest(b, state, &t.triangles)?;
    let hinge = |(edge, [first, second]): (u32, [(u32, usize); 2])| {
        let opposite = |(triangle, side): (u32, usize)| t.triangles[triangle as usize][side];
        let [c, d] = t.edges[edge as usize];
        let nodes = [opposite(first), opposite(second), c, d];
        Hinge::new(nodes, &rest, s.bending_stiffness, s.min_dist_validity)
    };
    let pairs: Vec<_> = pairs_on_edges(&t.edges, &t.triangles, &EDGES_IN_TRIANGLE).collect();
    let n = pairs.len();
    let hinges: Vec<Hinge> = pairs.into_iter().filter_map(hinge).collect();
    if hinges.len() < n {
        let left_out = n - hinges.len();
        b.warn(
            None,
            format!(
                "{left_out} of {n} edges have triangles without area or height; they do not resist bending"
            ),
        );
    }
    b.add_force_field(state, ForceFieldParts::<FastTriangularBendingSprings>::new((), hinges, vec![]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::{ForceFieldCheck, Random};

    /// Two right triangles in a plane, which share the edge from (0, 0) to (0, 2).
    fn sheet() -> [Vec3; 4] {
        [[-1.0, 0.7, 0.0], [2.0, 1.1, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(Vec3::from)
    }

    #[test]
    fn conforms() {
        let hinge = Hinge::new([0, 1, 2, 3], &sheet(), 3.0, 1e-6).unwrap();
        let parts = ForceFieldParts::<FastTriangularBendingSprings>::new((), vec![hinge], vec![]);
        let mut random = Random::new(4);
        let x = random.moved(&sheet(), 0.2);
        let check = ForceFieldCheck::new(&parts, x, random.derivs(4)).seed(4);
        check.symmetric().conservative().assembled().own_matrix().run();
    }

    /// -λ w wᵀ of the first three points, and nothing of the fourth.
    #[test]
    fn the_assembled_matrix_lacks_the_edges_second_point() {
        struct Entries(Vec<(u32, u32, Real)>);
        impl BlockSink for Entries {
            fn add_block(&mut self, row: u32, column: u32, block: &Mat3) {
                assert_eq!(*block, Mat3::from_diagonal_element(block[(0, 0)]));
                self.0.push((row, column, block[(0, 0)]));
            }
        }
        let hinge = Hinge::new([0, 1, 2, 3], &sheet(), 3.0, 1e-6).unwrap();
        let (elements, mut entries) = (&[hinge][..], Entries(Vec::new()));
        let at = AddKToMatrix { k_factor: 0.5, b_factor: 0.0, elements, stored: &[], matrix: &mut entries };
        FastTriangularBendingSprings::add_k_to_matrix(&(), at);
        assert_eq!(entries.0.len(), 9);
        for (row, column, entry) in entries.0 {
            assert!(row < 3 && column < 3, "{row} {column}");
            let product = hinge.weights[row as usize] * hinge.weights[column as usize];
            assert!((entry + 0.5 * hinge.lambda * product).abs() < 1e-12);
        }
    }

    #[test]
    fn what_moves_in_the_plane_or_turns_does_not_bend() {
        let hinge = Hinge::new([0, 1, 2, 3], &sheet(), 3.0, 1e-6).unwrap();
        assert!(hinge.weights.iter().sum::<Real>().abs() < 1e-15);
        // Any affine image of a flat sheet is flat.
        let turn = sim_core::math::Mat3::new(1.0, 0.4, 0.3, -0.2, 0.8, 0.1, 0.7, -0.5, 1.3);
        assert!(hinge.sum(&sheet().map(|p| turn * p + Vec3::new(1.0, 2.0, 3.0))).norm() < 1e-14);
    }

    /// A sheet bent to a cylinder of small curvature κ along x has the energy D κ² / 2 per area that the three heights span.
    #[test]
    fn a_bent_sheet_has_the_energy_of_its_curvature() {
        let hinge = Hinge::new([0, 1, 2, 3], &sheet(), 3.0, 1e-6).unwrap();
        let curvature = 1e-3;
        let bent = sheet().map(|p| Vec3::new(p.x, p.y, 0.5 * curvature * p.x * p.x));
        let energy = FastTriangularBendingSprings::potential_energy(&(), &[hinge], &bent).unwrap();
        // R = κ h_A h_B / 2; λ R² / 2 = stiffness κ² edge (h_A + h_B) / 12.
        let wanted = 3.0 * curvature * curvature * 2.0 * 3.0 / 12.0;
        assert!((energy - wanted).abs() < 1e-9 * wanted, "{energy} {wanted}");
    }

    #[test]
    fn degenerate_edges_are_left_out() {
        let mut points = sheet();
        assert!(Hinge::new([0, 1, 2, 3], &points, 3.0, 2.5).is_none());
        points[0] = Vec3::new(0.0, 1.0, 0.0);
        assert!(Hinge::new([0, 1, 2, 3], &points, 3.0, 1e-6).is_none(), "a triangle without height");
    }
}
