//! `TriangularQuadraticSpringsForceField`: a membrane of springs along the sides and at the corners of triangles.

use sim_core::prelude::*;

use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::{checked_rest, without_area};
use super::triangular_springs::MembraneAttributes;
use super::triangular_springs::rest::RestTriangle;
use super::triangular_springs::tangent::{Tangent, add_product, sides};

/// A membrane of springs along the sides and at the corners of triangles, linear in the elongations.
#[derive(Attributes)]
struct Settings {
    #[attribute(flatten)]
    membrane: MembraneAttributes,
    /// damping of an elongation, relative to its stiffness [s]
    #[attribute(default = "0")]
    damping_ratio: Real,
    /// whether corners have springs, too
    #[attribute(default = "1")]
    use_angular_springs: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TriangularQuadraticSpringsForceField", build)
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
    lengths: [Real; 3],
    /// Stiffness of the sides [N/m].
    sides: [Real; 3],
    /// Stiffness of the corners [N/m]; 0 without them.
    corners: [Real; 3],
}

/// Numbers of all triangles.
#[derive(Clone, Copy, Debug)]
pub struct Sheet {
    /// Damping ratio [s].
    damping: Real,
    /// Whether corners have springs.
    angular: bool,
}

/// The springs of triangles.
///
/// Side j lies opposite to corner j, k and m are the next ones. At rest it has the length l, the angle at its corner the cotangent t, and
/// the triangle the area A. Stiffness of a side: `sⱼ = lⱼ² (2 tⱼ² (λ + μ) + μ)/(8 A)`; of a corner: `γⱼ = lₖ lₘ (2 tₖ tₘ (λ + μ) − μ)/(8
/// A)`, 0 without `useAngularSprings`; λ = E ν/(1 − ν²), μ = E/(1 + ν), twice the shear modulus. With the vector p of a side from corner
/// k to corner m, its length |p| and e = |p| − l + η p'·p/|p|, η from `dampingRatio`: p (sⱼ eⱼ + γₘ eₖ + γₖ eₘ)/|p| on corner k, the
/// opposite on corner m.
///
/// **Source:** as SOFA's. Its tangent knows no damping. With springs at corners it takes the length at rest along a side where the present
/// length would be the derivative's. Assembled matrices have nothing of it: it acts on their right-hand side only.
pub struct TriangularQuadraticSpringsForceField;

impl Triangle {
    fn new(nodes: [u32; 3], t: &RestTriangle, lame: [Real; 2], angular: bool) -> Self {
        let [sides, corners] = t.constants(lame);
        let lengths = t.squares.map(Real::sqrt);
        let corner = |j: usize| corners[j] * lengths[(j + 1) % 3] * lengths[(j + 2) % 3] / 8.0;
        Self {
            nodes,
            lengths,
            sides: [0, 1, 2].map(|j| t.squares[j] * sides[j] / 8.0),
            corners: if angular { [0, 1, 2].map(corner) } else { [0.0; 3] },
        }
    }

    /// The tangent of a triangle with these sides, their lengths and elongations.
    fn tangent(&self, angular: bool, p: &[Vec3; 3], length: &[Real; 3], elongation: &[Real; 3]) -> Tangent {
        [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let corners = &self.corners;
            let c =
                -(self.sides[k] * elongation[k] + corners[i] * elongation[j] + corners[j] * elongation[i]);
            let [pk, pj, pi] = [-p[k], p[j], -p[i]];
            let outer = |a: &Vec3, b: &Vec3| a * b.transpose();
            let along = if angular { -c } else { 0.0 } - self.sides[k] * self.lengths[k];
            outer(&pk, &pk) * (along / length[k].powi(3))
                + outer(&pj, &pi) * (corners[k] / (length[j] * length[i]))
                - outer(&pj, &pk) * (corners[i] / (length[j] * length[k]))
                + outer(&pk, &pi) * (corners[j] / (length[k] * length[i]))
                + Mat3::from_diagonal_element(c / length[k])
        })
    }
}

impl ForceField for TriangularQuadraticSpringsForceField {
    type State = Vec3Type;
    type Constants = Sheet;
    type Element = Triangle;
    type Stored = Tangent;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(sheet: &Sheet, at: AddForce<'_, Self>) {
        for (t, tangent) in at.elements.iter().zip(at.stored) {
            let (p, w) = (sides(&t.nodes, at.x), sides(&t.nodes, at.v));
            let length = p.map(|p| p.norm());
            let still = [0, 1, 2].map(|j| length[j] - t.lengths[j]);
            let elongation = [0, 1, 2].map(|j| still[j] + sheet.damping * w[j].dot(&p[j]) / length[j]);
            for j in 0..3 {
                let (k, m) = ((j + 1) % 3, (j + 2) % 3);
                let along = t.sides[j] * elongation[j];
                let corner = t.corners[m] * elongation[k] + t.corners[k] * elongation[m];
                let force = p[j] * ((along + corner) / length[j]);
                at.f[t.nodes[k] as usize] += force;
                at.f[t.nodes[m] as usize] -= force;
            }
            *tangent = t.tangent(sheet.angular, &p, &length, &elongation);
        }
    }

    fn add_d_force(_: &Sheet, at: AddDForce<'_, Self>) {
        for (t, blocks) in at.elements.iter().zip(at.stored) {
            add_product(blocks, &t.nodes, at.k_factor, at.df, at.dx);
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let triangles = topology(b)?.triangles.clone();
    let rest = checked_rest(b, state, &triangles)?;
    let lame = s.membrane.lame()?;
    let of = |(k, nodes): (usize, &[u32; 3])| {
        let t = RestTriangle::new(&nodes.map(|n| rest[n as usize])).ok_or_else(|| without_area(k))?;
        Ok(Triangle::new(*nodes, &t, lame, s.use_angular_springs))
    };
    let elements = triangles.iter().enumerate().map(of).collect::<Result<Vec<_>, BuildError>>()?;
    let stored = vec![[Mat3::zeros(); 3]; elements.len()];
    let sheet = Sheet { damping: s.damping_ratio, angular: s.use_angular_springs };
    b.add_force_field(
        state,
        ForceFieldParts::<TriangularQuadraticSpringsForceField>::new(sheet, elements, stored),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::{ForceFieldCheck, Random};

    const NODES: [[u32; 3]; 2] = [[0, 1, 2], [2, 1, 3]];

    fn sheet() -> Vec<Vec3> {
        [[0.0, 0.0, 0.0], [1.2, 0.1, 0.0], [0.2, 1.0, 0.3], [1.1, 1.3, 0.0]].map(Vec3::from).to_vec()
    }

    fn parts(angular: bool) -> ForceFieldParts<TriangularQuadraticSpringsForceField> {
        let rest = sheet();
        let of = |nodes: [u32; 3]| {
            let t = RestTriangle::new(&nodes.map(|n| rest[n as usize])).unwrap();
            Triangle::new(nodes, &t, [40.0, 70.0], angular)
        };
        let sheet = Sheet { damping: 0.0, angular };
        ForceFieldParts::new(sheet, NODES.map(of).to_vec(), vec![[Mat3::zeros(); 3]; 2])
    }

    /// With springs at corners where no length has changed, since SOFA's tangent is the derivative there only.
    #[test]
    fn conforms() {
        let mut random = Random::new(3);
        let x = random.moved(&sheet(), 0.1);
        let v = random.derivs(4);
        ForceFieldCheck::new(&parts(false), x, v).seed(3).internal().symmetric().run();
        let x = crate::force_field::fem::oracle::deformed(&sheet(), 0.0, 3);
        let v = random.derivs(4);
        ForceFieldCheck::new(&parts(true), x, v).seed(3).symmetric().run();
        let x = random.moved(&sheet(), 0.1);
        let (mut f, v, mut stored) = (vec![Vec3::zeros(); 4], [Vec3::zeros(); 4], parts(true).stored);
        let (params, elements) = (MechanicalParams { dt: 0.01, time: 0.0 }, &parts(true).elements);
        let at = AddForce { params, elements, stored: &mut stored, f: &mut f, x: &x, v: &v };
        TriangularQuadraticSpringsForceField::add_force(&parts(true).constants, at);
        assert!(f.iter().sum::<Vec3>().norm() < 1e-12 && f[0].norm() > 0.1);
    }

    /// To first order a membrane in plane stress: a stretch ε along x of a sheet has the force E' ε per width, E' = λ + μ.
    #[test]
    fn a_small_stretch_has_the_force_of_a_membrane() {
        let rest = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.0)];
        let of = |nodes: [u32; 3]| {
            let t = RestTriangle::new(&nodes.map(|n| rest[n as usize])).unwrap();
            Triangle::new(nodes, &t, [40.0, 70.0], true)
        };
        let elements = NODES.map(of);
        let strain = 1e-6;
        let x = rest.map(|p| Vec3::new(p.x * (1.0 + strain), p.y, 0.0));
        let (mut f, v, stored) = ([Vec3::zeros(); 4], [Vec3::zeros(); 4], &mut [[Mat3::zeros(); 3]; 2]);
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let at = AddForce { params, elements: &elements, stored, f: &mut f, x: &x, v: &v };
        TriangularQuadraticSpringsForceField::add_force(&Sheet { damping: 0.0, angular: true }, at);
        let pull = f[1].x + f[3].x;
        assert!((pull + (40.0 + 70.0) * strain).abs() < 1e-3 * 110.0 * strain, "{pull}");
    }
}
