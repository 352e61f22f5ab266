//! What the tests of generated meshes check.

use sim_core::math::Vec3;

use crate::mesh::Mesh;

/// Every side of a triangle is shared with exactly one other, which runs along it the other way, all points are
/// used, and V - E + F is as given.
pub(super) fn assert_closed(name: &str, triangles: &[[u32; 3]], n_points: usize, euler: i64) {
    let mut sides: Vec<[u32; 2]> =
        triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
    sides.sort_unstable();
    assert!(sides.array_windows().all(|[a, b]| a != b), "{name}: not manifold or not oriented");
    assert!(sides.iter().all(|[a, b]| sides.binary_search(&[*b, *a]).is_ok()), "{name}: not closed");
    let mut used = vec![false; n_points];
    triangles.as_flattened().iter().for_each(|i| used[*i as usize] = true);
    assert!(used.iter().all(|u| *u), "{name}: points without a triangle");
    assert_eq!(n_points as i64 - sides.len() as i64 / 2 + triangles.len() as i64, euler, "{name}");
}

/// The volume that a closed surface encloses, positive if it faces outward.
pub(super) fn volume(mesh: &Mesh) -> f64 {
    let six_fold = |t: &[u32; 3]| {
        let [a, b, c]: [Vec3; 3] = t.map(|i| mesh.positions[i as usize]);
        a.dot(&b.cross(&c))
    };
    mesh.triangles.iter().map(six_fold).sum::<f64>() / 6.0
}
