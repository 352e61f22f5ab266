//! `TriangularTensorMassForceField`: a linear membrane without rotations.

use sim_core::prelude::*;

use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::{checked_rest, without_area};
use super::triangular_springs::MembraneAttributes;
use super::triangular_springs::rest::RestTriangle;

/// A membrane whose forces are linear in the displacements, so that it does not follow rotations.
#[derive(Attributes)]
struct Settings {
    #[attribute(flatten)]
    membrane: MembraneAttributes,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TriangularTensorMassForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("youngModulus='300' poissonRatio='0.3'").elements("triangles")]);

/// A triangle: its points, at rest, and for each side the force on the point after it by its displacement against the one before.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    nodes: [u32; 3],
    rest: [Vec3; 3],
    tensors: [Mat3; 3],
}

/// Linear triangles.
///
/// Of a triangle of the area A at rest, for each corner j and the next ones k and m, with the sides a = Xⱼ − Xₖ and b = Xⱼ − Xₘ at rest,
/// the cotangent t of the angle at j and u = x − X: T = λ/(4 A) a bᵀ + μ/(8 A) b aᵀ − t (λ + μ)/2 I, T (uₖ − uₘ) on corner k, −Tᵀ (uₖ −
/// uₘ) on corner m; λ = E ν/(1 − ν²), μ = E/(1 + ν), twice the shear modulus. It is linear, and its own tangent.
///
/// **Source:** as SOFA's, with the tensors of each triangle apart instead of added up for each edge. Assembled matrices have nothing of it: it
/// acts on their right-hand side only.
pub struct TriangularTensorMassForceField;

impl Triangle {
    fn new(nodes: [u32; 3], rest: [Vec3; 3], t: &RestTriangle, [lambda, mu]: [Real; 2]) -> Self {
        let tensors = [0, 1, 2].map(|j| {
            let (k, m) = ((j + 1) % 3, (j + 2) % 3);
            let (of_m, of_k) = (rest[j] - rest[k], rest[j] - rest[m]);
            of_m * of_k.transpose() * (lambda / (4.0 * t.area))
                + of_k * of_m.transpose() * (mu / (8.0 * t.area))
                + Mat3::from_diagonal_element(-t.cotangents[j] * (lambda + mu) / 2.0)
        });
        Self { nodes, rest, tensors }
    }

    /// Adds the forces of displacements, times a factor.
    fn scatter(&self, u: &[Vec3; 3], factor: Real, f: &mut [Vec3]) {
        for (j, tensor) in self.tensors.iter().enumerate() {
            let (k, m) = ((j + 1) % 3, (j + 2) % 3);
            let d = (u[k] - u[m]) * factor;
            f[self.nodes[k] as usize] += tensor * d;
            f[self.nodes[m] as usize] -= tensor.tr_mul(&d);
        }
    }
}

impl ForceField for TriangularTensorMassForceField {
    type State = Vec3Type;
    type Constants = ();
    type Element = Triangle;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(_: &(), AddForce { elements, f, x, .. }: AddForce<'_, Self>) {
        for t in elements {
            let u = [0, 1, 2].map(|n| x[t.nodes[n] as usize] - t.rest[n]);
            t.scatter(&u, 1.0, f);
        }
    }

    fn add_d_force(_: &(), AddDForce { k_factor, elements, df, dx, .. }: AddDForce<'_, Self>) {
        for t in elements {
            t.scatter(&t.nodes.map(|n| dx[n as usize]), k_factor, df);
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let triangles = topology(b)?.triangles.clone();
    let rest = checked_rest(b, state, &triangles)?;
    let lame = s.membrane.lame()?;
    let of = |(k, nodes): (usize, &[u32; 3])| {
        let p = nodes.map(|n| rest[n as usize]);
        let t = RestTriangle::new(&p).ok_or_else(|| without_area(k))?;
        Ok(Triangle::new(*nodes, p, &t, lame))
    };
    let elements = triangles.iter().enumerate().map(of).collect::<Result<Vec<_>, BuildError>>()?;
    b.add_force_field(state, ForceFieldParts::<TriangularTensorMassForceField>::new((), elements, vec![]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms_and_stretches_as_a_membrane() {
        let rest = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.0)];
        let of = |nodes: [u32; 3]| {
            let p = nodes.map(|n| rest[n as usize]);
            Triangle::new(nodes, p, &RestTriangle::new(&p).unwrap(), [40.0, 70.0])
        };
        let elements = vec![of([0, 1, 2]), of([2, 1, 3])];
        let parts = ForceFieldParts::<TriangularTensorMassForceField>::new((), elements, vec![]);
        let mut random = Random::new(3);
        let x = random.moved(&rest, 0.2);
        let v = random.derivs(4);
        ForceFieldCheck::new(&parts, x, v).seed(3).symmetric().run();
        // A displacement of the whole has no force.
        let x = rest.map(|p| p + Vec3::new(1.0, 2.0, 3.0));
        let mut f = [Vec3::zeros(); 4];
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let at = AddForce { params, elements: &parts.elements, stored: &mut [], f: &mut f, x: &x, v: &x };
        TriangularTensorMassForceField::add_force(&(), at);
        assert!(f.iter().all(|f| f.norm() < 1e-12), "{f:?}");
    }
}
