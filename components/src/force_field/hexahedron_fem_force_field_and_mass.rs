//! `HexahedronFEMForceFieldAndMass`: linear elasticity on hexahedra, which are the mass, too.

use sim_core::prelude::*;

use super::hexahedron_fem_force_field::{self as elastic, HexahedronAttributes};
use super::hexahedron_mass::{FilledHexahedra, HexahedronMassAttributes, HexahedronMassKind};
use super::tetrahedron_fem_force_field::{rest_positions, topology};

/// Linear elasticity on hexahedra with frames that follow each element, which are the mass, too.
#[derive(Attributes)]
struct Settings {
    #[attribute(flatten)]
    elastic: HexahedronAttributes,
    #[attribute(flatten)]
    mass: HexahedronMassAttributes,
    /// of our own: the consistent matrix, whose sum is the mass; SOFA's makes the inertia of an element 19 times its mass
    exact_mass: bool,
}

/// The component in the registry.
///
/// It is of the family of masses, and puts a force field into the scene besides: both belong to the one component, and act in this order.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mass, "HexahedronFEMForceFieldAndMass", build)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("density='0.5' lumpedMass='1' youngModulus='3000' poissonRatio='0.3'")
                .template("Vec3")
                .elements("hexahedra"),
            Sample::new("density='0.5' exactMass='1' youngModulus='3000' poissonRatio='0.3'")
                .template("Vec3")
                .elements("hexahedra"),
        ]);

/// The mass.
///
/// Force: that of a `HexahedronFEMForceField`, f = −Qᵀ K (Q x − Q₀ X) in the frame Q of an element, with K = Σ Bᵀ C B det J over 2 x 2 x
/// 2 Gauss points at rest.
///
/// Mass: with m = ρ times the product of three edges, ρ from `density`, every pair of an element's eight points has the same entry 8/27
/// m, where `lumpedMass` says so 64/27 m on the diagonal alone. The weight is m g/8 at each point.
///
/// **Source:** as SOFA's, and not the consistent matrix: the inertia of an element is about 19 times its mass. There is no inverse, so no
/// explicit integrator.
pub struct Elastic;

impl HexahedronMassKind for Elastic {
    const NAME: &'static str = DESCRIPTION.class;
    const JOINS_POINTS: bool = true;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let hexahedra = topology(b)?.hexahedra.clone();
    elastic::add(b, s.elastic, &hexahedra)?;
    let rest = rest_positions(b, state)?;
    // Cells that a body fills in part are lighter, as in SOFA.
    let filled = topology(b)?.sparse.as_ref().map(|cells| cells.mass.clone()).unwrap_or_default();
    b.add_mass(state, FilledHexahedra::<Elastic>::parts(&rest, &hexahedra, &s.mass, &filled, s.exact_mass))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;

    #[test]
    fn one_component_is_one_mass_and_one_force_field() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let grid = all.iter().find(|d| d.class == "RegularGridTopology").unwrap();
        t.add(grid, root, &[("n", "3 2 2"), ("min", "0 0 0"), ("max", "2 1 1")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[]).unwrap();
        let component = t.add(&DESCRIPTION, root, &[("density", "3"), ("rayleighStiffness", "0.1")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        let parts = &t.scene.parts;
        assert_eq!((parts.masses.len(), parts.force_fields.len()), (1, 1));
        assert_eq!((parts.masses[0].component, parts.force_fields[0].component), (component, component));
        let e = t.add(&DESCRIPTION, root, &[("density", "0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("density"));
    }
}
