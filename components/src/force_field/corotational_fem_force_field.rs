//! `CorotationalFEMForceField` and `LinearSmallStrainFEMForceField`: linear elasticity on the elements that the template names. The file
//! is long for two classes on seven kinds of elements, of which tetrahedra and hexahedra have fast kernels.
//!
//! Of an element at rest, K = Σ w |det J| Bᵀ C B over its quadrature points: B makes strains of displacements, C stresses of strains by
//! λ = E ν/((1 + ν)(1 − 2ν)) and μ = E/(2 (1 + ν)). With places p, places at rest X, their means p̄ and X̄, and the rotation R of the
//! element: u = Rᵀ (p − p̄) − (X − X̄), f = −R K u. The tangent −R K Rᵀ leaves out how R changes. `LinearSmallStrainFEMForceField` has
//! R = I: f = −K (p − X), which is its own tangent.
//!
//! `triangle` and `hexahedron` make R of the frames now and at rest (axes along the first edge, or the mean ones), `polar` and
//! `stable_polar` of Σ (p − p̄)(X − X̄)ᵀ. Quadrature: one point in edges, triangles and tetrahedra, 3 in quads, 2 in prisms, 8 in
//! hexahedra and pyramids. As in SOFA, triangles and quads in space have the λ of solids, that of plane strain, and are one unit thick.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::corotational_elements::{self, AtRest, Corotational, ElementFieldKind, LinearSmallStrain};
use super::fem::attributes::ElasticAttributes;
use super::fem::boxes::Boxes;
use super::fem::bricks::Bricks;
use super::fem::finite_element::{Edge, Hexahedron, Prism, Pyramid, Quad, Tetrahedron, Triangle};
use super::fem::frame::Method;
use super::fem::gauss_points::General;
use super::fem::hexahedra;
use super::fem::hexahedron_loops::{self, Hexahedra};
use super::fem::material::Material;
use super::fem::patches::Order;
use super::fem::rotated_elements::Rotation;
use super::fem::tetrahedra::{self, Block, Tangent};
use super::hexahedron_fem_force_field::{HexahedronParts, choose};
use super::tetrahedron_fem_force_field::{
    TetrahedronOptions, assemble, rest_positions, topology, warn_of_inverted,
};

/// Either class on tetrahedra.
///
/// **Source:** as SOFA's: displacements are taken from the centroid of an element, which makes no difference to the forces, so the
/// mathematics is that of [`TetrahedronFEMForceField`](super::tetrahedron_fem_force_field::TetrahedronFEMForceField) with the
/// method `large` (`small`, for small strains).
pub struct TetrahedraField<K>(PhantomData<K>);

/// Either class on hexahedra.
///
/// **Source:** as SOFA's; the mathematics is that of
/// [`HexahedronFEMForceField`](super::hexahedron_fem_force_field::HexahedronFEMForceField) with the method `large` (`small`).
pub struct HexahedraField<K, H>(PhantomData<(K, H)>);

impl<K: ElementFieldKind> ForceField for TetrahedraField<K> {
    type State = Vec3Type;
    type Constants = tetrahedra::Constants;
    type Element = Block;
    type Stored = Tangent;
    const NAME: &'static str = K::NAME;

    fn add_force(c: &tetrahedra::Constants, at: AddForce<'_, Self>) {
        tetrahedra::add_force(c, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(c: &tetrahedra::Constants, at: AddDForce<'_, Self>) {
        tetrahedra::add_d_force(c, at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(c: &tetrahedra::Constants, at: AddKToMatrix<'_, Self>) {
        tetrahedra::add_k_to_matrix(c, at.k_factor, at.elements, at.stored, at.matrix);
    }

    /// Only for small strains.
    fn potential_energy(c: &tetrahedra::Constants, blocks: &[Block], x: &[Vec3]) -> Option<Real> {
        (c.method == Method::Small).then(|| tetrahedra::small_strain_energy(c, blocks, x))
    }
}

impl<K: ElementFieldKind, H: Hexahedra> ForceField for HexahedraField<K, H> {
    type State = Vec3Type;
    type Constants = H::Constants;
    type Element = H::Block;
    type Stored = H::Tangent;
    const NAME: &'static str = K::NAME;

    fn add_force(c: &H::Constants, at: AddForce<'_, Self>) {
        hexahedron_loops::add_force::<H>(c, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(c: &H::Constants, at: AddDForce<'_, Self>) {
        hexahedron_loops::add_d_force::<H>(c, at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(c: &H::Constants, at: AddKToMatrix<'_, Self>) {
        hexahedron_loops::add_k_to_matrix::<H>(c, at.k_factor, at.elements, at.stored, at.matrix);
    }

    fn potential_energy(c: &H::Constants, blocks: &[H::Block], x: &[Vec3]) -> Option<Real> {
        Some(hexahedron_loops::potential_energy::<H>(c, blocks, x))
    }
}

/// Linear elasticity on the elements that the template names, in frames that follow each.
#[derive(Attributes)]
#[attributes(
    ignored("elementStiffness", "elementSpace", "computeForceStrategy", "computeForceDerivStrategy"),
    ignored("vonMisesStress", "computeVonMisesStress")
)]
struct CorotationalSettings {
    /// how rotations are found; `triangle`, from the first three nodes of triangles and tetrahedra, and `hexahedron`, from the mean
    /// edges, are the defaults of these (written out, they leave forces at rest, as in SOFA), `stable_polar` that of all others
    rotation_method: Option<RotationMethod>,
    #[attribute(flatten)]
    elastic: ElasticAttributes,
}

/// Linear elasticity on the elements that the template names, for small displacements.
#[derive(Attributes)]
#[attributes(
    ignored("elementStiffness", "elementSpace", "computeForceStrategy", "computeForceDerivStrategy"),
    ignored("vonMisesStress", "computeVonMisesStress")
)]
struct SmallStrainSettings {
    #[attribute(flatten)]
    elastic: ElasticAttributes,
}

/// The methods that the class has.
#[derive(Word, Clone, Copy, PartialEq, Eq)]
#[word(of = Rotation)]
enum RotationMethod {
    #[word("stable_polar")]
    StablePolar,
    Polar,
    Identity,
    Triangle,
    Hexahedron,
}

const TEMPLATES: [&str; 7] = [
    "Vec3,Tetrahedron",
    "Vec3,Hexahedron",
    "Vec3,Edge",
    "Vec3,Triangle",
    "Vec3,Quad",
    "Vec3,Pyramid",
    "Vec3,Prism",
];

const SAMPLES: [Sample; 3] = [
    Sample::new("template='Vec3,Tetrahedron' youngModulus='3000' poissonRatio='0.3'")
        .template("Vec3")
        .elements("tetrahedra"),
    Sample::new("template='Vec3,Hexahedron' youngModulus='3000' poissonRatio='0.3'")
        .template("Vec3")
        .elements("hexahedra"),
    Sample::new("template='Vec3,Triangle' youngModulus='3000' poissonRatio='0.3'")
        .template("Vec3")
        .elements("triangles"),
];

/// The class `CorotationalFEMForceField`.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::new::<CorotationalSettings>(
    Family::ForceField,
    "CorotationalFEMForceField",
    build_corotational,
)
.templates(&TEMPLATES)
.samples(&SAMPLES);

/// The class `LinearSmallStrainFEMForceField`.
pub const SMALL_STRAIN: ComponentDescription = ComponentDescription::new::<SmallStrainSettings>(
    Family::ForceField,
    "LinearSmallStrainFEMForceField",
    build_small_strain,
)
.templates(&TEMPLATES)
.samples(&SAMPLES);

fn build_corotational(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = CorotationalSettings::read(b)?;
    build::<Corotational>(b, s.rotation_method, s.elastic)
}

fn build_small_strain(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let SmallStrainSettings { elastic } = SmallStrainSettings::read(b)?;
    build::<LinearSmallStrain>(b, Some(RotationMethod::Identity), elastic)
}

fn build<K: ElementFieldKind>(
    b: &mut Builder<'_>,
    method: Option<RotationMethod>,
    elastic: ElasticAttributes,
) -> Result<(), BuildError> {
    use RotationMethod::{Hexahedron as Frame, Identity, Polar, StablePolar, Triangle as Three};
    use corotational_elements::add;
    let template = b.attributes.template.clone().unwrap_or_default();
    let kind = template.split(',').nth(1).map_or("", str::trim);
    let refused: &[RotationMethod] = match kind {
        "Tetrahedron" => &[Frame],
        "Triangle" => &[Frame, Polar],
        "Hexahedron" => &[Three],
        "Edge" | "Quad" => &[Three, Frame, Polar],
        _ => &[Three, Frame],
    };
    if method.is_some_and(|m| refused.contains(&m)) {
        let text = format!(
            "elements of the kind `{kind}` have no such `rotationMethod`; leave it out, or write stable_polar"
        );
        return Err(BuildError::attribute("rotationMethod", text));
    }
    let at_rest = if matches!(method, Some(Three | Frame)) { AtRest::IsTurnedTwice } else { AtRest::Counts };
    let default = if kind == "Triangle" { Three } else { StablePolar };
    let rotation = Rotation::from(method.unwrap_or(default));
    let t = topology(b)?.clone();
    match (kind, method) {
        ("Tetrahedron", None) => build_tetrahedra::<K>(b, Method::Large, elastic),
        ("Tetrahedron", Some(Identity)) => build_tetrahedra::<K>(b, Method::Small, elastic),
        ("Hexahedron", None) => build_hexahedra::<K>(b, Method::Large, elastic),
        ("Hexahedron", Some(Identity)) => build_hexahedra::<K>(b, Method::Small, elastic),
        ("Tetrahedron", _) => add::<K, Tetrahedron, 4>(b, &t.tetrahedra, elastic, rotation, at_rest),
        ("Hexahedron", _) => add::<K, Hexahedron, 8>(b, &t.hexahedra, elastic, rotation, at_rest),
        ("Edge", _) => add::<K, Edge, 2>(b, &t.edges, elastic, rotation, at_rest),
        ("Triangle", _) => add::<K, Triangle, 3>(b, &t.triangles, elastic, rotation, at_rest),
        ("Quad", _) => add::<K, Quad, 4>(b, &t.quads, elastic, rotation, at_rest),
        ("Pyramid", _) => add::<K, Pyramid, 5>(b, &t.pyramids, elastic, rotation, at_rest),
        ("Prism", _) => add::<K, Prism, 6>(b, &t.prisms, elastic, rotation, at_rest),
        _ => {
            let known = TEMPLATES.join(", ");
            let text = format!("`template` says which elements are elastic: one of {known}");
            Err(BuildError::attribute("template", text))
        }
    }
}

fn build_tetrahedra<K: ElementFieldKind>(
    b: &mut Builder<'_>,
    method: Method,
    elastic: ElasticAttributes,
) -> Result<(), BuildError> {
    let (state, elements) = (b.state()?, topology(b)?.tetrahedra.clone());
    let material = Material::from_attributes(b, elastic, elements.len());
    if elements.is_empty() {
        b.warn(None, "the topology has no tetrahedra, so there will be no force");
    }
    let rest = rest_positions(b, state)?;
    let options = TetrahedronOptions { order: Order::of(&b.scene), ..TetrahedronOptions::new(method) };
    let (constants, built) = assemble::<Tangent>(&rest, &elements, &material, &options)
        .map_err(|e| BuildError::new(e.to_string()))?;
    warn_of_inverted(b, built.n_inverted, elements.len(), "tetrahedra");
    let parts = ForceFieldParts::<TetrahedraField<K>>::new(constants, built.blocks, built.stored);
    b.add_force_field(state, parts)
}

fn build_hexahedra<K: ElementFieldKind>(
    b: &mut Builder<'_>,
    method: Method,
    elastic: ElasticAttributes,
) -> Result<(), BuildError> {
    let (state, elements) = (b.state()?, topology(b)?.hexahedra.clone());
    let material = Material::from_attributes(b, elastic, elements.len());
    if elements.is_empty() {
        b.warn(None, "the topology has no hexahedra, so there will be no force");
    }
    let rest = rest_positions(b, state)?;
    let shapes = hexahedra::rest_shapes(&rest, &elements, &material, method, Order::of(&b.scene))
        .map_err(|e| BuildError::new(e.to_string()))?;
    warn_of_inverted(b, shapes.n_inverted, elements.len(), "hexahedra");
    match choose(&shapes, method) {
        HexahedronParts::Boxes(parts) => b.add_force_field::<HexahedraField<K, Boxes>>(state, parts),
        HexahedronParts::Bricks(parts) => b.add_force_field::<HexahedraField<K, Bricks>>(state, parts),
        HexahedronParts::General(parts) => b.add_force_field::<HexahedraField<K, General>>(state, parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;

    #[test]
    fn the_template_says_which_elements_are_elastic() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let grid = all.iter().find(|d| d.class == "RegularGridTopology").unwrap();
        t.add(grid, root, &[("n", "3 2 2")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[]).unwrap();
        t.add(&DESCRIPTION, root, &[("template", "Vec3,Hexahedron")]).unwrap();
        t.add(&SMALL_STRAIN, root, &[("template", "Vec3,Hexahedron")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        t.add(&DESCRIPTION, root, &[("template", "Vec3,Tetrahedron")]).unwrap();
        assert!(t.warnings[0].contains("no tetrahedra"), "{:?}", t.warnings);
        let e = t.add(&SMALL_STRAIN, root, &[]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("template"));
        let three = [("template", "Vec3,Hexahedron"), ("rotationMethod", "triangle")];
        let e = t.add(&DESCRIPTION, root, &three).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("rotationMethod"));
        let polar = [("template", "Vec3,Quad"), ("rotationMethod", "stable_polar")];
        t.add(&DESCRIPTION, root, &polar).unwrap();
        let identity = [("template", "Vec3,Hexahedron"), ("rotationMethod", "identity")];
        t.add(&DESCRIPTION, root, &identity).unwrap();
    }
}
