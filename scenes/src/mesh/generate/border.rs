//! Borders of volumes.

use components::topology::derive::{FACES_OF_HEXAHEDRON, FACES_OF_TETRAHEDRON, first_equal, parts, sorted};

use crate::mesh::Mesh;

/// The border of a volume as a surface of its own: triangles outward, quads halved, points renumbered in their order.
pub fn border(volume: &Mesh) -> Mesh {
    let halves = |q: [u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]];
    let mut triangles = once(&parts(&volume.tetrahedra, &FACES_OF_TETRAHEDRON));
    triangles.extend(once(&parts(&volume.hexahedra, &FACES_OF_HEXAHEDRON)).into_iter().flat_map(halves));
    let mut index = vec![u32::MAX; volume.positions.len()];
    triangles.as_flattened().iter().for_each(|i| index[*i as usize] = 0);
    let mut surface = Mesh::default();
    for (x, index) in volume.positions.iter().zip(&mut index).filter(|(_, index)| **index == 0) {
        *index = surface.positions.len() as u32;
        surface.positions.push(*x);
    }
    surface.triangles = triangles.iter().map(|t| t.map(|i| index[i as usize])).collect();
    surface
}

/// The faces that come once.
fn once<const N: usize>(faces: &[[u32; N]]) -> Vec<[u32; N]> {
    let keys: Vec<[u32; N]> = faces.iter().map(|f| sorted(*f)).collect();
    let first = first_equal(&keys);
    let mut count = vec![0; faces.len()];
    first.iter().for_each(|f| count[*f as usize] += 1);
    faces.iter().zip(&first).filter(|(_, f)| count[**f as usize] == 1).map(|(face, _)| *face).collect()
}
