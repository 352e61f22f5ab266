//! `TetrahedronHyperelasticityFEMForceField` and `StandardTetrahedralFEMForceField`: hyperelastic tetrahedra. The file is long for its
//! two classes, and for the table of the laws.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::hyperelastic::tetrahedra::{self, Tangent, Tetrahedron};
use super::hyperelastic::{Law, Material};
use super::tetrahedron_fem_force_field::{rest_positions, topology};

/// What both fields of hyperelastic tetrahedra have besides the name of the material.
#[derive(Attributes)]
#[attributes(ignored("AnisotropyDirections"))]
struct Shared {
    /// parameters of the material, in the order that SOFA's documentation of it gives [Pa]
    #[attribute(name = "ParameterSet")]
    parameter_set: Vec<Real>,
    /// of our own: the derivative of Costa's law lacks nothing; SOFA's lacks k0 in one term
    exact_tangent: bool,
    /// topology with the tetrahedra; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// Hyperelastic tetrahedra: a law of the material's energy, without linearization.
#[derive(Attributes)]
#[attributes(ignored("matrixRegularization", "tetrahedronInfo", "edgeInfo"))]
struct Settings {
    /// law of the material
    #[attribute(default = "ArrudaBoyce", or_default)]
    material_name: Law,
    #[attribute(flatten)]
    shared: Shared,
}

/// The laws of the older class.
#[derive(Word, Clone, Copy)]
#[word(of = Law)]
enum StandardLaw {
    #[word("ArrudaBoyce")]
    ArrudaBoyce,
    #[word("StVenantKirchhoff")]
    StVenantKirchhoff,
    #[word("NeoHookean")]
    NeoHookean,
    #[word("MooneyRivlin")]
    MooneyRivlin,
    #[word("VerondaWestman")]
    VerondaWestman,
    #[word("Costa")]
    Costa,
    #[word("Ogden")]
    Ogden,
}

/// Hyperelastic tetrahedra, as `TetrahedronHyperelasticityFEMForceField` has them.
#[derive(Attributes)]
#[attributes(ignored("ParameterFile", "tetrahedronInfo", "edgeInfo"))]
struct StandardSettings {
    /// law of the material
    #[attribute(default = "ArrudaBoyce")]
    material_name: StandardLaw,
    #[attribute(flatten)]
    shared: Shared,
}

/// The class `TetrahedronHyperelasticityFEMForceField`.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::ForceField,
    "TetrahedronHyperelasticityFEMForceField",
    build,
)
.follows(Following::PLAIN.with_other_lists(&["ParameterSet"]))
.templates(&[Vec3Type::NAME])
.samples(&[
    Sample::new("materialName='NeoHookean' ParameterSet='900 1500'").elements("tetrahedra"),
    Sample::new("materialName='StVenantKirchhoff' ParameterSet='900 1500'").elements("tetrahedra"),
    Sample::new("materialName='Ogden' ParameterSet='900 2.6 1500'").elements("tetrahedra"),
    Sample::new("materialName='Costa' ParameterSet='300 1 1.5 0.7 1.1 0.4 0.3 0.9' rayleighStiffness='0.01'")
        .elements("tetrahedra"),
]);

/// The class `StandardTetrahedralFEMForceField`.
pub const STANDARD: ComponentDescription = ComponentDescription::new::<StandardSettings>(
    Family::ForceField,
    "StandardTetrahedralFEMForceField",
    build_standard,
)
.templates(&[Vec3Type::NAME])
.samples(&[
    Sample::new("materialName='MooneyRivlin' ParameterSet='700 300 1500'").elements("tetrahedra"),
    Sample::new("materialName='ArrudaBoyce' ParameterSet='900 1500'").elements("tetrahedra"),
]);

/// Marks the class with all laws.
pub struct Hyperelasticity;
/// Marks the older class.
pub struct Standard;

/// What tells the fields apart.
pub trait Kind: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
}

impl Kind for Hyperelasticity {
    const NAME: &'static str = DESCRIPTION.class;
}
impl Kind for Standard {
    const NAME: &'static str = STANDARD.class;
}

/// Hyperelastic tetrahedra; the constants are the material.
///
/// With a tetrahedron's volume V, the gradients g of its shape functions at rest, the deformation gradient F = Σ x gᵀ, C = Fᵀ F and the
/// second Piola and Kirchhoff stress S = 2 ∂W/∂C [Pa] of the energy W by volume at rest: f = −V F S g on each node. The tangent is the
/// derivative of that, but for one term of Costa's law.
///
/// With J = det F, L = ln J, I₁ = tr C, I₂ = (I₁² − C:C)/2, E = (C − I)/2, all parameters in Pa but c2 of `VerondaWestman`, α and Costa's
/// b, which have no unit:
///
/// | `materialName` | `ParameterSet` | W | S |
/// |---|---|---|---|
/// | `ArrudaBoyce` | μ k0 | μ Σ cᵢ (J^(−2i/3) I₁ⁱ − 3ⁱ) + k0 L²/2, i from 1 to 5 | 2μ Σ cᵢ i J^(−2i/3) (I₁ⁱ⁻¹ I − I₁ⁱ/3 C⁻¹) + k0 L C⁻¹ |
/// | `StVenantKirchhoff` | μ λ | λ (tr E)²/2 + μ E:E | λ (I₁ − 3)/2 I + μ (C − I) |
/// | `NeoHookean` | μ λ | μ (I₁ − 3)/2 − μ L + λ L²/2 | μ I + (λ L − μ) C⁻¹ |
/// | `MooneyRivlin` | c1 c2 k0 | c1 (J^(−2/3) I₁ − 3) + c2 (J^(−4/3) I₂ − 3) + k0 L²/2 | 2 c1 J^(−2/3) (I − I₁/3 C⁻¹) + 2 c2 J^(−4/3) (I₁ I − C − 2/3 I₂ C⁻¹) + k0 L C⁻¹ |
/// | `VerondaWestman` | c1 c2 k0 | c1 (e^(c2 (J^(−2/3) I₁ − 3)) − 1) − c1 c2 (J^(−4/3) I₂ − 3)/2 + k0 L²/2 | 2 c1 c2 J^(−2/3) e^(c2 (J^(−2/3) I₁ − 3)) (I − I₁/3 C⁻¹) − c1 c2 J^(−4/3) (I₁ I − C − 2/3 I₂ C⁻¹) + k0 L C⁻¹ |
/// | `Costa` | a k0 b₁₁ b₁₂ b₂₂ b₁₃ b₂₃ b₃₃ | a (e^Q − 1)/2 + k0 (J L − J − 1), Q = J^(−4/3) Σ bᵢⱼ Eᵢⱼ² | a J^(−4/3) e^Q (b∘E − 2/3 (Σ bᵢⱼ Eᵢⱼ²) C⁻¹) + k0 J L C⁻¹ |
/// | `Ogden` | μ α k0 | μ/α² (J^(−α/3) tr C^(α/2) − 3) + k0 L²/2 | μ/α J^(−α/3) (C^(α/2 − 1) − tr C^(α/2)/3 C⁻¹) + k0 L C⁻¹ |
/// | `StableNeoHookean` | μ λ | (μ (I₁ − 3) + (λ + μ)(J − α)²)/2, α = 1 + μ/(λ + μ) | μ I + (λ + μ) J (J − α) C⁻¹ |
///
/// μ is the shear modulus of small strains in `NeoHookean`, `StVenantKirchhoff`, and `StableNeoHookean`: E/(2 (1 + ν)), with λ = E
/// ν/((1 + ν)(1 − 2ν)); k0 resists changes of volume. The chains' c are 1/2, 1/160, 11/67200, 19/3584000, 519/2759680000. Costa's axes
/// are those of the world, and entries beside the diagonal count twice in the sum. `StandardTetrahedralFEMForceField` has no
/// `StableNeoHookean`.
///
/// **Source:** as SOFA's `TetrahedronHyperelasticityFEMForceField`, whose derivative of Costa's law lacks k0 in front of one term.
/// Nothing is done about inverted elements. All laws but those of Saint Venant and Kirchhoff and the stable neo-Hookean one have no force
/// there: the step fails, and names the component. `StandardTetrahedralFEMForceField` computes the same; SOFA's has one more mistake in
/// the derivative of Costa's law, which is left out.
pub struct HyperelasticTetrahedra<K>(PhantomData<K>);

impl<K: Kind> ForceField for HyperelasticTetrahedra<K> {
    type State = Vec3Type;
    type Constants = Material;
    type Element = Tetrahedron;
    type Stored = Tangent;
    const NAME: &'static str = K::NAME;

    fn add_force(material: &Material, at: AddForce<'_, Self>) {
        tetrahedra::add_force(material, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(_: &Material, at: AddDForce<'_, Self>) {
        tetrahedra::add_d_force(at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(_: &Material, at: AddKToMatrix<'_, Self>) {
        tetrahedra::add_k_to_matrix(at.k_factor, at.elements, at.stored, at.matrix);
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    add::<Hyperelasticity>(b, s.material_name, &s.shared)
}

fn build_standard(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = StandardSettings::read(b)?;
    add::<Standard>(b, s.material_name.into(), &s.shared)
}

fn add<K: Kind>(b: &mut Builder<'_>, law: Law, s: &Shared) -> Result<(), BuildError> {
    let state = b.state()?;
    let material = Material::new(law, &s.parameter_set).ok_or_else(|| {
        let (n, names) = (s.parameter_set.len(), law.parameters().join(", "));
        BuildError::attribute(
            "ParameterSet",
            format!("`ParameterSet` has {n} entries; {law:?} takes {names}"),
        )
    })?;
    let material = material.with_exact_tangent(s.exact_tangent);
    let given = topology(b)?.tetrahedra.clone();
    if given.is_empty() {
        b.warn(None, "the topology has no tetrahedra, so there will be no force");
    }
    let rest = rest_positions(b, state)?;
    let elements = tetrahedra::build(&rest, &given).map_err(|e| BuildError::new(e.to_string()))?;
    let stored = vec![[Mat3::zeros(); 6]; elements.len()];
    b.add_force_field(state, ForceFieldParts::<HyperelasticTetrahedra<K>>::new(material, elements, stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::oracle::bar;
    use crate::topology::{HexaCut, cut_hexahedra};
    use sim_core::testing::{ForceFieldCheck, Random};

    fn parts(
        law: Law,
        parameters: &[Real],
    ) -> (ForceFieldParts<HyperelasticTetrahedra<Standard>>, Vec<Vec3>) {
        let (rest, hexahedra) = bar([2, 1, 1]);
        let elements = tetrahedra::build(&rest, &cut_hexahedra(&hexahedra, None, HexaCut::Mirrored)).unwrap();
        let stored = vec![[Mat3::zeros(); 6]; elements.len()];
        (ForceFieldParts::new(Material::new(law, parameters).unwrap(), elements, stored), rest)
    }

    /// The tangent is exact for every law.
    #[test]
    fn conforms() {
        for (law, parameters) in [
            (Law::ArrudaBoyce, &[30.0, 70.0][..]),
            (Law::StVenantKirchhoff, &[30.0, 70.0]),
            (Law::NeoHookean, &[30.0, 70.0]),
            (Law::MooneyRivlin, &[30.0, 20.0, 70.0]),
            (Law::VerondaWestman, &[30.0, 0.8, 70.0]),
            (Law::Costa, &[10.0, 1.0, 1.5, 0.7, 1.1, 0.4, 0.3, 0.9]),
            (Law::Ogden, &[30.0, 2.6, 70.0]),
            (Law::StableNeoHookean, &[30.0, 70.0]),
        ] {
            let (parts, rest) = parts(law, parameters);
            let mut random = Random::new(5);
            let x = random.moved(&rest, 0.1);
            let v = random.derivs(x.len());
            ForceFieldCheck::new(&parts, x, v).seed(5).internal().symmetric().assembled().run();
        }
    }

    /// A cube sheared by γ of neo-Hookean material: the first Piola-Kirchhoff stress is μ γ along the shear, since J stays 1.
    #[test]
    fn simple_shear_has_the_stress_of_the_closed_form() {
        let (parts, rest) = parts(Law::NeoHookean, &[30.0, 70.0]);
        let gamma = 0.4;
        let x: Vec<Vec3> = rest.iter().map(|p| Vec3::new(p.x + gamma * p.y, p.y, p.z)).collect();
        let (mut f, v) = (vec![Vec3::zeros(); x.len()], vec![Vec3::zeros(); x.len()]);
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let stored = &mut parts.stored.clone();
        let at = AddForce { params, elements: &parts.elements, stored, f: &mut f, x: &x, v: &v };
        HyperelasticTetrahedra::<Standard>::add_force(&parts.constants, at);
        let top: Vec3 = f.iter().zip(&rest).filter(|(_, p)| p.y == 1.0).map(|(f, _)| f).sum();
        // The upper side has the area 2, and the body pulls it back.
        assert!((top.x + 30.0 * gamma * 2.0).abs() < 1e-12, "{top}");
    }

    #[test]
    fn what_lacks_is_named() {
        use crate::state::mechanical_object;
        use crate::test_support::TestScene;
        use crate::topology;
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh, root, &[("position", "0 0 0 1 0 0 0 1 0 0 0 1"), ("tetrahedra", "0 1 2 3")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[]).unwrap();
        let e = t.add(&DESCRIPTION, root, &[("ParameterSet", "1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("ParameterSet"));
        t.add(&STANDARD, root, &[("ParameterSet", "1 2")]).unwrap();
        let e = t.add(&STANDARD, root, &[("materialName", "StableNeoHookean"), ("ParameterSet", "1 2")]);
        assert_eq!(e.unwrap_err().attribute.as_deref(), Some("materialName"));
    }
}
