//! `TetrahedralCorotationalFEMForceField`: linear elasticity on tetrahedra in rotating frames.

use sim_core::component::MechanicalParams;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{
    AttributeDescription, AttributeKind, ComponentDescription, Family, Sample,
};
use sim_core::component::force_field::{ForceField, ForceFieldParts};
use sim_core::component::matrix::BlockSink;
use sim_core::math::{Real, Vec3, Vec3Type};

use super::fem::attributes::{LINEAR_ELASTIC, TETRAHEDRA, TETRAHEDRA_DRAWING};
use super::fem::frame::Method;
use super::fem::material::Material;
use super::fem::tetrahedra::{self, Block, Constants, ElementError, Tangent};
use super::tetrahedron_fem_force_field::{
    TetrahedronOptions, add, assemble, method, topology, warn_of_global_matrix,
};
use crate::attributes::{FORCE_FIELD, attribute, ignored};

/// Linear elasticity on tetrahedra: small displacements, or frames by `large` or `polar`.
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
        Ok(ForceFieldParts {
            constants,
            elements: built.blocks,
            stored: built.stored,
            rayleigh_stiffness: 0.0,
        })
    }
}

impl ForceField for TetrahedralCorotationalFEMForceField {
    type State = Vec3Type;
    type Constants = Constants;
    type Element = Block;
    type Stored = Tangent;
    const NAME: &'static str = "TetrahedralCorotationalFEMForceField";

    fn add_force(
        c: &Constants,
        _: &MechanicalParams,
        blocks: &[Block],
        stored: &mut [Tangent],
        f: &mut [Vec3],
        x: &[Vec3],
        _: &[Vec3],
    ) {
        tetrahedra::add_force(c, blocks, stored, f, x);
    }

    fn add_d_force(
        c: &Constants,
        k_factor: Real,
        _: Real,
        blocks: &[Block],
        stored: &[Tangent],
        df: &mut [Vec3],
        dx: &[Vec3],
    ) {
        tetrahedra::add_d_force(c, k_factor, blocks, stored, df, dx);
    }

    fn add_k_to_matrix(
        c: &Constants,
        k_factor: Real,
        _: Real,
        blocks: &[Block],
        stored: &[Tangent],
        matrix: &mut dyn BlockSink,
    ) {
        tetrahedra::add_k_to_matrix(c, k_factor, blocks, stored, matrix);
    }

    /// Only for the method `small`.
    fn potential_energy(c: &Constants, blocks: &[Block], x: &[Vec3]) -> Option<Real> {
        (c.method == Method::Small).then(|| tetrahedra::small_strain_energy(c, blocks, x))
    }
}

const ATTRIBUTES: &[AttributeDescription] = &[
    attribute("method", AttributeKind::Text, "small, large or polar: how frames follow the elements")
        .default("large"),
    ignored("computeVonMisesStress"),
];

/// The class `TetrahedralCorotationalFEMForceField`.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "TetrahedralCorotationalFEMForceField",
    old_names: &[],
    family: Family::ForceField,
    summary: "Linear elasticity on tetrahedra in rotating frames",
    templates: &["Vec3"],
    attributes: &[ATTRIBUTES, TETRAHEDRA, LINEAR_ELASTIC, FORCE_FIELD, TETRAHEDRA_DRAWING],
    samples: &[
        Sample::new("youngModulus='3000' poissonRatio='0.3' method='large'").elements("tetrahedra"),
        Sample::new("youngModulus='3000' poissonRatio='0.3' method='polar'").elements("tetrahedra"),
        Sample::new("youngModulus='3000' poissonRatio='0.3' method='small'").elements("tetrahedra"),
    ],
    build,
};

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let method = method(b, &["small", "large", "polar"])?;
    warn_of_global_matrix(b, method)?;
    let elements = topology(b)?.tetrahedra.clone();
    add::<TetrahedralCorotationalFEMForceField, _>(b, &elements, TetrahedronOptions::new(method))
}
