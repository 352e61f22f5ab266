//! `HexahedralFEMForceField` and `HexahedralFEMForceFieldAndMass`: linear elasticity on hexahedra that are bricks along the axes at rest.
//! The file is long for its two classes, one of which is a mass, too.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::fem::attributes::ElasticAttributes;
use super::fem::dense_hexahedra::{self, Hexahedron};
use super::fem::frame::Method;
use super::fem::hexahedra::SIGNS;
use super::fem::material::{Lame, Material};
use super::fem::tetrahedra::{ElementError, check_nodes};
use super::hexahedron_mass::{FilledHexahedra, HexahedronMassAttributes, HexahedronMassKind};
use super::tetrahedron_fem_force_field::{rest_positions, topology};

/// The methods that this class has.
#[derive(Word, Clone, Copy)]
#[word(of = Method)]
enum HexahedralMethod {
    Large,
    Polar,
}

/// Linear elasticity on hexahedra that are bricks along the axes at rest, with frames that follow each element.
#[derive(Attributes)]
#[attributes(ignored("hexahedronInfo"))]
struct Settings {
    /// how frames follow the elements
    #[attribute(default = "large")]
    method: HexahedralMethod,
    #[attribute(flatten)]
    elastic: ElasticAttributes,
}

/// Linear elasticity on hexahedra that are bricks along the axes at rest, which are the mass, too.
#[derive(Attributes)]
#[attributes(ignored("totalMass", "particleMasses", "lumpedMasses"))]
struct WithMass {
    #[attribute(flatten)]
    elastic: Settings,
    #[attribute(flatten)]
    mass: HexahedronMassAttributes,
    /// of our own: the consistent matrix, whose sum is the mass, with all its blocks; SOFA's makes the inertia of an element 19 times its mass
    exact_mass: bool,
}

/// The class `HexahedralFEMForceField`.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "HexahedralFEMForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='large'").elements("hexahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='polar'").elements("hexahedra"),
        ]);

/// The class `HexahedralFEMForceFieldAndMass`.
pub const AND_MASS: ComponentDescription =
    ComponentDescription::new::<WithMass>(Family::Mass, "HexahedralFEMForceFieldAndMass", build_with_mass)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("density='0.5' lumpedMass='1' youngModulus='3000' poissonRatio='0.3'")
            .template("Vec3")
            .elements("hexahedra")]);

/// Marks the class without mass.
pub struct Massless;
/// The mass.
///
/// Mass: with m = ρ times the product of three edges, ρ from `density`, every pair of an element's eight points has the same entry 8/27
/// m, where `lumpedMass` says so 64/27 m on the diagonal alone. The weight is m g/8 at each point.
///
/// **Source:** as SOFA's, and not the consistent matrix: the inertia of an element is about 19 times its mass. There is no inverse, so no
/// explicit integrator. Where it is not lumped, assembled matrices have the blocks on its diagonal only.
pub struct Massive;

/// What tells the classes apart.
pub trait Kind: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
}
impl Kind for Massless {
    const NAME: &'static str = DESCRIPTION.class;
}
impl Kind for Massive {
    const NAME: &'static str = AND_MASS.class;
}
impl HexahedronMassKind for Massive {
    const NAME: &'static str = AND_MASS.class;
    const JOINS_POINTS: bool = false;
}

/// Elastic hexahedra; the constant is how frames follow.
///
/// In the frame Q of the mean edges (`large`) or of their polar factor (`polar`), Q₀ at rest: u = Q x − Q₀ X, f = −Qᵀ K u; the tangent
/// −Qᵀ K Q leaves out how Q changes. With s and t the signs of two corners, l the diagonal of the brick, v its volume, j = 2/l for each
/// axis and `P_a = (1 + s_b t_b/3)(1 + s_c t_c/3)`, the blocks of K are `K_aa = v j_a² ((λ + 2μ) s_a t_a P_a + μ (s_b t_b P_b + s_c t_c
/// P_c))/64` and `K_ab = v j_a j_b (λ s_a t_b + μ s_b t_a)(1 + s_c t_c/3)/64`, λ and μ being Lamé's constants of `youngModulus` and
/// `poissonRatio`.
///
/// **Source:** as SOFA's. The stiffness comes from a closed formula for bricks along the axes, rounded to 32 bits, in which the terms of
/// shear have the square of a block's own axis in place of the other one's: it is that of linear elasticity for cubes alone. SOFA's assembled
/// matrix turns the stiffness the wrong way round, Q K Qᵀ in place of Qᵀ K Q, and so does this one.
pub struct HexahedralFEMForceField<K>(PhantomData<K>);

/// A block of the stiffness of a brick whose diagonal is `l`; of volume `v`.
fn block(i: usize, j: usize, l: &Vec3, v: f64, c: &Lame) -> Mat3 {
    let (s, t) = (SIGNS[i], SIGNS[j]);
    let (u, w, g) = (c.lambda + 2.0 * c.mu, c.lambda, c.mu);
    let scale = l.map(|l| 2.0 / l);
    let along = |a: usize| 1.0 + s[a] * t[a] / 3.0;
    let others = |a: usize| along((a + 1) % 3) * along((a + 2) % 3);
    Mat3::from_fn(|a, b| {
        let value = if a == b {
            let shear: f64 = [(a + 1) % 3, (a + 2) % 3].iter().map(|o| s[*o] * t[*o] * others(*o)).sum();
            scale[a] * scale[a] * (u * s[a] * t[a] * others(a) + g * shear) / 8.0
        } else {
            scale[a] * scale[b] * (w * s[a] * t[b] + g * s[b] * t[a]) * along(3 - a - b) / 8.0
        };
        f64::from(value as f32) * v / 8.0
    })
}

impl<K: Kind> HexahedralFEMForceField<K> {
    /// The force field of bricks on points at rest.
    ///
    /// # Errors
    /// An element whose diagonal does not leave all coordinate planes, or of points that do not exist.
    pub fn parts(
        rest: &[Vec3],
        hexahedra: &[[u32; 8]],
        material: &Material,
        method: Method,
    ) -> Result<ForceFieldParts<Self>, ElementError> {
        check_nodes("hexahedron", hexahedra, rest.len())?;
        let of = |(element, nodes): (usize, &[u32; 8])| {
            let p = nodes.map(|n| rest[n as usize]);
            let (l, lame) = (p[6] - p[0], material.lame(element, 1.0));
            let edges = [1, 3, 4].map(|k| (p[k] - p[0]).norm());
            let thin = l.iter().any(|l| l.abs() <= 1e-12 * edges.iter().sum::<f64>());
            if thin || l.iter().any(|l| !l.is_finite()) {
                return Err(ElementError::NoVolume { kind: "hexahedron", element, nodes: nodes.to_vec() });
            }
            let frame = dense_hexahedra::frames(method, &[p])[0];
            let volume = edges.iter().product();
            Ok(Hexahedron::new(*nodes, &frame, &p, |i, j| block(i, j, &l, volume, &lame)))
        };
        let elements = hexahedra.iter().enumerate().map(of).collect::<Result<Vec<_>, _>>()?;
        let stored = vec![Mat3::identity(); elements.len()];
        Ok(ForceFieldParts::new(method, elements, stored))
    }
}

impl<K: Kind> ForceField for HexahedralFEMForceField<K> {
    type State = Vec3Type;
    type Constants = Method;
    type Element = Hexahedron;
    type Stored = Mat3;
    const NAME: &'static str = K::NAME;

    fn add_force(method: &Method, at: AddForce<'_, Self>) {
        dense_hexahedra::add_force(*method, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(_: &Method, at: AddDForce<'_, Self>) {
        dense_hexahedra::add_d_force(at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(_: &Method, at: AddKToMatrix<'_, Self>) {
        dense_hexahedra::add_k_to_matrix(at.k_factor, at.elements, at.stored, |q| *q, at.matrix);
    }

    fn potential_energy(method: &Method, elements: &[Hexahedron], x: &[Vec3]) -> Option<Real> {
        Some(dense_hexahedra::potential_energy(*method, elements, x))
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    add::<Massless>(b, s).map(|_| ())
}

fn build_with_mass(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, WithMass::read(b)?);
    let hexahedra = add::<Massive>(b, s.elastic)?;
    let rest = rest_positions(b, state)?;
    b.add_mass(state, FilledHexahedra::<Massive>::parts(&rest, &hexahedra, &s.mass, &[], s.exact_mass))
}

/// Puts the force field into the scene; gives back its elements.
fn add<K: Kind>(b: &mut Builder<'_>, s: Settings) -> Result<Vec<[u32; 8]>, BuildError> {
    let state = b.state()?;
    let hexahedra = topology(b)?.hexahedra.clone();
    let material = Material::from_attributes(b, s.elastic, hexahedra.len());
    if hexahedra.is_empty() {
        b.warn(None, "the topology has no hexahedra, so there will be no force");
    }
    let rest = rest_positions(b, state)?;
    let parts = HexahedralFEMForceField::<K>::parts(&rest, &hexahedra, &material, s.method.into())
        .map_err(|e| BuildError::new(e.to_string()))?;
    b.add_force_field(state, parts)?;
    Ok(hexahedra)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::oracle;
    use sim_core::testing::{ForceFieldCheck, Random};

    fn parts(rest: &[Vec3], method: Method) -> ForceFieldParts<HexahedralFEMForceField<Massless>> {
        let hexahedra = oracle::bar([2, 1, 2]).1;
        HexahedralFEMForceField::parts(rest, &hexahedra, &Material::uniform(1000.0, 0.3), method).unwrap()
    }

    /// With frames held, which stay at rest here, so that the matrix is that of the product.
    #[test]
    fn conforms() {
        let (rest, hexahedra) = oracle::bar([2, 1, 2]);
        let x = Random::new(4).moved(&rest, 0.05);
        let parts = parts(&rest, Method::Small);
        let v = vec![Vec3::zeros(); x.len()];
        ForceFieldCheck::new(&parts, x, v).seed(4).symmetric().conservative().assembled().run();
        let cube = oracle::hexahedron(&hexahedra[0].map(|n| rest[n as usize]), 1000.0, 0.3, true);
        for i in 0..8 {
            for j in 0..8 {
                let wanted = Mat3::from_fn(|a, b| cube.k[(3 * i + a) * 24 + 3 * j + b]);
                let found = parts.elements[0].block(i, j);
                assert!((found - wanted).norm() < 1e-4 * (1.0 + wanted.norm()), "{i} {j}: {found} {wanted}");
            }
        }
    }

    /// Where an element is turned, SOFA's assembled matrix is that of a body turned the other way.
    #[test]
    fn the_assembled_matrix_is_turned_the_wrong_way() {
        struct First(Option<Mat3>);
        impl BlockSink for First {
            fn add_block(&mut self, _: u32, _: u32, block: &Mat3) {
                self.0.get_or_insert(*block);
            }
        }
        let rest = oracle::bar([2, 1, 2]).0;
        let x = oracle::deformed(&rest, 0.0, 1);
        let parts = parts(&rest, Method::Large);
        let (mut f, v) = (vec![Vec3::zeros(); x.len()], vec![Vec3::zeros(); x.len()]);
        let mut stored = parts.stored.clone();
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let at = AddForce { params, elements: &parts.elements, stored: &mut stored, f: &mut f, x: &x, v: &v };
        HexahedralFEMForceField::<Massless>::add_force(&parts.constants, at);
        // As far as 32 bits tell.
        assert!(f.iter().all(|f| f.norm() < 1e-2), "a turned body rests");
        let mut first = First(None);
        let (elements, matrix) = (&parts.elements, &mut first);
        let at = AddKToMatrix { k_factor: 1.0, b_factor: 0.0, elements, stored: &stored, matrix };
        HexahedralFEMForceField::<Massless>::add_k_to_matrix(&parts.constants, at);
        let (q, k) = (stored[0], parts.elements[0].block(0, 0));
        assert!((first.0.unwrap() + q * k * q.transpose()).norm() < 1e-9);
        assert!((first.0.unwrap() + q.transpose() * k * q).norm() > 1.0);
    }
}
