//! `TetrahedralCorotationalFEMForceField`: linear elasticity on tetrahedra in rotating frames.

use sim_core::prelude::*;

use super::fem::attributes::TetrahedraAttributes;
use super::fem::frame::Method;
use super::fem::material::Material;
use super::fem::tetrahedra::{self, Block, Constants, ElementError, Tangent};
use super::tetrahedron_fem_force_field::{
    TetrahedronOptions, add, assemble, topology, warn_of_global_matrix,
};

/// Linear elasticity on tetrahedra: small displacements, or frames by `large` or `polar`.
///
/// With a tetrahedron's volume V, the gradients g of its shape functions at rest in the rest frame Q₀, and the frame Q of its present
/// shape: u = Q (x − x₀) − Q₀ (X − X₀) from its first node, f = −Qᵀ K u with the blocks `Kᵢⱼ = V (λ gᵢ gⱼᵀ + μ gⱼ gᵢᵀ + μ (gᵢ·gⱼ) I)`,
/// λ = E ν/((1 + ν)(1 − 2ν)), μ = E/(2 (1 + ν)). The tangent is −Qᵀ K Q. Q is I (`small`), the frame of the first two edges (`large`), or
/// the polar factor of the matrix whose rows are the three edges (`polar`).
///
/// **Source:** as SOFA's `TetrahedralCorotationalFEMForceField`: the mathematics of
/// [`TetrahedronFEMForceField`](super::tetrahedron_fem_force_field::TetrahedronFEMForceField), without `svd`, plasticity
/// and the cutting of hexahedra.
pub struct TetrahedralCorotationalFEMForceField;

impl TetrahedralCorotationalFEMForceField {
    /// The force field of tetrahedra on points at rest.
    ///
    /// # Errors
    /// An element without volume, or of points that do not exist.
    pub fn parts(
        rest: &[Vec3],
        tetrahedra: &[[u32; 4]],
        material: &Material,
        options: &TetrahedronOptions,
    ) -> Result<ForceFieldParts<Self>, ElementError> {
        let (constants, built) = assemble(rest, tetrahedra, material, options)?;
        Ok(ForceFieldParts::new(constants, built.blocks, built.stored))
    }
}

impl ForceField for TetrahedralCorotationalFEMForceField {
    type State = Vec3Type;
    type Constants = Constants;
    type Element = Block;
    type Stored = Tangent;
    const NAME: &'static str = "TetrahedralCorotationalFEMForceField";

    fn add_force(c: &Constants, at: AddForce<'_, Self>) {
        tetrahedra::add_force(c, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(c: &Constants, at: AddDForce<'_, Self>) {
        tetrahedra::add_d_force(c, at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(c: &Constants, at: AddKToMatrix<'_, Self>) {
        tetrahedra::add_k_to_matrix(c, at.k_factor, at.elements, at.stored, at.matrix);
    }

    /// Only for the method `small`.
    fn potential_energy(c: &Constants, blocks: &[Block], x: &[Vec3]) -> Option<Real> {
        (c.method == Method::Small).then(|| tetrahedra::small_strain_energy(c, blocks, x))
    }
}

/// The methods that this class has.
#[derive(Word, Clone, Copy)]
#[word(of = Method)]
enum CorotationalMethod {
    Small,
    Large,
    Polar,
}

/// Linear elasticity on tetrahedra in rotating frames.
#[derive(Attributes)]
struct Settings {
    /// how frames follow the elements
    #[attribute(default = "large", or_default)]
    method: CorotationalMethod,
    #[attribute(flatten)]
    tetrahedra: TetrahedraAttributes,
}

/// The class `TetrahedralCorotationalFEMForceField`.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TetrahedralCorotationalFEMForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='large'").elements("tetrahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='polar'").elements("tetrahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='small'").elements("tetrahedra"),
        ]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let settings = Settings::read(b)?;
    let method = settings.method.into();
    warn_of_global_matrix(b, &settings.tetrahedra, method);
    let elements = topology(b)?.tetrahedra.clone();
    let options = TetrahedronOptions::new(method);
    add::<TetrahedralCorotationalFEMForceField, _>(b, &elements, settings.tetrahedra, options)
}
