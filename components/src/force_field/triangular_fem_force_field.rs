//! `TriangularFEMForceField`: linear elasticity on triangles in space.
//!
//! In the axes of a triangle (`large`: along its first side and across it; `small`: x and y of the world), with places q now and q₀ at
//! rest, from its first point: f = Bᵀ A D B (q₀ − q), with its area A at rest and D of plane stress, E/(1 − ν²) (1, ν; ν, 1; (1 − ν)/2).
//! B makes strains of displacements in the *deformed* triangle, as in SOFA, so that the force is that of linear elasticity to first order
//! only. The tangent −Bᵀ A D B leaves out how B and the axes change.

use sim_core::prelude::*;

use super::fem::attributes::ElasticAttributes;
use super::fem::corotated_membrane::{CorotatedMembrane, MembraneKind, MembraneMethod};
use super::fem::material::Material;
use super::fem::membrane::PlaneElasticity;
use super::tetrahedron_fem_force_field::{rest_positions, topology};

/// Linear elasticity on triangles in space, of thickness 1 and in plane stress.
#[derive(Attributes)]
#[attributes(
    ignored("triangleInfo", "vertexInfo", "computePrincipalStress", "hosfordExponant", "criteriaValue"),
    ignored("showStressValue", "showStressVector", "showFracturableTriangles"),
    unsupported(
        "rotatedInitialElements",
        summary = "takes these sides of the triangles at rest in the place of the rest positions"
    ),
    unsupported(
        "initialTransformation",
        summary = "takes these axes of the triangles at rest in the place of the rest positions"
    )
)]
pub(super) struct Settings {
    /// how the axes of a triangle's plane follow
    #[attribute(default = "large", or_default)]
    pub method: MembraneMethod,
    #[attribute(flatten)]
    pub elastic: ElasticAttributes,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TriangularFEMForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("youngModulus='300' poissonRatio='0.3' method='large'").elements("triangles"),
            Sample::new("youngModulus='300' poissonRatio='0.3' method='small'").elements("triangles"),
        ]);

/// Elastic triangles.
///
/// **Source:** as SOFA's, whose assembled matrix has nothing of the method `small`.
pub struct Triangular;

impl MembraneKind for Triangular {
    type Material = PlaneElasticity;
    const NAME: &'static str = DESCRIPTION.class;
    const SMALL_KNOWS_SKEW: bool = true;
    const SMALL_IS_ASSEMBLED: bool = false;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let Settings { method, elastic } = Settings::read(b)?;
    let triangles = topology(b)?.triangles.clone();
    let material = Material::from_attributes(b, elastic, triangles.len());
    add::<Triangular>(b, method, &triangles, |e| {
        let (young, poisson) = material.young_and_poisson(e);
        PlaneElasticity::plane_stress(young, poisson)
    })
}

/// Puts a field of triangles into the scene.
pub(super) fn add<K: MembraneKind>(
    b: &mut Builder<'_>,
    method: MembraneMethod,
    triangles: &[[u32; 3]],
    material: impl Fn(usize) -> K::Material,
) -> Result<(), BuildError> {
    let state = b.state()?;
    let rest = checked_rest(b, state, triangles)?;
    let parts = CorotatedMembrane::<K>::parts(method, &rest, triangles, material);
    b.add_force_field(state, parts.map_err(without_area)?)
}

/// The rest positions of the points of some triangles; warns where there are no triangles.
pub(super) fn checked_rest<const N: usize>(
    b: &mut Builder<'_>,
    state: StateId,
    elements: &[[u32; N]],
) -> Result<Vec<Vec3>, BuildError> {
    let rest = rest_positions(b, state)?;
    if elements.is_empty() {
        b.warn(None, "the topology has no elements for this component, so there will be no force");
    }
    match elements.as_flattened().iter().find(|n| **n as usize >= rest.len()) {
        None => Ok(rest),
        Some(n) => {
            let text = format!("an element of the topology has point {n}, but the state has {}", rest.len());
            Err(BuildError::attribute("topology", text))
        }
    }
}

/// The error of a triangle without area.
pub(super) fn without_area(triangle: usize) -> BuildError {
    BuildError::attribute("topology", format!("triangle {triangle} of the topology has no area at rest"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;

    #[test]
    fn triangles_must_fit_the_state() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh, root, &[("position", "0 0 0 1 0 0 0 1 0"), ("triangles", "0 1 2")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[]).unwrap();
        t.add(&DESCRIPTION, root, &[("youngModulus", "100")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        let child = t.child(root, "line");
        t.add(mesh, child, &[("position", "0 0 0 1 0 0 2 0 0"), ("triangles", "0 1 2")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, child, &[]).unwrap();
        let e = t.add(&DESCRIPTION, child, &[]).unwrap_err();
        assert!(e.message.contains("triangle 0"), "{e}");
        t.add(&mechanical_object::DESCRIPTION, child, &[("position", "0 0 0 1 0 0")]).unwrap();
        let e = t.add(&DESCRIPTION, child, &[]).unwrap_err();
        assert!(e.message.contains("point 2"), "{e}");
    }
}
