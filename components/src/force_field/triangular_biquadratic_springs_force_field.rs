//! `TriangularBiquadraticSpringsForceField`: a membrane of springs that are quadratic in lengths, which may resist compression. The file
//! is long for the resistance to compression, whose normal is remembered from force to force.

use sim_core::prelude::*;

use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::{checked_rest, without_area};
use super::triangular_springs::MembraneAttributes;
use super::triangular_springs::rest::RestTriangle;
use super::triangular_springs::tangent::{Tangent, add_product, sides};

/// A membrane of springs along the sides and at the corners of triangles, linear in the squares of lengths.
#[derive(Attributes)]
#[attributes(ignored("matrixRegularization"))]
struct Settings {
    #[attribute(flatten)]
    membrane: MembraneAttributes,
    /// damping of an elongation, relative to its stiffness [s]
    #[attribute(default = "0")]
    damping_ratio: Real,
    /// whether corners have springs, too
    #[attribute(default = "1")]
    use_angular_springs: bool,
    /// whether triangles resist the loss of area; only beside springs at corners
    #[attribute(default = "1")]
    compressible: Deferred<bool>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::ForceField,
    "TriangularBiquadraticSpringsForceField",
    build,
)
.follows(Following::PLAIN)
.templates(&[Vec3Type::NAME])
.samples(&[
    Sample::new("youngModulus='300' poissonRatio='0.3' dampingRatio='0.01'").elements("triangles"),
    Sample::new("youngModulus='300' poissonRatio='0.3' useAngularSprings='0'").elements("triangles"),
]);

/// A triangle of springs.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    nodes: [u32; 3],
    /// Squares of the sides at rest [m²].
    squares: [Real; 3],
    /// Stiffness of the sides [N/m³].
    sides: [Real; 3],
    /// Stiffness of the corners [N/m³]; 0 without them.
    corners: [Real; 3],
    area: Real,
}

/// Numbers of all triangles.
#[derive(Clone, Copy, Debug)]
pub struct Sheet {
    damping: Real,
    /// 3 (λ + μ), against the loss of area [N/m]; 0 for none.
    compression: Real,
}

/// What `add_force` leaves: the tangent, and the normal that the triangle had when it last was not turned over.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    blocks: Tangent,
    normal: Vec3,
}

/// The springs of triangles.
///
/// Side j lies opposite to corner j, k and m are the next ones. At rest it has the length l, the angle at its corner the cotangent t, and
/// the triangle the area A. Stiffness of a side: `sⱼ = (2 tⱼ² (λ + μ) + μ)/(16 A)`; of a corner: `γⱼ = (2 tₖ tₘ (λ + μ) − μ)/(16 A)`, 0
/// without `useAngularSprings`; λ = E ν/(1 − ν²), μ = E/(1 + ν), twice the shear modulus. With the vector p of a side from corner k to
/// corner m and e = |p|² − l² + η p'·p/|p|², η from `dampingRatio`: p (sⱼ eⱼ + γₘ eₖ + γₖ eₘ) on corner k, the opposite on corner m.
/// Where the area is J A with J < 1: −3 (λ + μ)(J − 1)³ n × p/2 on corner j, besides, n the normal.
///
/// **Source:** as SOFA's. A triangle that has lost area pushes by the cube of the loss; where its normal jumps to the other side from one force
/// to the next, the old side counts; after a change of the topology, the present one. The tangent knows no damping, and assembled matrices have nothing of it: it acts on their
/// right-hand side only. Without springs at corners SOFA's tangent comes from memory that nobody has written; here it is the springs'.
pub struct TriangularBiquadraticSpringsForceField;

impl Triangle {
    fn new(nodes: [u32; 3], t: &RestTriangle, lame: [Real; 2], angular: bool) -> Self {
        let [sides, corners] = t.constants(lame).map(|of| of.map(|c| c / 16.0));
        let corners = if angular { corners } else { [0.0; 3] };
        Self { nodes, squares: t.squares, sides, corners, area: t.area }
    }

    /// The tangent of the springs, of a triangle with these sides and changes of their squares.
    fn tangent(&self, p: &[Vec3; 3], change: &[Real; 3]) -> Tangent {
        [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let corners = &self.corners;
            let c = -(self.sides[k] * change[k] + corners[i] * change[j] + corners[j] * change[i]);
            let [pk, pj, pi] = [-p[k], p[j], -p[i]];
            let outer = |a: &Vec3, b: &Vec3| a * b.transpose();
            outer(&pk, &pk) * (-2.0 * self.sides[k]) + outer(&pj, &pi) * (2.0 * corners[k])
                - outer(&pj, &pk) * (2.0 * corners[i])
                + outer(&pk, &pi) * (2.0 * corners[j])
                + Mat3::from_diagonal_element(c)
        })
    }

    /// Adds the force against the loss of area, and its tangent.
    fn compress(&self, s: Real, p: &[Vec3; 3], stored: &mut Stored, f: &mut [Vec3]) {
        let normal = -p[2].cross(&p[1]);
        let area = 0.5 * normal.norm();
        let ratio = area / self.area;
        if ratio >= 1.0 {
            return;
        }
        let loss = ratio - 1.0;
        let n = stored.side(normal, ratio);
        let push = s * loss.powi(3);
        let arms = p.map(|p| n.cross(&p) * 0.5);
        for (node, arm) in self.nodes.iter().zip(&arms) {
            f[*node as usize] -= arm * push;
        }
        let slope = 3.0 * s * loss * loss / self.area;
        let around = (-n * (0.5 * push)).cross_matrix();
        for (k, block) in stored.blocks.iter_mut().enumerate() {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let (a, b) = (&arms[i], &arms[j]);
            *block -= around;
            *block += a * b.transpose() * ((1.0 + loss) * slope);
            *block += Mat3::from_diagonal_element(-loss * slope * a.dot(b));
            if area > 0.0 {
                let squares: Real = p.iter().map(|p| p.norm_squared()).sum();
                let along = push / (4.0 * area) * (squares - 2.0 * p[k].norm_squared());
                *block += n * n.transpose() * along;
            }
        }
    }
}

impl Stored {
    /// The side that a triangle with this normal, and this part of its area, is on.
    fn side(&mut self, normal: Vec3, ratio: Real) -> Vec3 {
        let length = normal.norm();
        if ratio < 0.01 || length == 0.0 {
            return self.normal;
        }
        let n = normal / length;
        if n.dot(&self.normal) > -0.5 {
            self.normal = n;
            n
        } else {
            -n
        }
    }
}

impl ForceField for TriangularBiquadraticSpringsForceField {
    type State = Vec3Type;
    type Constants = Sheet;
    type Element = Triangle;
    type Stored = Stored;
    const NAME: &'static str = DESCRIPTION.class;
    const CARRIES_OVER: bool = true;

    fn add_force(sheet: &Sheet, at: AddForce<'_, Self>) {
        for (t, stored) in at.elements.iter().zip(at.stored) {
            let (p, w) = (sides(&t.nodes, at.x), sides(&t.nodes, at.v));
            let change = [0, 1, 2].map(|j| {
                let square = p[j].norm_squared();
                square - t.squares[j] + sheet.damping * w[j].dot(&p[j]) / square
            });
            for j in 0..3 {
                let (k, m) = ((j + 1) % 3, (j + 2) % 3);
                let corner = t.corners[m] * change[k] + t.corners[k] * change[m];
                let force = p[j] * (t.sides[j] * change[j] + corner);
                at.f[t.nodes[k] as usize] += force;
                at.f[t.nodes[m] as usize] -= force;
            }
            stored.blocks = t.tangent(&p, &change);
            if sheet.compression != 0.0 {
                t.compress(sheet.compression, &p, stored, at.f);
            }
        }
    }

    fn add_d_force(_: &Sheet, at: AddDForce<'_, Self>) {
        for (t, stored) in at.elements.iter().zip(at.stored) {
            add_product(&stored.blocks, &t.nodes, at.k_factor, at.df, at.dx);
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let triangles = topology(b)?.triangles.clone();
    let rest = checked_rest(b, state, &triangles)?;
    let lame = s.membrane.lame()?;
    let resists = s.use_angular_springs && s.compressible.get(b)?;
    let of = |(k, nodes): (usize, &[u32; 3])| {
        let p = nodes.map(|n| rest[n as usize]);
        let t = RestTriangle::new(&p).ok_or_else(|| without_area(k))?;
        let normal = (p[1] - p[0]).cross(&(p[2] - p[0])).normalize();
        let stored = Stored { blocks: [Mat3::zeros(); 3], normal };
        Ok((Triangle::new(*nodes, &t, lame, s.use_angular_springs), stored))
    };
    let (elements, stored) =
        triangles.iter().enumerate().map(of).collect::<Result<(Vec<_>, Vec<_>), BuildError>>()?;
    let compression = if resists { 3.0 * (lame[0] + lame[1]) } else { 0.0 };
    let sheet = Sheet { damping: s.damping_ratio, compression };
    let parts = ForceFieldParts::<TriangularBiquadraticSpringsForceField>::new(sheet, elements, stored);
    b.add_force_field(state, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::{ForceFieldCheck, Random};

    const NODES: [[u32; 3]; 2] = [[0, 1, 2], [2, 1, 3]];

    fn sheet() -> Vec<Vec3> {
        [[0.0, 0.0, 0.0], [1.2, 0.1, 0.0], [0.2, 1.0, 0.3], [1.1, 1.3, 0.0]].map(Vec3::from).to_vec()
    }

    fn parts(angular: bool, compression: Real) -> ForceFieldParts<TriangularBiquadraticSpringsForceField> {
        let rest = sheet();
        let of = |nodes: [u32; 3]| {
            let p = nodes.map(|n| rest[n as usize]);
            let t = Triangle::new(nodes, &RestTriangle::new(&p).unwrap(), [40.0, 70.0], angular);
            let normal = (p[1] - p[0]).cross(&(p[2] - p[0])).normalize();
            (t, Stored { blocks: [Mat3::zeros(); 3], normal })
        };
        let (elements, stored) = NODES.map(of).into_iter().unzip();
        ForceFieldParts::new(Sheet { damping: 0.0, compression }, elements, stored)
    }

    #[test]
    fn conforms_without_compression() {
        for angular in [false, true] {
            let mut random = Random::new(3);
            let x = random.moved(&sheet(), 0.1);
            let v = random.derivs(4);
            ForceFieldCheck::new(&parts(angular, 0.0), x, v).seed(3).internal().symmetric().run();
        }
    }

    /// The push is minus the gradient of s A (J − 1)⁴ / 4 where area is lost, and nothing where it is gained.
    #[test]
    fn lost_area_pushes_by_its_energy() {
        let (with, without) = (parts(true, 330.0), parts(true, 0.0));
        let force = |parts: &ForceFieldParts<TriangularBiquadraticSpringsForceField>, x: &[Vec3]| {
            let (mut f, v, mut stored) = (vec![Vec3::zeros(); 4], [Vec3::zeros(); 4], parts.stored.clone());
            let params = MechanicalParams { dt: 0.01, time: 0.0 };
            let (elements, stored) = (&parts.elements, &mut stored);
            let at = AddForce { params, elements, stored, f: &mut f, x, v: &v };
            TriangularBiquadraticSpringsForceField::add_force(&parts.constants, at);
            f
        };
        let energy = |x: &[Vec3]| -> Real {
            let of = |t: &Triangle| {
                let p = sides(&t.nodes, x);
                let ratio = 0.5 * p[2].cross(&p[1]).norm() / t.area;
                330.0 * t.area * (ratio - 1.0).min(0.0).powi(4) / 4.0
            };
            with.elements.iter().map(of).sum()
        };
        let x: Vec<Vec3> = Random::new(6).moved(&sheet(), 0.05).iter().map(|p| p * 0.7).collect();
        let push: Vec<Vec3> = force(&with, &x).iter().zip(force(&without, &x)).map(|(a, b)| a - b).collect();
        assert!(push.iter().any(|f| f.norm() > 0.1));
        for n in 0..4 {
            for axis in 0..3 {
                let moved = |by: Real| {
                    let mut x = x.clone();
                    x[n][axis] += by;
                    energy(&x)
                };
                let wanted = -(moved(1e-6) - moved(-1e-6)) / 2e-6;
                assert!((push[n][axis] - wanted).abs() < 1e-5, "{n} {axis}: {} {wanted}", push[n][axis]);
            }
        }
        let large: Vec<Vec3> = sheet().iter().map(|p| p * 1.2).collect();
        assert_eq!(force(&with, &large), force(&without, &large));
    }
}
