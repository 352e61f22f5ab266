//! `TriangleFEMForceField`: linear elasticity on triangles in space, of some thickness.
//!
//! In the axes of a triangle (`large`: along its first side and across it; `small`: x and y of the world), with places q now and q₀ at
//! rest, from its first point: f = Bᵀ A t D B (q₀ − q), with its area A at rest, `thickness` t and D of plane stress, E/(1 − ν²) (1, ν;
//! ν, 1; (1 − ν)/2), or plane strain, E/((1 + ν)(1 − 2ν)) (1 − ν, ν; ν, 1 − ν; 1/2 − ν). B makes strains of displacements in the
//! *deformed* triangle, as in SOFA, so that the force is that of linear elasticity to first order only. The tangent −Bᵀ A t D B leaves
//! out how B and the axes change.

use sim_core::prelude::*;

use super::fem::attributes::ElasticAttributes;
use super::fem::corotated_membrane::{MembraneKind, MembraneMethod};
use super::fem::material::Material;
use super::fem::membrane::{PlaneElasticity, PlaneMaterial};
use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::add;

/// Linear elasticity on triangles in space, of some thickness, in plane stress or plane strain.
#[derive(Attributes)]
#[attributes(ignored("initialPoints"))]
struct Settings {
    /// how the axes of a triangle's plane follow
    #[attribute(default = "large", or_default)]
    method: MembraneMethod,
    /// thickness [m]
    #[attribute(default = "1")]
    thickness: Real,
    /// whether nothing moves across the plane, instead of no stress across it
    plane_strain: bool,
    #[attribute(flatten)]
    elastic: ElasticAttributes,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TriangleFEMForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("youngModulus='300' poissonRatio='0.3' method='large'").elements("triangles"),
            // `small` on triangles that lie askew is so ill-conditioned that no two solvers agree to what combinations ask for.
            Sample::new("youngModulus='300' poissonRatio='0.3' planeStrain='1' thickness='0.5'")
                .elements("triangles"),
        ]);

/// Elastic triangles.
///
/// **Source:** as SOFA's: a topology of quads without triangles gives two for each, (0, 1, 2) and (0, 2, 3). The method `small` takes
/// the gradients of a triangle whose first side were along x, which is exact only if it is.
pub struct Membrane;

impl MembraneKind for Membrane {
    type Material = PlaneElasticity;
    const NAME: &'static str = DESCRIPTION.class;
    const SMALL_KNOWS_SKEW: bool = false;
    const SMALL_IS_ASSEMBLED: bool = true;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let Settings { method, thickness, plane_strain, elastic } = Settings::read(b)?;
    let t = topology(b)?;
    let triangles = if t.triangles.is_empty() { halves(&t.quads) } else { t.triangles.clone() };
    let material = Material::from_attributes(b, elastic, triangles.len());
    let of = if plane_strain { PlaneElasticity::plane_strain } else { PlaneElasticity::plane_stress };
    add::<Membrane>(b, method, &triangles, |e| {
        let (young, poisson) = material.young_and_poisson(e);
        of(young, poisson).times(thickness)
    })
}

fn halves(quads: &[[u32; 4]]) -> Vec<[u32; 3]> {
    quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_are_halved_along_their_first_diagonal() {
        assert_eq!(halves(&[[4, 5, 6, 7]]), [[4, 5, 6], [4, 6, 7]]);
    }
}
