//! `TetrahedralTensorMassForceField`: linear elasticity on tetrahedra without rotations.

use sim_core::prelude::*;

use super::fem::attributes::{ElasticAttributes, TetrahedraAttributes};
use super::fem::frame::Method;
use super::fem::tetrahedra::{self, Block, Constants, Tangent};
use super::tetrahedron_fem_force_field::{TetrahedronOptions, add, topology};

/// Linear elasticity on tetrahedra without rotations.
#[derive(Attributes)]
struct Settings {
    /// Young's modulus [Pa]
    #[attribute(default = "1000")]
    young_modulus: Real,
    /// Poisson's ratio in [0, 0.5)
    #[attribute(default = "0.3")]
    poisson_ratio: Real,
    /// topology with the tetrahedra; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TetrahedralTensorMassForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("youngModulus='3000' poissonRatio='0.3'").elements("tetrahedra")]);

/// Linear tetrahedra.
///
/// With a tetrahedron's volume V, the gradients g of its shape functions at rest and u = x − X: f = −K u with the blocks `Kᵢⱼ = V (λ gᵢ
/// gⱼᵀ + μ gⱼ gᵢᵀ + μ (gᵢ·gⱼ) I)`, λ = E ν/((1 + ν)(1 − 2ν)), μ = E/(2 (1 + ν)). It is linear, and its own tangent.
///
/// **Source:** as SOFA's, which keeps a tensor for each edge; computed element by element here, as by
/// [`TetrahedronFEMForceField`](super::tetrahedron_fem_force_field::TetrahedronFEMForceField)'s method `small`.
pub struct TetrahedralTensorMassForceField;

impl ForceField for TetrahedralTensorMassForceField {
    type State = Vec3Type;
    type Constants = Constants;
    type Element = Block;
    type Stored = Tangent;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(c: &Constants, at: AddForce<'_, Self>) {
        tetrahedra::add_force(c, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(c: &Constants, at: AddDForce<'_, Self>) {
        tetrahedra::add_d_force(c, at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(c: &Constants, at: AddKToMatrix<'_, Self>) {
        tetrahedra::add_k_to_matrix(c, at.k_factor, at.elements, at.stored, at.matrix);
    }

    fn potential_energy(c: &Constants, blocks: &[Block], x: &[Vec3]) -> Option<Real> {
        Some(tetrahedra::small_strain_energy(c, blocks, x))
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let elements = topology(b)?.tetrahedra.clone();
    let attributes = TetrahedraAttributes {
        local_stiffness_factor: Vec::new(),
        update_stiffness_matrix: false,
        compute_global_matrix: false,
        elastic: ElasticAttributes::of(vec![s.young_modulus], vec![s.poisson_ratio]),
    };
    add::<TetrahedralTensorMassForceField, _>(
        b,
        &elements,
        attributes,
        TetrahedronOptions::new(Method::Small),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::material::Material;
    use crate::force_field::fem::oracle::bar;
    use crate::force_field::tetrahedron_fem_force_field::assemble;
    use crate::topology::{HexaCut, cut_hexahedra};
    use sim_core::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms() {
        let (rest, hexahedra) = bar([2, 1, 1]);
        let tetrahedra = cut_hexahedra(&hexahedra, None, HexaCut::Mirrored);
        let options = TetrahedronOptions::new(Method::Small);
        let material = Material::uniform(1000.0, 0.3);
        let (c, built) = assemble::<Tangent>(&rest, &tetrahedra, &material, &options).unwrap();
        let parts = ForceFieldParts::<TetrahedralTensorMassForceField>::new(c, built.blocks, built.stored);
        let mut random = Random::new(2);
        let x = random.moved(&rest, 0.1);
        let v = random.derivs(x.len());
        ForceFieldCheck::new(&parts, x, v).seed(2).symmetric().conservative().assembled().run();
    }
}
