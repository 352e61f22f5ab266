//! `TriangularAnisotropicFEMForceField`: triangles in space of a material with fibres.
//!
//! In the axes of a triangle (`large`: along its first side and across it; `small`: x and y of the world), with places q now and q₀ at
//! rest, from its first point: f = Bᵀ D B (q₀ − q). Along the fibres and across them D has q₁₁ = E/d, q₁₂ = ν E'/d, q₂₂ = E'/d, q₆₆ =
//! E/(2 (1 + ν)) with d = 1 − ν² E'/E and E' from `transverseYoungModulus`, turned into the triangle's axes. B makes strains of
//! displacements in the *deformed* triangle, as in SOFA. The tangent −Bᵀ D B leaves out how B and the axes change.

use sim_core::prelude::*;

use super::fem::corotated_membrane::MembraneKind;
use super::fem::material::Material;
use super::fem::membrane::{FibreElasticity, axes, in_plane};
use super::tetrahedron_fem_force_field::{rest_positions, topology};
use super::triangular_fem_force_field::{self, add, checked_rest};

/// Linear elasticity on triangles in space, of thickness 1 and in plane stress, whose material is stiffer along its fibres.
#[derive(Attributes)]
#[attributes(ignored("showFiber", "localFiberDirection"))]
struct Settings {
    #[attribute(flatten)]
    triangular: triangular_fem_force_field::Settings,
    /// Young's modulus across the fibres: one, or one per element (elements beyond the list take the first) [Pa]
    #[attribute(default = "1000")]
    transverse_young_modulus: Vec<Real>,
    /// direction of the fibres in the plane of x and y at rest, from x; counts where there is no `fiberCenter` [degrees]
    #[attribute(default = "0")]
    fiber_angle: Deferred<Real>,
    /// the first of these points is one that fibres go around; none if not given [m]
    fiber_center: Vec<Vec3>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TriangularAnisotropicFEMForceField", build)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("youngModulus='300' transverseYoungModulus='90' poissonRatio='0.3' fiberAngle='30'")
                .elements("triangles"),
            Sample::new(
                "youngModulus='300' transverseYoungModulus='90' poissonRatio='0.3' fiberCenter='0.2 -1 0.1' method='small'",
            )
            .elements("triangles"),
        ]);

/// Elastic triangles.
///
/// **Source:** as SOFA's: unlike that of a `TriangularFEMForceField`, the stiffness of a triangle does not grow with its area. Poisson's
/// ratio is for a draw along the fibres; the shear modulus that of an isotropic material of the modulus along them. A triangle that
/// fibres stand upright on has no stiffness. Its assembled matrix has nothing of the method `small`.
pub struct Anisotropic;

impl MembraneKind for Anisotropic {
    type Material = FibreElasticity;
    const NAME: &'static str = DESCRIPTION.class;
    const SMALL_KNOWS_SKEW: bool = true;
    const SMALL_IS_ASSEMBLED: bool = false;
    const TIMES_AREA: bool = false;
}

/// How fibres lie.
#[derive(Clone, Copy, Debug)]
enum Fibres {
    /// All have this direction.
    Along(Vec3),
    /// They go around a point.
    Around(Vec3),
}

impl Fibres {
    /// Their direction in the axes of a triangle at rest: its first side, and across it. 0 where they stand upright on it.
    fn in_triangle(self, [a, b, c]: [Vec3; 3]) -> [Real; 2] {
        let (ab, ac) = (b - a, c - a);
        let direction = match self {
            Self::Along(direction) => direction,
            Self::Around(center) => ab.cross(&ac).cross(&(center - (a + b + c) / 3.0)),
        };
        let [x, y] = in_plane(&axes(&ab, &ac), &direction);
        let length = x.hypot(y);
        if length > Real::EPSILON { [x / length, y / length] } else { [0.0; 2] }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let triangles = topology(b)?.triangles.clone();
    let fibres = match s.fiber_center.first() {
        Some(center) => Fibres::Around(*center),
        None => {
            let angle = s.fiber_angle.get(b)?.to_radians();
            Fibres::Along(Vec3::new(angle.cos(), angle.sin(), 0.0))
        }
    };
    let mut across = s.transverse_young_modulus;
    if across.is_empty() {
        b.warn(Some("transverseYoungModulus"), "`transverseYoungModulus` is empty; 1000 is taken");
        across.push(1000.0);
    }
    let material = Material::from_attributes(b, s.triangular.elastic, triangles.len());
    let state = b.state()?;
    checked_rest(b, state, &triangles)?;
    let rest = rest_positions(b, state)?;
    add::<Anisotropic>(b, s.triangular.method, &triangles, |e| {
        let (along, poisson) = material.young_and_poisson(e);
        let across = *across.get(e).unwrap_or(&across[0]);
        let direction = fibres.in_triangle(triangles[e].map(|n| rest[n as usize]));
        FibreElasticity::new([along, across], poisson, direction)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fibres_lie_along_or_around() {
        let flat = [Vec3::zeros(), Vec3::y(), Vec3::new(-1.0, 0.0, 0.0)];
        // The first side is y, and -x lies across it.
        let [x, y] = Fibres::Along(Vec3::x()).in_triangle(flat);
        assert!(x.abs() < 1e-15 && (y + 1.0).abs() < 1e-15, "{x} {y}");
        let upright = Fibres::Along(Vec3::z()).in_triangle(flat);
        assert_eq!(upright, [0.0; 2]);
        // About a point on the far side along y, fibres lie across.
        let center = (flat[0] + flat[1] + flat[2]) / 3.0 + Vec3::y() * 3.0;
        let [x, y] = Fibres::Around(center).in_triangle(flat);
        assert!(x.abs() < 1e-15 && (y.abs() - 1.0).abs() < 1e-15, "{x} {y}");
    }
}
