//! `TriangularFEMForceFieldOptim`: linear elasticity on triangles in space, by the shape at rest. The file is long since it has SOFA's
//! order of operations, and so its own kernels.

use sim_core::prelude::*;

use super::fem::attributes::ElasticAttributes;
use super::fem::material::Material;
use super::fem::membrane::{PlaneElasticity, PlaneGradients, PlaneMaterial};
use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::{checked_rest, without_area};

/// Linear elasticity on triangles in space, of thickness 1 and in plane stress, with strains by the shape at rest.
#[derive(Attributes)]
#[attributes(
    ignored("triangleInfo", "triangleState", "damping", "computePrincipalStress", "stressMaxValue"),
    ignored("showStressVector", "showStressThreshold")
)]
struct Settings {
    /// how the axes of a triangle's plane follow: along its first side
    #[attribute(default = "large", or_default)]
    _method: OptimMethod,
    /// factor of the sides at rest
    #[attribute(default = "1", positive)]
    rest_scale: Real,
    #[attribute(flatten)]
    elastic: ElasticAttributes,
}

/// The one method that the class has.
#[derive(Word, Clone, Copy)]
enum OptimMethod {
    Large,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TriangularFEMForceFieldOptim", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("youngModulus='300' poissonRatio='0.3'").elements("triangles")]);

/// An elastic triangle (0, 0), (bx, 0), (cx, cy) at rest.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    nodes: [u32; 3],
    bx: Real,
    cx: Real,
    cy: Real,
    /// E / (1 + ν) and E ν / (1 − ν²) [Pa].
    mu: Real,
    gamma: Real,
    /// 1 / (2 bx cy) [1/m²].
    factor: Real,
}

/// Linear elasticity on triangles; what is stored are the axes of their planes.
///
/// With a triangle (0, 0), (bx, 0), (cx, cy) at rest and displacements u of its points b and c in its present axes X and Y, from its
/// point a: ε = (cy u_bx, bx u_cy − cx u_by, bx u_cx − cx u_bx + cy u_by)/(bx cy), σ = (μ ε₁ + γ (ε₁ + ε₂), μ ε₂ + γ (ε₁ + ε₂), μ ε₃/2)
/// with μ = E/(1 + ν), γ = E ν/(1 − ν²). The forces are −(X (cy σ₁ − cx σ₃) + Y (cy σ₃ − cx σ₂))/2 on b, −(X bx σ₃ + Y bx σ₂)/2 on c and
/// the opposite of both on a. The tangent is the same map in the last axes.
///
/// **Source:** as SOFA's, in its order of operations, since a scene of its suite amplifies the last bit: displacements from the shape
/// at rest in the axes of the deformed triangle, strains by the gradients at rest. The tangent leaves out how the axes follow.
pub struct TriangularFEMForceFieldOptim;

/// Along the first side of a triangle, and across it; a side without length has no direction.
fn axes(ab: &Vec3, ac: &Vec3) -> [Vec3; 2] {
    let across = ab.cross(ac).cross(ab);
    [*ab, across].map(|v| {
        let norm = v.inner(&v).sqrt();
        if norm > 2.2e-16 { v / norm } else { v }
    })
}

impl Triangle {
    /// Of three points at rest; none where they lie on a line.
    fn new(nodes: [u32; 3], [ab, ac]: [Vec3; 2], (young, poisson): (Real, Real)) -> Option<Self> {
        let [x, y] = axes(&ab, &ac);
        let (bx, cx, cy) = (x.inner(&ab), x.inner(&ac), y.inner(&ac));
        let (mu, gamma) = (young / (1.0 + poisson), (young * poisson) / (1.0 - poisson * poisson));
        let triangle = Self { nodes, bx, cx, cy, mu, gamma, factor: 0.5 / (bx * cy) };
        (bx * cy > 2.2e-16).then_some(triangle)
    }

    /// Stress of a strain times what it was not yet divided by, times a factor.
    fn stress(&self, [xx, yy, xy]: [Real; 3], factor: Real) -> [Real; 3] {
        let both = self.gamma * (xx + yy);
        [self.mu * xx + both, self.mu * yy + both, 0.5 * self.mu * xy].map(|s| s * factor)
    }

    /// Forces on the nodes.
    fn forces(&self, [x, y]: &[Vec3; 2], s: [Real; 3]) -> [Vec3; 3] {
        let b = x * (self.cy * s[0] - self.cx * s[2]) + y * (self.cy * s[2] - self.cx * s[1]);
        let c = x * (self.bx * s[2]) + y * (self.bx * s[1]);
        [-b - c, b, c]
    }

    fn block(&self, axes: &[Vec3; 2], at: [usize; 2]) -> Mat3 {
        let elasticity = PlaneElasticity::new(self.mu + self.gamma, self.gamma, 0.5 * self.mu);
        let twice_area = self.bx * self.cy;
        let gradients = PlaneGradients::new([self.bx, 0.0], [self.cx, self.cy], twice_area);
        gradients.block(&elasticity.times(0.5 * twice_area), axes, at)
    }
}

impl ForceField for TriangularFEMForceFieldOptim {
    type State = Vec3Type;
    type Constants = ();
    type Element = Triangle;
    type Stored = [Vec3; 2];
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(_: &(), AddForce { elements, stored, f, x, .. }: AddForce<'_, Self>) {
        for (t, frame) in elements.iter().zip(stored) {
            let nodes = t.nodes.map(|n| n as usize);
            let [a, b, c] = nodes.map(|n| x[n]);
            let (ab, ac) = (b - a, c - a);
            *frame = axes(&ab, &ac);
            let bx = t.bx - frame[0].inner(&ab);
            let (cx, cy) = (t.cx - frame[0].inner(&ac), t.cy - frame[1].inner(&ac));
            let stress = t.stress([t.cy * bx, t.bx * cy, t.bx * cx - t.cx * bx], t.factor);
            for (n, force) in nodes.into_iter().zip(t.forces(frame, stress)) {
                f[n] += force;
            }
        }
    }

    fn add_d_force(_: &(), at: AddDForce<'_, Self>) {
        for (t, frame) in at.elements.iter().zip(at.stored) {
            let nodes = t.nodes.map(|n| n as usize);
            let [a, b, c] = nodes.map(|n| at.dx[n]);
            let (ab, ac) = (b - a, c - a);
            let [bx, by] = [frame[0].inner(&ab), frame[1].inner(&ab)];
            let [cx, cy] = [frame[0].inner(&ac), frame[1].inner(&ac)];
            let strain = [t.cy * bx, t.bx * cy - t.cx * by, t.bx * cx - t.cx * bx + t.cy * by];
            let stress = t.stress(strain, t.factor * at.k_factor);
            for (n, force) in nodes.into_iter().zip(t.forces(frame, stress)) {
                at.df[n] -= force;
            }
        }
    }

    fn add_k_to_matrix(_: &(), at: AddKToMatrix<'_, Self>) {
        for (t, frame) in at.elements.iter().zip(at.stored) {
            for i in 0..3 {
                for j in 0..3 {
                    let block = t.block(frame, [i, j]) * -at.k_factor;
                    at.matrix.add_block(t.nodes[i], t.nodes[j], &block);
                }
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let state = b.state()?;
    let triangles = topology(b)?.triangles.clone();
    let material = Material::from_attributes(b, s.elastic, triangles.len());
    let rest = checked_rest(b, state, &triangles)?;
    let element = |(e, nodes): (usize, &[u32; 3])| {
        let [p, q, r] = nodes.map(|n| rest[n as usize]);
        let sides = [(q - p) * s.rest_scale, (r - p) * s.rest_scale];
        Triangle::new(*nodes, sides, material.young_and_poisson(e)).ok_or(e)
    };
    let elements = triangles.iter().enumerate().map(element).collect::<Result<Vec<_>, _>>();
    let elements = elements.map_err(without_area)?;
    let stored = vec![<[Vec3; 2]>::default(); elements.len()];
    b.add_force_field(state, ForceFieldParts::<TriangularFEMForceFieldOptim>::new((), elements, stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::corotated_membrane::tests::{TRIANGLES, strip};
    use sim_core::testing::{ForceFieldCheck, Random};

    type Field = TriangularFEMForceFieldOptim;

    fn parts(scale: Real) -> ForceFieldParts<Field> {
        let rest = strip();
        let element = |nodes: &[u32; 3]| {
            let [p, q, r] = nodes.map(|n| rest[n as usize]);
            Triangle::new(*nodes, [(q - p) * scale, (r - p) * scale], (100.0, 0.3)).unwrap()
        };
        let elements: Vec<Triangle> = TRIANGLES.iter().map(element).collect();
        ForceFieldParts::new((), elements, vec![<[Vec3; 2]>::default(); TRIANGLES.len()])
    }

    /// The force in axes that are held.
    fn frozen(elements: &[Triangle], stored: &[[Vec3; 2]], f: &mut [Vec3], x: &[Vec3]) {
        for (t, frame) in elements.iter().zip(stored) {
            let [a, b, c] = t.nodes.map(|n| x[n as usize]);
            let [bx, by] = [t.bx - frame[0].dot(&(b - a)), -frame[1].dot(&(b - a))];
            let [cx, cy] = [t.cx - frame[0].dot(&(c - a)), t.cy - frame[1].dot(&(c - a))];
            let strain = [t.cy * bx, t.bx * cy - t.cx * by, t.bx * cx - t.cx * bx + t.cy * by];
            for (n, force) in t.nodes.iter().zip(t.forces(frame, t.stress(strain, t.factor))) {
                f[*n as usize] += force;
            }
        }
    }

    /// Forces of the shape at rest on the deformed one have a torque.
    #[test]
    fn conforms() {
        let mut random = Random::new(9);
        let x = random.moved(&strip(), 0.3);
        let parts = parts(1.0);
        let check = ForceFieldCheck::new(&parts, x, random.derivs(5)).seed(9);
        let check = check.symmetric().assembled();
        check.frozen(|_, elements, stored, f, x, _| frozen(elements, stored, f, x)).run();
    }

    fn force(parts: &ForceFieldParts<Field>, x: &[Vec3]) -> Vec<Vec3> {
        let (mut f, v) = (vec![Vec3::zeros(); x.len()], vec![Vec3::zeros(); x.len()]);
        let (params, elements) = (MechanicalParams { dt: 0.01, time: 0.0 }, &parts.elements);
        let stored = &mut parts.stored.clone();
        Field::add_force(&(), AddForce { params, elements, stored, f: &mut f, x, v: &v });
        f
    }

    #[test]
    fn a_stretched_square_has_the_stress_of_its_strain_at_rest() {
        // Uniaxial stretch of a unit square by 10 % with Poisson's ratio 0: 100 Pa * 0.1 on an edge of length 1, half to each node.
        let rest = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        let element = |nodes: [u32; 3]| {
            let [p, q, r] = nodes.map(|n| rest[n as usize]);
            Triangle::new(nodes, [q - p, r - p], (100.0, 0.0)).unwrap()
        };
        let elements = vec![element([0, 1, 2]), element([3, 0, 2])];
        let parts = ForceFieldParts::new((), elements, vec![<[Vec3; 2]>::default(); 2]);
        let f = force(&parts, &rest.map(|p| Vec3::new(1.1 * p.x, p.y, p.z)));
        for (n, wanted) in [5.0, -5.0, -5.0, 5.0].into_iter().enumerate() {
            // The diagonal side turns its triangles' axes a little: first order only.
            assert!((f[n].x - wanted).abs() < 0.3, "{f:?}");
        }
        assert!(f.iter().sum::<Vec3>().norm() < 1e-12);
    }

    #[test]
    fn a_rest_scale_makes_it_pull_and_a_collapsed_triangle_stays_finite() {
        let at_rest = force(&parts(1.0), &strip());
        assert!(at_rest.iter().all(|f| f.norm() < 1e-12), "{at_rest:?}");
        let smaller = force(&parts(0.5), &strip());
        let outward: Real = smaller.iter().zip(&strip()).map(|(f, x)| f.dot(x)).sum();
        assert!(outward < -1.0, "{outward}");
        let line = [Vec3::zeros(); 5];
        assert!(force(&parts(1.0), &line).iter().all(|f| f.iter().all(|c| c.is_finite())));
        assert!(Triangle::new([0, 1, 2], [Vec3::x(), Vec3::x() * 2.0], (1.0, 0.3)).is_none());
    }
}
