//! Masses on meshes, against values by hand.

use super::diagonal_mass::{self, DiagonalMass};
use super::mesh_matrix_mass;
use crate::state::mechanical_object;
use crate::test_support::TestScene;
use crate::topology;
use sim_core::component::build::BuildError;
use sim_core::component::description::ComponentDescription;
use sim_core::component::mass::MassParts;
use sim_core::math::{Vec3, Vec3Type};
use sim_core::testing::mass;

pub(super) fn mesh_with(
    mesh: &[(&'static str, &str)],
    description: &ComponentDescription,
    attributes: &[(&'static str, &str)],
) -> (Result<(), BuildError>, TestScene) {
    let mut t = TestScene::new();
    let root = t.root();
    let all = topology::all();
    let topology = all.iter().find(|d| d.class == "MeshTopology").expect("listed");
    t.add(topology, root, mesh).unwrap();
    t.add(&mechanical_object::DESCRIPTION, root, &[]).unwrap();
    let built = t.add(description, root, attributes).map(|_| ());
    (built, t)
}

const TETRAHEDRON: &[(&str, &str)] = &[("position", "0 0 0 1 0 0 0 1 0 0 0 1"), ("tetrahedra", "0 1 2 3")];

#[test]
fn diagonal_mass_conforms() {
    let parts = MassParts::<DiagonalMass<Vec3Type>> {
        constants: (),
        elements: vec![1.0, 2.0, 0.5],
        separate_gravity: false,
        rayleigh_mass: 0.0,
        has_inertia_force: false,
    };
    mass(&parts, &[Vec3::zeros(); 3], 4);
}

#[test]
fn both_need_elements_and_a_positive_mass() {
    for d in [&diagonal_mass::DESCRIPTION, &mesh_matrix_mass::DESCRIPTION] {
        let points = &[("position", "0 0 0 1 0 0")];
        let (built, t) = mesh_with(points, d, &[("totalMass", "1")]);
        let is_diagonal = d.class == "DiagonalMass";
        assert!(built.is_ok() == is_diagonal, "as in SOFA, a diagonal mass is none then: {}", d.class);
        assert!(t.warnings.len() == usize::from(is_diagonal), "{:?}", t.warnings);
        let e = mesh_with(TETRAHEDRON, d, &[("massDensity", "-1")]).0.unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("massDensity"));
        let (built, t) = mesh_with(TETRAHEDRON, d, &[]);
        assert!(built.is_ok() && t.warnings[0].contains("the total mass is 1"), "{:?}", t.warnings);
        let flat = &[("position", "0 0 0 1 0 0 0 1 0 1 1 0"), ("tetrahedra", "0 1 2 3")];
        let (built, t) = mesh_with(flat, d, &[("massDensity", "1")]);
        assert!(built.is_ok() && t.warnings[0].contains("no volume"), "{:?}", t.warnings);
    }
}
