//! `FastTetrahedralCorotationalForceField`: linear elasticity on tetrahedra in rotating frames, with one more kind of frame.

use sim_core::prelude::*;

use super::fem::attributes::{ElasticAttributes, TetrahedraAttributes};
use super::fem::frame::Method;
use super::fem::material::Material;
use super::fem::tetrahedra::{self as kernels, Block, Constants, Tangent};
use super::fem::turned_tetrahedra::{self as turned, Tetrahedron};
use super::tetrahedron_fem_force_field::{TetrahedronOptions, add, rest_positions, topology};

/// How frames follow the elements.
#[derive(Word, Clone, Copy)]
enum Frames {
    /// From two edges.
    #[word("qr", "large")]
    Edges,
    /// The polar factor of the deformation gradient.
    Polar,
    /// The polar factor of the matrix of edges.
    Polar2,
    /// No rotation.
    #[word("none", "linear", "small")]
    Nothing,
}

/// Linear elasticity on tetrahedra in rotating frames.
#[derive(Attributes)]
#[attributes(ignored("pointInfo", "edgeInfo", "tetrahedronInfo", "drawing"))]
#[attributes(ignored("drawColor1", "drawColor2", "drawColor3", "drawColor4"))]
struct Settings {
    /// how frames follow the elements
    #[attribute(default = "qr")]
    method: Frames,
    #[attribute(flatten)]
    elastic: ElasticAttributes,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "FastTetrahedralCorotationalForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='large'").elements("tetrahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='polar'").elements("tetrahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='polar2'").elements("tetrahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='linear'").elements("tetrahedra"),
        ]);

/// Tetrahedra in frames of edges, or none.
///
/// With a tetrahedron's volume V, the gradients g of its shape functions at rest and its rotation R: f = −R K (Rᵀ x − X) with the blocks
/// `Kᵢⱼ = V (λ gᵢ gⱼᵀ + μ gⱼ gᵢᵀ + μ (gᵢ·gⱼ) I)`, λ = E ν/((1 + ν)(1 − 2ν)), μ = E/(2 (1 + ν)). The tangent −R K Rᵀ leaves out how R
/// changes.
///
/// **Source:** as SOFA's, which adds forces edge by edge: the same mathematics as
/// [`TetrahedronFEMForceField`](super::tetrahedron_fem_force_field::TetrahedronFEMForceField)'s `large`, `polar` (here `polar2`) and `small`.
pub struct FastTetrahedralCorotationalForceField;

impl ForceField for FastTetrahedralCorotationalForceField {
    type State = Vec3Type;
    type Constants = Constants;
    type Element = Block;
    type Stored = Tangent;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(c: &Constants, at: AddForce<'_, Self>) {
        kernels::add_force(c, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(c: &Constants, at: AddDForce<'_, Self>) {
        kernels::add_d_force(c, at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(c: &Constants, at: AddKToMatrix<'_, Self>) {
        kernels::add_k_to_matrix(c, at.k_factor, at.elements, at.stored, at.matrix);
    }
}

/// Tetrahedra in frames of their deformation gradients: what is stored is the rotation.
///
/// The same with the polar factor R of the deformation gradient F = Σ x gᵀ.
///
/// **Source:** as SOFA's method `polar`.
pub struct DeformationFrames;

impl ForceField for DeformationFrames {
    type State = Vec3Type;
    type Constants = ();
    type Element = Tetrahedron;
    type Stored = Mat3;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(_: &(), at: AddForce<'_, Self>) {
        turned::add_force(at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(_: &(), at: AddDForce<'_, Self>) {
        turned::add_d_force(at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(_: &(), at: AddKToMatrix<'_, Self>) {
        turned::add_k_to_matrix(at.k_factor, at.elements, at.stored, at.matrix);
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let elements = topology(b)?.tetrahedra.clone();
    let method = match s.method {
        Frames::Edges => Method::Large,
        Frames::Polar2 => Method::Polar,
        Frames::Nothing => Method::Small,
        Frames::Polar => return build_polar(b, s.elastic, &elements),
    };
    let attributes = TetrahedraAttributes {
        local_stiffness_factor: Vec::new(),
        update_stiffness_matrix: false,
        compute_global_matrix: false,
        elastic: s.elastic,
    };
    add::<FastTetrahedralCorotationalForceField, _>(b, &elements, attributes, TetrahedronOptions::new(method))
}

fn build_polar(
    b: &mut Builder<'_>,
    elastic: ElasticAttributes,
    elements: &[[u32; 4]],
) -> Result<(), BuildError> {
    let state = b.state()?;
    let material = Material::from_attributes(b, elastic, elements.len());
    if elements.is_empty() {
        b.warn(None, "the topology has no tetrahedra, so there will be no force");
    }
    let rest = rest_positions(b, state)?;
    let elements = turned::build(&rest, elements, &material).map_err(|e| BuildError::new(e.to_string()))?;
    let stored = vec![Mat3::identity(); elements.len()];
    b.add_force_field(state, ForceFieldParts::<DeformationFrames>::new((), elements, stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::oracle;
    use crate::topology::{HexaCut, cut_hexahedra};
    use sim_core::testing::ForceFieldCheck;

    /// The textbook's forces in the rotations that are stored, which are those of the polar decomposition.
    #[test]
    fn frames_of_the_deformation_conform() {
        let (rest, hexahedra) = oracle::bar([2, 1, 1]);
        let tetrahedra = cut_hexahedra(&hexahedra, None, HexaCut::Mirrored);
        let elements = turned::build(&rest, &tetrahedra, &Material::uniform(1000.0, 0.3)).unwrap();
        let stored = vec![Mat3::identity(); elements.len()];
        let parts = ForceFieldParts::<DeformationFrames>::new((), elements, stored);
        let x = oracle::deformed(&rest, 0.1, 3);
        let v = vec![Vec3::zeros(); x.len()];
        ForceFieldCheck::new(&parts, x, v)
            .seed(3)
            .symmetric()
            .assembled()
            .frozen(|_, _, stored, f, x, _| {
                for (r, nodes) in stored.iter().zip(&tetrahedra) {
                    let p = nodes.map(|n| rest[n as usize]);
                    let u = nodes.map(|n| r.transpose() * x[n as usize] - rest[n as usize]);
                    for (n, ku) in nodes.iter().zip(oracle::tetrahedron(&p, 1000.0, 0.3).product(&u)) {
                        f[*n as usize] -= r * ku;
                    }
                }
            })
            .run();
    }

    #[test]
    fn a_turned_body_rests_and_its_rotation_is_found() {
        let (rest, hexahedra) = oracle::bar([1, 1, 1]);
        let tetrahedra = cut_hexahedra(&hexahedra, None, HexaCut::Mirrored);
        let elements = turned::build(&rest, &tetrahedra, &Material::uniform(1000.0, 0.3)).unwrap();
        let x = oracle::deformed(&rest, 0.0, 3);
        let (mut f, mut stored) = (vec![Vec3::zeros(); x.len()], vec![Mat3::zeros(); elements.len()]);
        turned::add_force(&elements, &mut stored, &mut f, &x);
        assert!(f.iter().all(|f| f.norm() < 1e-10));
        for r in stored {
            assert!((r * (rest[1] - rest[0]) - (x[1] - x[0])).norm() < 1e-10);
        }
    }
}
