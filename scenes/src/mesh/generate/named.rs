//! The gallery's meshes by name, in the sizes that its scenes use.

use sim_core::math::Vec3;

use super::{
    ball_tetrahedra, bowl, box_surface, box_tetrahedra, cylinder, knot, sphere, tetrahedra_of, torus,
    torus_hexahedra,
};
use crate::mesh::Mesh;

/// The names that [`named`] knows, sorted: surfaces as `NAME.obj`, volumes as `NAME.msh`.
pub const NAMES: [&str; 11] = [
    "ball.msh",
    "beam.msh",
    "beam.obj",
    "bowl.obj",
    "box.obj",
    "cylinder.obj",
    "knot.obj",
    "sphere.obj",
    "torus.msh",
    "torus.obj",
    "torus_fine.obj",
];

/// A mesh of the gallery; each fits into a box of about 2 m, the bowl into one of 12 m.
pub fn named(name: &str) -> Option<Mesh> {
    let beam = Vec3::new(0.5, 0.5, 2.0);
    Some(match name {
        "ball.msh" => ball_tetrahedra(0.75, 4, 3),
        "beam.msh" => box_tetrahedra(beam, [3, 3, 12]),
        "beam.obj" => box_surface(beam, [4, 4, 16]),
        "bowl.obj" => bowl([6.0, 0.3, 0.0], 48, 12),
        "box.obj" => box_surface(Vec3::new(1.0, 1.0, 1.0), [6, 6, 6]),
        "cylinder.obj" => cylinder(0.4, 1.6, 24, 10),
        "knot.obj" => knot([2, 3], [0.6, 0.27, 0.11], 110, 10),
        "sphere.obj" => sphere(0.75, 6),
        "torus.msh" => tetrahedra_of(&torus_hexahedra(0.7, 0.27, 24, 2), [2, 2]),
        "torus.obj" => torus(0.7, 0.27, 25, 10),
        "torus_fine.obj" => torus(0.7, 0.27, 50, 20),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{border, check::assert_closed};
    use super::*;

    #[test]
    fn every_name_has_a_sound_mesh_of_reasonable_size() {
        assert!(NAMES.is_sorted());
        for name in NAMES {
            let mesh = named(name).unwrap();
            let surface = if mesh.tetrahedra.is_empty() { mesh } else { border(&mesh) };
            let euler = if name.starts_with("torus") || name.starts_with("knot") { 0 } else { 2 };
            assert_closed(name, &surface.triangles, surface.positions.len(), euler);
            assert!((300..=2500).contains(&surface.triangles.len()), "{name}: {}", surface.triangles.len());
        }
        assert_eq!(named("dragon.obj"), None);
    }
}
