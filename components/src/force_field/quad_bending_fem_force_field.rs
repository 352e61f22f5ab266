//! `QuadBendingFEMForceField`: plates of rectangles that lie along the first two axes. The file is long for the entries of an element of
//! five scalars a point, which SOFA's assembled matrix reads as three.

use sim_core::prelude::*;

use super::fem::attributes::ElasticAttributes;
use super::fem::material::Material;
use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::checked_rest;

/// How the elements follow their deformation.
#[derive(Word, Clone, Copy)]
enum PlateMethod {
    /// Small displacements.
    Small,
}

/// Plates of rectangles that lie along the first two axes, with small displacements and points that do not turn.
#[derive(Attributes)]
#[attributes(ignored("quadInfo", "vertexInfo", "edgeInfo"))]
struct Settings {
    /// how the elements follow their deformation
    #[attribute(default = "small")]
    method: PlateMethod,
    /// thickness [m]
    #[attribute(default = "1")]
    thickness: Real,
    /// Young's modulus: one, or one per element (elements beyond the list take the first) [Pa]
    #[attribute(default = "1000")]
    young_modulus: Vec<Real>,
    /// Poisson's ratio in [0, 0.5): one, or one per element (elements beyond the list take the first)
    #[attribute(default = "0.45")]
    poisson_ratio: Vec<Real>,
    /// topology with the quads; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "QuadBendingFEMForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("youngModulus='30' poissonRatio='0.3' thickness='0.2'").elements("grid")]);

/// A rectangle.
#[derive(Clone, Copy, Debug)]
pub struct Plate {
    nodes: [u32; 4],
    /// Points at rest, from the middle between the first and the third [m].
    rest: [Vec3; 4],
    /// Stiffness in the plane and, times ν, across; of shear in the plane [N/m].
    membrane: [Real; 3],
    /// Stiffness of bending, and, times ν, across; of twist [N m].
    bending: [Real; 3],
    /// Stiffness of shear out of the plane [N/m].
    shear: Real,
}

/// Half lengths of two sides of a rectangle [m].
type Sides = [Real; 2];

/// Signs of the nodes along both axes.
const SIGNS: [[Real; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// Plates of rectangles; what is stored is the present half lengths of their sides.
///
/// With a rectangle's half sides l and h now, u = (x − m) − (X − M), m and M the middles between its first and third point now and at
/// rest: f = −K u. In the plane K integrates Bᵀ C B with C of plane stress, E t/(1 − ν²) and thickness t, by 2 x 2 Gauss points; across
/// it, of points with signs m, n and p, q, `K_zz = 4 l h G (m p/(16 l²) + n q/(16 h²))` with G = 5/6 E t/(2 (1 + ν)). The tangent is −K.
///
/// **Source:** as SOFA's: the sides' lengths are those of the present shape at each force, and their derivative is left out. Points do not
/// turn, so there is shear out of the plane and no bending. SOFA's assembled matrix reads the element's matrix, which has five rows for each
/// point, as if it had three; so does this one, and differs from the product.
pub struct QuadBendingFEMForceField;

impl Plate {
    fn new(nodes: [u32; 4], p: &[Vec3; 4], thickness: Real, (young, poisson): (Real, Real)) -> Self {
        let middle = (p[0] + p[2]) / 2.0;
        let plane = young * thickness / (1.0 - poisson * poisson);
        let plate = plane * thickness * thickness / 12.0;
        Self {
            nodes,
            rest: p.map(|p| p - middle),
            membrane: [plane, plane * poisson, plane * (1.0 - poisson) / 2.0],
            bending: [plate, plate * poisson, plate * poisson * (1.0 - poisson) / 2.0],
            shear: 5.0 / 6.0 * young * thickness / (2.0 * (1.0 + poisson)),
        }
    }

    fn sides(&self, x: &[Vec3]) -> Sides {
        let [a, b, _, d] = self.nodes.map(|n| x[n as usize]);
        [(b - a).norm() / 2.0, (d - a).norm() / 2.0]
    }

    /// An entry of the element's matrix, whose points have three displacements and two rotations each.
    fn entry(&self, [l, h]: &Sides, row: usize, column: usize) -> Real {
        let ([m, n], [p, q]) = (SIGNS[row / 5], SIGNS[column / 5]);
        let [c, cross, shear] = self.membrane;
        let xx = h / (4.0 * l) * m * p * (1.0 + n * q / 3.0);
        let yy = l / (4.0 * h) * n * q * (1.0 + m * p / 3.0);
        // One point of integration, in the middle.
        let weight = 4.0 * l * h;
        let ([x, y], [u, v]) = ([m / (4.0 * l), n / (4.0 * h)], [p / (4.0 * l), q / (4.0 * h)]);
        let ([plate, other, twist], s) = (self.bending, self.shear);
        match (row % 5, column % 5) {
            (0, 0) => c * xx + shear * yy,
            (0, 1) => (cross * m * q + shear * n * p) / 4.0,
            (1, 0) => (cross * n * p + shear * m * q) / 4.0,
            (1, 1) => c * yy + shear * xx,
            (2, 2) => weight * s * (x * u + y * v),
            (2, 3) => -weight * s * x / 4.0,
            (2, 4) => -weight * s * y / 4.0,
            (3, 2) => -weight * s * u / 4.0,
            (4, 2) => -weight * s * v / 4.0,
            (3, 3) => weight * (x * plate * u + y * twist * v + s / 16.0),
            (3, 4) => weight * (x * other * v + y * twist * u),
            (4, 3) => weight * (y * other * u + x * twist * v),
            (4, 4) => weight * (y * plate * v + x * twist * u + s / 16.0),
            _ => 0.0,
        }
    }

    /// The block of two points for displacements.
    fn block(&self, sides: &Sides, i: usize, j: usize) -> Mat3 {
        Mat3::from_fn(|a, b| self.entry(sides, 5 * i + a, 5 * j + b))
    }

    /// Adds −K u to each point, times a factor.
    fn scatter(&self, sides: &Sides, u: &[Vec3; 4], factor: Real, f: &mut [Vec3]) {
        for (i, node) in self.nodes.iter().enumerate() {
            for (j, u) in u.iter().enumerate() {
                f[*node as usize] -= self.block(sides, i, j) * u * factor;
            }
        }
    }
}

impl ForceField for QuadBendingFEMForceField {
    type State = Vec3Type;
    type Constants = ();
    type Element = Plate;
    type Stored = Sides;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(_: &(), AddForce { elements, stored, f, x, .. }: AddForce<'_, Self>) {
        for (e, sides) in elements.iter().zip(stored) {
            *sides = e.sides(x);
            let p = e.nodes.map(|n| x[n as usize]);
            let middle = (p[0] + p[2]) / 2.0;
            let u = [0, 1, 2, 3].map(|n| p[n] - middle - e.rest[n]);
            e.scatter(sides, &u, 1.0, f);
        }
    }

    fn add_d_force(_: &(), AddDForce { k_factor, elements, stored, df, dx, .. }: AddDForce<'_, Self>) {
        for (e, sides) in elements.iter().zip(stored) {
            e.scatter(sides, &e.nodes.map(|n| dx[n as usize]), k_factor, df);
        }
    }

    fn add_k_to_matrix(
        _: &(),
        AddKToMatrix { k_factor, elements, stored, matrix, .. }: AddKToMatrix<'_, Self>,
    ) {
        for (e, sides) in elements.iter().zip(stored) {
            for (i, row) in e.nodes.iter().enumerate() {
                for (j, column) in e.nodes.iter().enumerate() {
                    let block = Mat3::from_fn(|a, b| -k_factor * e.entry(sides, 3 * i + a, 3 * j + b));
                    matrix.add_block(*row, *column, &block);
                }
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let PlateMethod::Small = s.method;
    let quads = topology(b)?.quads.clone();
    let rest = checked_rest(b, state, &quads)?;
    let material =
        Material::from_attributes(b, ElasticAttributes::of(s.young_modulus, s.poisson_ratio), quads.len());
    let of = |(k, nodes): (usize, &[u32; 4])| {
        let p = nodes.map(|n| rest[n as usize]);
        let plate = Plate::new(*nodes, &p, s.thickness, material.young_and_poisson(k));
        let sides = plate.sides(&rest);
        if sides.iter().any(|l| *l <= 0.0 || !l.is_finite()) {
            let text =
                format!("quad {k} of the topology (points {nodes:?}) has a side without length at rest");
            return Err(BuildError::attribute("topology", text));
        }
        Ok((plate, sides))
    };
    let (elements, stored) =
        quads.iter().enumerate().map(of).collect::<Result<(Vec<_>, Vec<_>), BuildError>>()?;
    b.add_force_field(state, ForceFieldParts::<QuadBendingFEMForceField>::new((), elements, stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::{ForceFieldCheck, Random};

    fn sheet() -> ([Vec3; 6], Vec<Plate>) {
        let rest = [0, 1, 2, 3, 4, 5].map(|k| Vec3::new(f64::from(k % 3) * 1.2, f64::from(k / 3) * 0.8, 0.0));
        let of = |nodes: [u32; 4]| Plate::new(nodes, &nodes.map(|n| rest[n as usize]), 0.1, (1000.0, 0.3));
        (rest, vec![of([0, 1, 4, 3]), of([1, 2, 5, 4])])
    }

    fn force(plates: &[Plate], x: &[Vec3]) -> (Vec<Vec3>, Vec<Sides>) {
        let (mut f, mut stored) = (vec![Vec3::zeros(); x.len()], vec![[0.0; 2]; plates.len()]);
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let at = AddForce { params, elements: plates, stored: &mut stored, f: &mut f, x, v: x };
        QuadBendingFEMForceField::add_force(&(), at);
        (f, stored)
    }

    /// With the sides as they are stored, anywhere.
    #[test]
    fn conforms_with_the_sides_held() {
        let (rest, plates) = sheet();
        let parts = ForceFieldParts::<QuadBendingFEMForceField>::new((), plates, vec![[0.0; 2]; 2]);
        let x = Random::new(5).moved(&rest, 0.1);
        let v = vec![Vec3::zeros(); x.len()];
        let check = ForceFieldCheck::new(&parts, x, v).seed(5).symmetric().own_matrix();
        check
            .frozen(|_, plates, stored, f, x, _| {
                for (e, sides) in plates.iter().zip(stored) {
                    let p = e.nodes.map(|n| x[n as usize]);
                    let middle = (p[0] + p[2]) / 2.0;
                    e.scatter(sides, &[0, 1, 2, 3].map(|n| p[n] - middle - e.rest[n]), 1.0, f);
                }
            })
            .run();
    }

    /// With the sides held, which displacements out of the plane leave as they are to first order, the product is the derivative.
    #[test]
    fn the_product_is_the_derivative_with_the_sides_held() {
        let (rest, plates) = sheet();
        let (_, stored) = force(&plates, &rest);
        let dx: Vec<Vec3> = Random::new(3).derivs(6);
        let mut df = vec![Vec3::zeros(); 6];
        let (elements, k_factor) = (&plates, 1.0);
        let at = AddDForce { k_factor, b_factor: 0.0, elements, stored: &stored, df: &mut df, dx: &dx };
        QuadBendingFEMForceField::add_d_force(&(), at);
        let moved = |by: Real| {
            let x: Vec<Vec3> = rest.iter().zip(&dx).map(|(x, d)| x + d * by).collect();
            force(&plates, &x).0
        };
        let (plus, minus) = (moved(1e-6), moved(-1e-6));
        for k in 0..6 {
            let wanted = (plus[k] - minus[k]) / 2e-6;
            assert!((df[k] - wanted).norm() < 1e-5 * 1000.0, "{k}: {} {wanted}", df[k]);
        }
        assert!(df.iter().sum::<Vec3>().norm() < 1e-10);
    }

    /// A stretch ε along x of a sheet in plane strain: E t ε / (1 − ν²) per width.
    #[test]
    fn a_stretch_has_the_force_of_a_membrane() {
        let (rest, plates) = sheet();
        let strain = 1e-7;
        let x = rest.map(|p| Vec3::new(p.x * (1.0 + strain), p.y, 0.0));
        let (f, _) = force(&plates, &x);
        let (pull, wanted) = (-(f[2].x + f[5].x), 1000.0 * 0.1 / (1.0 - 0.09) * strain * 0.8);
        assert!((pull - wanted).abs() < 1e-5 * wanted, "{pull} {wanted}");
    }
}
