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
fn both_need_elements_and_a_mass() {
    for d in [&diagonal_mass::DESCRIPTION, &mesh_matrix_mass::DESCRIPTION] {
        let points = &[("position", "0 0 0 1 0 0")];
        let (built, t) = mesh_with(points, d, &[("totalMass", "1")]);
        let is_diagonal = d.class == "DiagonalMass";
        assert!(built.is_ok() == is_diagonal, "as in SOFA, a diagonal mass is none then: {}", d.class);
        assert!(t.warnings.len() == usize::from(is_diagonal), "{:?}", t.warnings);
        let (built, t) = mesh_with(TETRAHEDRON, d, &[]);
        assert!(built.is_ok() && t.warnings[0].contains("the total mass is 1"), "{:?}", t.warnings);
        let flat = &[("position", "0 0 0 1 0 0 0 1 0 1 1 0"), ("tetrahedra", "0 1 2 3")];
        let (built, t) = mesh_with(flat, d, &[("massDensity", "1")]);
        assert!(built.is_ok() && t.warnings[0].contains("no volume"), "{:?}", t.warnings);
    }
}

/// SOFA's masses may be 0, and the total mass is 1 where what is given is negative or of another number of points or elements.
#[test]
fn what_does_not_fit_is_a_total_mass_of_one() {
    let weigh = |d: &ComponentDescription, attributes: &[(&'static str, &str)]| {
        let (built, t) = mesh_with(TETRAHEDRON, d, attributes);
        built.unwrap();
        let state = t.scene.state_from(t.root()).unwrap();
        (t.scene.point_masses(state), t.warnings)
    };
    for d in [&diagonal_mass::DESCRIPTION, &mesh_matrix_mass::DESCRIPTION] {
        for (attributes, each) in [
            (&[("totalMass", "0")][..], 0.0),
            (&[("massDensity", "0")], 0.0),
            (&[("massDensity", "12")], 0.5),
            (&[("totalMass", "-2")], 0.25),
            (&[("massDensity", "-1")], 0.25),
            (&[("vertexMass", "1 2 -3 1"), ("totalMass", "2")], 0.5),
            (&[("vertexMass", "1 2 -3 1")], 0.25),
        ] {
            let attributes = match d.class {
                "MeshMatrixMass" => [attributes, &[("lumping", "1")]].concat(),
                _ => attributes.to_vec(),
            };
            let (masses, warnings) = weigh(d, &attributes);
            assert!(masses.iter().all(|m| (m - each).abs() < 1e-15), "{}: {masses:?}", d.class);
            assert!(!warnings.is_empty() || each == 0.5 || each == 0.0, "{attributes:?}");
        }
    }
    let diagonal = |given| weigh(&diagonal_mass::DESCRIPTION, &[("vertexMass", given)]).0;
    assert_eq!(diagonal("3 2"), [3.0, 2.0, 2.0, 2.0]);
    assert_eq!(diagonal("0 1 2 3"), [0.0, 1.0, 2.0, 3.0]);
    assert!(diagonal("3 2 1 1 1").iter().all(|m| (m - 0.25).abs() < 1e-15));
    let by_two = weigh(&mesh_matrix_mass::DESCRIPTION, &[("massDensity", "12 1"), ("lumping", "1")]);
    assert!(by_two.0.iter().all(|m| (m - 0.25).abs() < 1e-15), "{by_two:?}");
}

/// Without elements SOFA's DiagonalMass has the masses that are given, and does not repeat the last one.
#[test]
fn masses_of_points_without_elements_are_not_repeated() {
    let points = &[("position", "0 0 0 1 0 0 2 0 0")];
    let (built, t) = mesh_with(points, &diagonal_mass::DESCRIPTION, &[("vertexMass", "3 2")]);
    built.unwrap();
    assert_eq!(t.scene.point_masses(t.scene.state_from(t.root()).unwrap()), [3.0, 2.0, 0.0]);
    assert!(t.warnings[0].contains("1 points weigh nothing"), "{:?}", t.warnings);
}
